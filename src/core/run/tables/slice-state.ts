import type { SliceRelation } from '../../diff/slice-relation.ts';
import {
  comparedColumns,
  type KnownFigures,
  type TakenFigures,
  takeCount,
  takeFigures,
  takeKnownFigures,
  type VersionedFigures,
} from '../../diff/take-figures.ts';
import { quoteIdentifier } from '../../warehouse/dialects/postgres/quote.ts';
import { countSql, versionHash } from '../../warehouse/dialects/postgres/slice/figures-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { applySettings, pinnedTextSettings } from '../session/session-settings.ts';
import type { UnitOptions } from '../unit/unit-job.ts';
import { tableSql } from './target.ts';

/** Where the old rows of the n-th slice of a unit are kept until its transaction ends. */
export const oldCopy = (index: number): string => `pg_temp.backfill_old_${index}`;
const newCopy = (index: number): string => `pg_temp.backfill_new_${index}`;

/** The slice before the task: figures, and with `rows` a copy of all its columns. `again`: into the copy that was made of it before. */
export async function stateBefore(
  session: Session,
  relation: SliceRelation,
  index: number,
  options: UnitOptions,
  again = false,
): Promise<TakenFigures> {
  const live = tableSql(relation.table);
  if (options.compare === 'none') {
    return takeCount(session, { sql: live, predicate: relation.predicate, ownAge: undefined });
  }
  if (options.compare === 'checksums' && !isTextual(relation)) {
    return takeFigures(session, relation, { sql: live, predicate: relation.predicate, ownAge: undefined });
  }
  if (again) await refillCopy(session, relation, oldCopy(index));
  else await copySlice(session, relation, oldCopy(index));
  return figuresOfCopy(session, relation, oldCopy(index), options);
}

/**
 * The figures of a slice, and which versions of rows they are of, where the server can say that. `known`: the figures that it had at
 * its last version, which are not taken again where its rows are those of then.
 */
export async function versionedState(
  session: Session,
  relation: SliceRelation,
  known?: KnownFigures,
): Promise<VersionedFigures> {
  const from = { sql: tableSql(relation.table), predicate: relation.predicate, storage: relation.table.storage };
  const [same] = (known && (await takeKnownFigures(session, relation, from, [known]))) ?? [];
  const versions = relation.hash === 'hash' ? versionHash : undefined;
  return same ?? takeFigures(session, relation, { ...from, ownAge: undefined, versions });
}

/** The slice after the task. Rows that this unit wrote are those of at most `ownAge`. */
export async function stateAfter(
  session: Session,
  relation: SliceRelation,
  index: number,
  options: UnitOptions,
  ownAge: string,
): Promise<TakenFigures> {
  const live = { sql: tableSql(relation.table), predicate: relation.predicate, ownAge };
  if (options.compare === 'none') return takeCount(session, live);
  if (!isTextual(relation)) return takeFigures(session, relation, live);
  const counted = await session.query(countSql(live.sql, live.predicate, ownAge));
  await copySlice(session, relation, newCopy(index));
  return {
    ...(await figuresOfCopy(session, relation, newCopy(index), options)),
    ownRows: Number(counted.rows[0]?.[1]),
  };
}

/** Types without a binary form are read as text under pinned settings, and only a copy has no predicate to be moved by them. */
export const isTextual = (relation: SliceRelation): boolean =>
  comparedColumns(relation).some((column) => column.textual);

async function copySlice(session: Session, relation: SliceRelation, copy: string): Promise<void> {
  await session.query(`create temporary table ${copy} on commit drop as ${rowsSql(relation)}`);
}

/** Defines nothing, so that no trigger on definitions hears of it. */
async function refillCopy(session: Session, relation: SliceRelation, copy: string): Promise<void> {
  await session.query(`delete from ${copy}`);
  await session.query(`insert into ${copy} ${rowsSql(relation)}`);
}

function rowsSql({ table, predicate }: SliceRelation): string {
  const columns = table.columns.map((column) => quoteIdentifier(column.name)).join(', ');
  return `select ${columns} from ${tableSql(table)}${predicate === undefined ? '' : ` where ${predicate}`}`;
}

/** Figures of a copy, which holds nothing but the slice. */
export async function figuresOfCopy(
  session: Session,
  relation: SliceRelation,
  copy: string,
  options: UnitOptions,
): Promise<TakenFigures> {
  const from = { sql: copy, predicate: undefined, ownAge: undefined };
  if (!isTextual(relation)) return takeFigures(session, relation, from);
  await session.query('savepoint backfill_pinned');
  await applySettings(session, pinnedTextSettings);
  const taken = await takeFigures(session, relation, from);
  // Settings of a subtransaction end with it, and nothing was written in it.
  await session.query('rollback to savepoint backfill_pinned');
  await session.query('release savepoint backfill_pinned');
  return options.compare === 'none' ? { ...taken, keyUsable: false } : taken;
}
