import type { UnitProof } from '../../../core/run/relational/prove/prove.ts';
import { countStates, type RunResult } from '../../../core/run/unit/run-result.ts';
import type { RunMode } from '../../../core/view/page/page-request.ts';
import type { RunState } from '../facts/session-facts.ts';
import { confirmationInWords, outcomeInWords } from '../words/outcome-words.ts';
import { proofNotes, proofsInWords } from '../words/proof-words.ts';

/** How a run stands once its thread has said how it ended. `notes`: what a preview left behind; `isGiven`: a scheduler ran some of it. */
export function endedRun(
  { startedAt }: RunState,
  result: RunResult,
  mode: RunMode,
  notes: readonly string[],
  isGiven: boolean,
): Partial<RunState> {
  return {
    status: result.outcome === 'cancelled' ? 'cancelled' : 'finished',
    secondsLeft: undefined,
    away: undefined,
    ended: endedNow(startedAt),
    lost: lostConnection(result),
    said: saidOf(result, mode, isGiven),
    summary: outcomeInWords(result, mode, isGiven),
    notes: [...notes, ...(result.notes ?? []), ...new Set(result.units.flatMap((unit) => unit.notes))],
  };
}

/** How a proof stands; `planned`: units that were to run. */
export function endedProof(
  { status, startedAt }: RunState,
  proofs: readonly UnitProof[],
  planned: number,
): Partial<RunState> {
  const isCancelled = status === 'cancelling';
  const notes = proofNotes(proofs);
  const summary = proofsInWords(proofs, planned, isCancelled);
  return {
    status: isCancelled ? 'cancelled' : 'finished',
    secondsLeft: undefined,
    away: undefined,
    ended: endedNow(startedAt),
    said: [summary, ...notes.slice(0, 1)].join(' '),
    summary,
    notes,
  };
}

/** A run whose thread was lost: what was running here was rolled back. */
export function lostRun(run: RunState, message: string): RunState {
  const states = run.states.map((state) => (state === 'running' ? ('waiting' as const) : state));
  return {
    ...run,
    states,
    counts: countStates(states.map((state) => ({ state }))),
    status: 'interrupted',
    secondsLeft: undefined,
    away: undefined,
    ended: endedNow(run.startedAt),
    lost: message,
    summary: message,
  };
}

/** As the clock of the person who looks shows it. */
export function clockOf(now: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(now.getHours())}:${two(now.getMinutes())}`;
}

function endedNow(startedAt: number): NonNullable<RunState['ended']> {
  const now = new Date();
  return { at: clockOf(now), tookMs: now.getTime() - startedAt };
}

/** What the server, or the way to it, said when it was gone. */
function lostConnection({ outcome, units }: RunResult): string | undefined {
  if (outcome === 'cancelled') return undefined;
  return units.find(({ state, error }) => state === 'failed' && error?.kind === 'connection')?.error?.message;
}

function saidOf(result: RunResult, mode: RunMode, isGiven: boolean): string | undefined {
  const failed = result.units.find(({ state }) => state === 'failed');
  if (failed !== undefined) {
    const { error, message } = failed;
    const remedy = error?.remedy === undefined ? '' : ` ${error.remedy}`;
    return `${taskOf(failed.unit)}: ${error?.message ?? message ?? 'it failed'}${remedy}`;
  }
  if (result.problem !== undefined) return result.problem;
  if (mode === 'preview') return undefined;
  if (result.outcome === 'cancelled') {
    const back = isGiven
      ? 'What ran here was rolled back, what Airflow had begun was not'
      : 'Slices in work were rolled back';
    return `${confirmationInWords(result)} ${back}; Resume runs only what is left.`;
  }
  if (result.outcome !== 'held') return undefined;
  const held = result.units.find(({ state }) => state === 'held');
  const [why = ''] = (held?.message ?? '').split('\n');
  const table = held?.slices[0]?.table ?? taskOf(held?.unit ?? '');
  const about = why.startsWith(table) ? '' : `${table}: `;
  const rows = isGiven
    ? 'What Airflow ran has its new rows in place, of the rest the old rows are still there'
    : 'The old rows are still there';
  return `${about}${why.replace(/\.$/, '')}. ${rows}; nothing behind them has run.`;
}

/** A unit is named by its task and the start of its interval. */
const taskOf = (unit: string): string => unit.slice(0, unit.lastIndexOf('@'));
