import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import { countStates, type RunUnit } from '../../../core/run/unit/run-result.ts';
import { unitRows } from '../../../core/view/page/outcome/unit-rows.ts';
import type { PlanView } from '../../../protocol/assistant-state.ts';
import type { RunState } from '../facts/session-facts.ts';
import type { KeptRun } from '../facts/session-services.ts';

/**
 * A run of before as its ledger has it: what was running when its window was closed, or its command ended, did not come to an end.
 * `workedOnBy`: who gave a sign of life a moment ago, in another window or on a command line, or before they were cut off.
 */
export function revivedRun(
  { id, finished, live }: KeptRun,
  { units }: PlanView,
  records: ReadonlyMap<string, Pick<RunUnit, 'state' | 'slices' | 'message'>>,
  workedOnBy?: string,
): RunState {
  const states = units.map((unit): UnitState => {
    const state = records.get(unit.id)?.state ?? 'waiting';
    return state === 'running' ? 'waiting' : state;
  });
  const left = states.filter((state) => state === 'waiting').length;
  // What is held or has failed came to its end; what waits behind it waits for a decision.
  const isOver = finished || (left === 0 && !states.includes('cancelled'));
  const summary = isOver
    ? `Run ${id}`
    : `Run ${id} was interrupted with ${left} slices left. Resume goes on where it stopped.`;
  return {
    run: id,
    mode: 'run',
    status: isOver ? 'finished' : 'interrupted',
    states,
    rows: units.map((unit) => unitRows(records.get(unit.id)?.slices ?? [])),
    counts: countStates(states.map((state) => ({ state }))),
    startedAt: Date.now(),
    changes: [],
    secondsLeft: undefined,
    ended: undefined,
    away: undefined,
    workedOnBy,
    lost: undefined,
    said: isOver
      ? [...records.values()].find(({ state }) => state === 'failed' || state === 'held')?.message?.split('\n')[0]
      : workedOnBy !== undefined
        ? `${workedOnBy} gave a sign of life a moment ago, so the run may still go on there. What was written is whole; Resume runs only what is left once nobody is at work on it.`
        : `${live === true ? 'The window was closed or reloaded in the middle of the run' : 'The run was stopped or cut off before its end'}. What was written is whole; Resume runs only what is left.`,
    notes: [],
    summary,
  };
}
