import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import { countStates, type RunUnit } from '../../../core/run/unit/run-result.ts';
import { unitRows } from '../../../core/view/page/outcome/unit-rows.ts';
import type { RunMode } from '../../../core/view/page/page-request.ts';
import type { PlanView } from '../../../protocol/assistant-state.ts';
import type { RunState } from '../facts/session-facts.ts';
import { beginningWords } from '../words/outcome-words.ts';

/** What is known of units that an earlier try of the run had finished. */
export type KnownUnits = ReadonlyMap<string, Pick<RunUnit, 'state' | 'slices'>>;

/** A run that begins now: what is done already is shown, everything else waits. */
export function begunRun(run: string, mode: RunMode, plan: PlanView, known: KnownUnits): RunState {
  const states = plan.units.map(({ id }) => committedBefore(known.get(id)?.state));
  return {
    run,
    mode,
    status: 'running',
    states,
    rows: plan.units.map(({ id }, index) =>
      states[index] === 'waiting' ? undefined : unitRows(known.get(id)?.slices ?? []),
    ),
    counts: countStates(states.map((state) => ({ state }))),
    startedAt: Date.now(),
    changes: [],
    secondsLeft: undefined,
    ended: undefined,
    away: undefined,
    lost: undefined,
    said: undefined,
    summary: beginningWords[mode](run),
    notes: [],
  };
}

/** A resumed run shows what is done already; everything else waits again. */
const committedBefore = (state: UnitState | undefined): UnitState =>
  state === 'changed' || state === 'unchanged' ? state : 'waiting';
