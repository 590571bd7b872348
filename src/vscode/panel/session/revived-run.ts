import type { UnitRecord, UnitState } from '../../../core/ledger/ledger-store.ts';
import { countStates } from '../../../core/run/unit/run-result.ts';
import type { PlanView, RunView } from '../../../protocol/assistant-state.ts';
import type { KeptRun } from './session-services.ts';

/** A run of before as its ledger has it: what was running when the editor was closed did not come to an end. */
export function revivedRun(
  { id, finished }: KeptRun,
  { units }: PlanView,
  records: ReadonlyMap<string, Pick<UnitRecord, 'state'>>,
): RunView {
  const states = units.map((unit): UnitState => {
    const state = records.get(unit.id)?.state ?? 'waiting';
    return state === 'running' ? 'waiting' : state;
  });
  const left = states.filter((state) => state === 'waiting').length;
  return {
    run: id,
    mode: 'run',
    status: finished ? 'finished' : 'interrupted',
    states,
    counts: countStates(states.map((state) => ({ state }))),
    unitsPerMinute: undefined,
    secondsLeft: undefined,
    notes: [],
    summary: finished
      ? `Run ${id}`
      : `Run ${id} was interrupted with ${left} units left. Resume goes on where it stopped.`,
  };
}
