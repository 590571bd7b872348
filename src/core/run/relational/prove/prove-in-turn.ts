import type { SliceDiff } from '../../../diff/slice-diff.ts';
import { lastNamePart } from '../../../sql/model/name-parts.ts';
import { readSql } from '../../../sql/read-sql.ts';
import { plainText } from '../../../template/mask/plain-text.ts';
import { quoteIdentifier } from '../../../warehouse/dialects/postgres/quote.ts';
import { isLost } from '../../session/unit-error.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { UnitExecutor } from '../../unit/unit-executor.ts';
import type { JobSlice, RenderedStatement, UnitJob } from '../../unit/unit-job.ts';
import type { UnitError } from '../../unit/unit-outcome.ts';

/** What all intervals in turn, and all of them in turn again, came to. */
export type InTurn =
  | { readonly kind: 'same' }
  | { readonly kind: 'different'; readonly slices: readonly SliceDiff[] }
  | { readonly kind: 'cancelled' }
  /** The server went away. */
  | { readonly kind: 'failed'; readonly error: UnitError }
  /** In words. */
  | { readonly kind: 'not-known'; readonly why: string };

/**
 * Whether rows of a slice are of no interval and depend on what was there: what a run leaves goes by which others were run
 * between. A row that an interval closes is opened again by none.
 */
export const isOfAllIntervals = ({ column, journal, mode }: JobSlice): boolean =>
  column === undefined && journal !== true && /^(?:merge|update|append)$/.test(mode);

/**
 * Runs units in turn as one piece of work, and again, and compares the tables that have no interval's rows as a whole.
 * `units`: those of the task, each behind what fills the tables that it reads.
 */
export async function proveInTurn(
  executor: UnitExecutor,
  task: UnitJob['task'],
  units: readonly UnitJob[],
  signal: CancelSignal,
): Promise<InTurn> {
  const why = whyNotJoined(units);
  const work = joined(task, units);
  if (why !== undefined || work === undefined) return { kind: 'not-known', why: why ?? 'there is nothing to run' };
  const unseen: UnitJob = { ...work, options: { ...work.options, compare: 'none' } };
  for (const [turn, job] of [unseen, work].entries()) {
    const outcome = await executor.execute(job, signal);
    if (outcome.state === 'cancelled') return { kind: 'cancelled' };
    if (outcome.state === 'failed' && isLost(outcome.error)) return { kind: 'failed', error: outcome.error };
    if (outcome.state === 'failed') return { kind: 'not-known', why: outcome.error.message };
    if (outcome.state !== 'previewed')
      return { kind: 'not-known', why: outcome.state === 'held' ? outcome.reason : '' };
    if (turn === 0) continue;
    const whole = new Set(units.flatMap(({ slices }) => slices.filter(isOfAllIntervals).map(({ table }) => table)));
    const slices = outcome.slices.filter(
      ({ table, column, added, removed, changed }) =>
        whole.has(table) && column === undefined && (added !== 0 || removed !== 0 || changed !== 0),
    );
    if (slices.length > 0) return { kind: 'different', slices };
  }
  return { kind: 'same' };
}

/** Settings of the session would go on from one unit to the next; what no rollback takes back is not sent more often. */
function whyNotJoined(units: readonly UnitJob[]): string | undefined {
  if (units.some(({ outside }) => outside !== undefined)) return 'what it does beside is not taken back';
  const sets = units.some(({ statements }) =>
    statements.some(({ text }) => /^[\s;(]*(?:set|prepare|declare)\b/i.test(text)),
  );
  return sets ? 'it sets up its session' : undefined;
}

function joined(task: UnitJob['task'], units: readonly UnitJob[]): UnitJob | undefined {
  const last = units.findLast((job) => job.task === task);
  if (last === undefined) return undefined;
  const made = new Set<string>();
  const statements = units.flatMap((job) => {
    const before = [...made].map(
      (name): RenderedStatement => ({
        text: `drop table if exists pg_temp.${quoteIdentifier(name)}`,
        at: undefined,
      }),
    );
    for (const { text } of job.statements) for (const name of temporaryTables(text)) made.add(name);
    return [...before, ...job.statements];
  });
  const slices = units.flatMap((job) =>
    job.slices.map((slice): JobSlice => ({ ...slice, shared: notAlone, orphans: undefined })),
  );
  return { ...last, statements, slices };
}

const notAlone = 'its rows are of several units';

const temporaryTables = (text: string): readonly string[] =>
  readSql(plainText(text), 'postgres').statements.flatMap(({ kind, temporary, target }) =>
    temporary && target !== undefined && kind !== 'drop' ? [lastNamePart(target.name)] : [],
  );
