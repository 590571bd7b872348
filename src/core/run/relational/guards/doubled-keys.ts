import { plural } from '../../../text/plural.ts';
import { keyFaultsSql } from '../../../warehouse/dialects/postgres/slice/key-sql.ts';
import type { DoubledKeys, WatchedKey } from '../../record/applied.ts';
import { applySettings, unhidden } from '../../session/session-settings.ts';
import { StatementFailure } from '../../session/statement-failure.ts';
import { constraintColumns } from '../../tables/constraint-columns.ts';
import { tableSql } from '../../tables/target.ts';
import { isSameName, type UpsertKey, upsertKeys } from '../../tables/upsert-keys.ts';
import { asNewSession } from '../task/as-new-session.ts';
import type { OpenUnit } from '../task/open-unit.ts';
import { runStatements } from '../task/run-statements.ts';
import { onceAKey, repeatedKeys } from './repeated-keys.ts';

/** Rows of the slice that its key does not tell apart. */
interface KeyFaults {
  readonly nulls: number;
  readonly repeated: number;
}

/** Keys that the table itself does not keep whole; a table whose key columns are NOT NULL and unique costs nothing. */
export async function watchedKeys({ session, job, plan, targets }: OpenUnit): Promise<readonly WatchedKey[]> {
  if (job.options.holdShrinkPercent === undefined || job.restores !== undefined) return [];
  const watched: WatchedKey[] = [];
  for (const written of upsertKeys(plan.statements)) {
    const relation = targets.find(
      ({ slice, qualified }) => isSameName(written.table, slice.table) || isSameName(written.table, qualified),
    )?.relation;
    if (relation === undefined) continue;
    const { table } = relation;
    const key = await constraintColumns(session, written, tableSql(table));
    const columns = key.columns.flatMap((name) => table.columns.find((column) => column.name === name) ?? []);
    if (columns.length === 0 || columns.length < key.columns.length) continue;
    const repeatable =
      key.onePerKey && !table.keys.some((unique) => unique.every((column) => key.columns.includes(column)));
    if (repeatable || columns.some(({ notNull }) => !notNull)) watched.push({ key, relation, repeatable });
  }
  return watched;
}

/** Row security hides none of them. */
export async function keyFaults(unit: OpenUnit, watched: readonly WatchedKey[]): Promise<readonly KeyFaults[]> {
  const faults: KeyFaults[] = [];
  const hidden = watched.some(({ relation }) => relation.table.rowSecurity);
  if (hidden) await applySettings(unit.session, unhidden);
  for (const { key, relation, repeatable } of watched) {
    const sql = keyFaultsSql(tableSql(relation.table), relation.predicate, key.columns, repeatable);
    const [nulls, repeated] = (await unit.session.query(sql)).rows[0] ?? [];
    faults.push({ nulls: Number(nulls), repeated: Number(repeated) });
  }
  if (hidden) await applySettings(unit.session, { row_security: unit.start.rowSecurity });
  return faults;
}

/**
 * Whether a second run of the task would add rows again that the first one has put under no key, or fail on a key that
 * it has put in more than once. Where the first run added such rows, the second is run, and taken back. After the
 * figures of the first: its counters are no longer those of one run.
 */
export async function findDoubled(
  unit: OpenUnit,
  watched: readonly WatchedKey[],
  before: readonly KeyFaults[],
): Promise<DoubledKeys> {
  if (watched.length === 0) return { kind: 'none' };
  const after = await keyFaults(unit, watched);
  const grown = watched.flatMap((one, index) => {
    const [old, now] = [before[index], after[index]];
    if (old === undefined || now === undefined) return [];
    return now.nulls > old.nulls || now.repeated > old.repeated ? [{ ...one, index, old, now }] : [];
  });
  if (grown.length === 0) return { kind: 'none' };
  const samples: (string | undefined)[] = [];
  for (const { key, relation, old, now } of grown) {
    const repeats = now.repeated > old.repeated;
    const from = tableSql(relation.table);
    samples.push(repeats ? await repeatedKeys(unit.session, from, relation.predicate, key.columns) : undefined);
  }
  const second = await secondRun(unit, watched);
  for (const [position, { key, relation, index, old, now }] of grown.entries()) {
    const { qualified } = relation.table;
    const columns = key.columns.join(', ');
    const added = now.nulls - old.nulls;
    const again = second.kind === 'ran' ? (second.faults[index]?.nulls ?? 0) - now.nulls : 0;
    if (added > 0 && again > 0) {
      const reason =
        `${qualified} gets ${plural(added, 'row')} with NULL in its key (${columns}), which ${statementName(key)} never finds again: ` +
        `a second run would add ${again} more. Leave such rows out, give them a key, or delete them by the interval first.`;
      return { kind: 'doubled', code: 'null-key', reason };
    }
    const repeats = now.repeated > old.repeated;
    const grows = second.kind === 'ran' && (second.faults[index]?.repeated ?? 0) > now.repeated;
    const fails = second.kind === 'failed' && second.sqlState === '21000';
    if (repeats && (grows || fails)) {
      const then = second.kind === 'failed' ? `fails: ${second.message}` : 'adds them again';
      const reason =
        `${qualified} gets several rows of one key (${columns}): ${samples[position]}; a second run of ` +
        `${statementName(key)} ${then}. In the rows that come in, ${onceAKey(key.columns)}.`;
      return { kind: 'doubled', code: 'repeated-key', reason };
    }
  }
  return { kind: 'none' };
}

type SecondRun =
  | { readonly kind: 'ran'; readonly faults: readonly KeyFaults[] }
  | { readonly kind: 'failed'; readonly sqlState: string | undefined; readonly message: string };

/** The task once more, as though its session were new, then taken back. */
async function secondRun(unit: OpenUnit, watched: readonly WatchedKey[]): Promise<SecondRun> {
  const { session, start } = unit;
  await session.query('savepoint backfill_second');
  try {
    await asNewSession(unit);
    await runStatements(unit, { role: start.role });
    return { kind: 'ran', faults: await keyFaults(unit, watched) };
  } catch (error) {
    if (!(error instanceof StatementFailure) || error.error.kind === 'cancelled' || error.error.retryable) throw error;
    return { kind: 'failed', sqlState: error.error.detail.sqlState, message: error.message };
  } finally {
    await session.query('rollback to savepoint backfill_second');
    await session.query('release savepoint backfill_second');
  }
}

/** `MERGE INTO mart.customers`: the head of the statement. */
const statementName = ({ statement: { text }, read }: UpsertKey): string =>
  text.slice(read.head.start, read.head.end).replace(/\s+/g, ' ');
