import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { UnitRecord, UnitState } from '../../ledger/ledger-store.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import type { JobRefusal } from './job-refusal.ts';
import type { RunUnit } from './run-result.ts';
import type { UnitError, UnitOutcome } from './unit-outcome.ts';

const committed: ReadonlySet<UnitState> = new Set(['changed', 'unchanged', 'skipped', 'done']);

/** States that are never run again. */
export const isCommitted = (record: UnitRecord | undefined): record is UnitRecord =>
  record !== undefined && committed.has(record.state);

/**
 * A unit that an earlier run committed, or left halfway where it is not atomic; `undefined` for every other record, which
 * is run again.
 */
export function finishedBefore(record: UnitRecord | undefined, run: string): RunUnit | undefined {
  if (record?.state === 'unknown') {
    const message = record.message ?? 'not atomic, and it stopped halfway';
    const error = { kind: 'other', message, remedy: lookFirst(record.unit, run), ...noStatement } as const;
    return { ...record, ran: false, error, cancelConfirmed: undefined, notes: [] };
  }
  if (!isCommitted(record)) return undefined;
  return { ...record, ran: false, error: undefined, cancelConfirmed: undefined, notes: [] };
}

const noStatement = { retryable: false, sqlState: undefined, statement: undefined };

/** What to do about a unit that stopped halfway. */
export const lookFirst = (unit: UnitId, run: string): string =>
  `look at its tables first; if it is to be run again from its beginning: backfill resume ${run} --not-atomic ${unit.slice(0, unit.lastIndexOf('@'))}`;

export const notStarted = (unit: UnitId, attempts: number): RunUnit => ({
  unit,
  state: 'waiting',
  attempts,
  message: undefined,
  durationMs: undefined,
  slices: [],
  ran: false,
  error: undefined,
  cancelConfirmed: undefined,
  notes: [],
});

/** A unit that cannot start: refused itself, or behind a unit that did not come to a good end. */
export function blockedUnit(
  unit: UnitId,
  attempts: number,
  refusal: JobRefusal | undefined,
  by: RunUnit | undefined,
): RunUnit {
  const blocked = { ...notStarted(unit, attempts), state: 'blocked' as const };
  if (refusal !== undefined) {
    const { message, remedy } = refusal;
    return {
      ...blocked,
      message: `not runnable: ${message}`,
      error: { kind: 'refused', message, remedy, retryable: false, sqlState: undefined, statement: undefined },
    };
  }
  return {
    ...blocked,
    message: by === undefined ? 'waits for a unit that failed' : `waits for ${by.unit}, ${by.state}`,
  };
}

/** As a unit that is held says it: why in the first line, what to do about it in the next. */
export const heldMessage = ({ reason, remedy }: UnitOutcome & { readonly state: 'held' }): string =>
  `${reason}\n${remedy}`;

/** The end of a unit that is not tried again. */
export function outcomeUnit(
  unit: UnitId,
  attempts: number,
  outcome: Exclude<UnitOutcome, { state: 'busy' | 'full' | 'lost' }>,
): RunUnit {
  const ran = { ...notStarted(unit, attempts), ran: true, durationMs: outcome.durationMs };
  switch (outcome.state) {
    case 'changed':
    case 'unchanged':
      return { ...ran, state: outcome.state, slices: outcome.slices, notes: outcome.notes };
    case 'not-compared':
      return { ...ran, state: 'done', message: outcome.reason, notes: outcome.notes };
    case 'done-before':
      return {
        ...ran,
        state: outcome.slices.length > 0 && !outcome.slices.some(differs) ? 'unchanged' : 'changed',
        slices: outcome.slices,
        message: 'an earlier try had committed it',
      };
    case 'previewed':
      return {
        ...ran,
        state: outcome.changed ? 'changed' : 'unchanged',
        slices: outcome.slices,
        notes: outcome.notes,
      };
    case 'skipped':
      return { ...ran, state: 'skipped', message: outcome.reason };
    case 'left-out':
      return {
        ...ran,
        state: 'skipped',
        message: outcome.reason,
        slices: outcome.slices,
        notes: outcome.notes,
        leftOut: true,
      };
    case 'held':
      return {
        ...ran,
        state: 'held',
        slices: outcome.slices,
        message: heldMessage(outcome),
        held: outcome.code,
      };
    case 'failed':
      return outcome.error.kind === 'cancelled'
        ? { ...ran, state: 'cancelled', message: outcome.error.message, cancelConfirmed: true }
        : { ...ran, state: 'failed', error: outcome.error, message: outcome.error.message };
    case 'unknown':
      return { ...ran, state: 'unknown', error: outcome.error, message: outcome.error.message };
    case 'cancelled':
      return {
        ...ran,
        state: 'cancelled',
        cancelConfirmed: outcome.confirmed,
        message: outcome.confirmed ? 'the server confirmed' : 'the server did not confirm',
      };
  }
}

/** A slice that another run held until the last try. */
export function stuckBusy(unit: UnitId, attempts: number, outcome: Extract<UnitOutcome, { state: 'busy' }>): RunUnit {
  const error: UnitError = {
    kind: 'conflict',
    message: `its rows are being worked on by ${outcome.owner}`,
    remedy: 'wait until that run has ended or cancel it, then resume this one',
    retryable: true,
    sqlState: undefined,
    statement: undefined,
  };
  return outcomeUnit(unit, attempts, { state: 'failed', error, durationMs: outcome.durationMs });
}

/** A bug of the executor: it must not throw, so nothing is known about the unit. */
export const errorUnit = (unit: UnitId, attempts: number, error: unknown): RunUnit =>
  outcomeUnit(unit, attempts, {
    state: 'failed',
    durationMs: 0,
    error: {
      kind: 'other',
      message: `internal error: ${error instanceof Error ? error.message : String(error)}`,
      remedy: 'please report this; resume runs the unit again unless it had been committed',
      retryable: false,
      sqlState: undefined,
      statement: undefined,
    },
  });

function differs(diff: SliceDiff): boolean {
  const { before, after } = diff;
  if ((diff.added ?? 0) + (diff.removed ?? 0) + (diff.changed ?? 0) > 0) return true;
  return (
    before === undefined ||
    after === undefined ||
    before.rowChecksum !== after.rowChecksum ||
    before.rows !== after.rows
  );
}
