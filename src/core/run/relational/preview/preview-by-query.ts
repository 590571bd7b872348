import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { type TakenFigures, takeCount } from '../../../diff/take-figures.ts';
import type { TypeCache } from '../../../warehouse/catalog/describe-tables.ts';
import {
  collidesSql,
  keepsRowsSql,
  liveSliceSql,
  probedSql,
  probeSql,
  sliceProbeSql,
  strayRowsSql,
  type UniqueIndex,
  uniqueIndexesSql,
} from '../../../warehouse/dialects/postgres/slice/shadow-sql.ts';
import type { Session, WarehouseDescription } from '../../../warehouse/port/ports.ts';
import type { Applied } from '../../record/applied.ts';
import { enterTransaction, protectiveSettings } from '../../session/session-settings.ts';
import { figuresOfCopy, isTextual, oldCopy, stateBefore } from '../../tables/slice-state.ts';
import { resolveTargets, type Target, tableSql } from '../../tables/target.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { compareSlices } from '../apply/compare-slices.ts';
import { hasTouched, stageColumns } from '../apply/stage.ts';
import { fillSql, type SliceReplacement, sliceReplacement } from '../task/slice-replacement.ts';
import type { TaskPlan } from '../task/task-plan.ts';

export interface ShadowUnit {
  readonly job: UnitJob;
  readonly plan: TaskPlan & { readonly kind: 'ready' };
  readonly server: WarehouseDescription;
  readonly types: TypeCache;
}

/** A unit whose result can be told from its query alone, in a transaction that was begun for it. */
export interface ShadowTask {
  readonly replacement: SliceReplacement;
  readonly target: Target;
  readonly relation: SliceRelation;
  /** Of a table that takes the rows as the target does, as SQL. */
  readonly columns: string;
  readonly indexes: readonly (UniqueIndex & { readonly outsideToo: boolean })[];
}

const shadow = 'pg_temp.backfill_shadow';

/**
 * Begins a transaction and tells whether the unit can be previewed without writing: it replaces its slice with the rows
 * of one query that does not see the slice, into a table that does nothing with rows but keep them. `amongOthers`: nor
 * can rows of other slices, which are replaced as well, keep its rows out. `undefined` for all else, and where the server could not be asked: then the task has to be run and rolled back. Throws
 * {@link WarehouseError}.
 */
export async function beginShadow(
  session: Session,
  unit: ShadowUnit,
  amongOthers: boolean,
): Promise<ShadowTask | undefined> {
  const { job, plan, server, types } = unit;
  const replacement =
    job.restores === undefined && job.role === undefined ? sliceReplacement(plan.statements, job.slices) : undefined;
  if (replacement === undefined) return undefined;
  // One snapshot for both sides: a row that comes in between is in neither.
  await session.query('begin isolation level repeatable read');
  await enterTransaction(session, job.options.settings, protectiveSettings(job.options));
  const [target] = await resolveTargets(session, job, server, types);
  const relation = target?.relation;
  if (target === undefined || relation === undefined) return undefined;
  const { table, predicate } = relation;
  const staged = await stageColumns(session, relation, replacement);
  if (staged === undefined || (await session.query(keepsRowsSql, [table.oid])).rows[0]?.[0] !== 't') return undefined;
  await session.query('savepoint backfill_probe');
  await session.query(probeSql(replacement.select));
  await session.query(sliceProbeSql(tableSql(table), predicate));
  const [looks, columns] = (await session.query(probedSql, [table.oid])).rows[0] ?? [];
  await session.query('rollback to savepoint backfill_probe');
  if (looks !== 'f') return undefined;
  const sliceColumns = JSON.parse(columns ?? '[]') as string[];
  const found = (await session.query(uniqueIndexesSql, [table.oid])).rows[0]?.[0];
  const indexes = (JSON.parse(found ?? '[]') as UniqueIndex[]).map((index) => ({
    ...index,
    // Rows of one key are in the slice together, or not at all.
    outsideToo: !sliceColumns.every((column) => index.columns.includes(column)),
  }));
  if (indexes.some(({ special, outsideToo }) => special || (amongOthers && outsideToo))) return undefined;
  return { replacement, target, relation, columns: staged.columns, indexes };
}

/**
 * Compares the rows of the query with the live slice, in a transaction that the server itself keeps from writing.
 * `undefined` where the rows would not go into the table or not into the slice: running the task says why. Throws
 * {@link WarehouseError}, also where the query would write.
 */
export async function applyShadow(session: Session, unit: ShadowUnit, task: ShadowTask): Promise<Applied | undefined> {
  const { job } = unit;
  const { relation, target, columns, indexes, replacement } = task;
  const { table, predicate } = relation;
  const live = tableSql(table);
  await session.query(`create temporary table ${shadow} (${columns}) on commit drop`);
  await session.query('savepoint backfill_fill');
  await session.query('set transaction read only');
  await session.query(fillSql(shadow, replacement));
  if (await hasTouched(session, relation)) return undefined;
  // The rest makes copies, where types have to be read as text.
  await session.query('release savepoint backfill_fill');
  const compare = job.options.compare === 'none' ? 'none' : 'checksums';
  const before = await stateBefore(session, relation, 0, { ...job.options, compare });
  const bad = [
    ...(predicate === undefined ? [] : [strayRowsSql(shadow, predicate)]),
    ...indexes.map((index) => collidesSql(shadow, live, predicate, index, index.outsideToo)),
  ];
  for (const sql of bad) {
    if ((await session.query(sql)).rows[0]?.[0] !== 'f') return undefined;
  }
  const after = await stateOfShadow(session, relation, job);
  const old = isTextual(relation) ? oldCopy(0) : liveSliceSql(live, table.columns, predicate);
  const slice = { relation, column: target.slice.column, before, after, target, index: 0 };
  const sides = { old, live: shadow, predicate: undefined };
  return {
    ...(await compareSlices({ ...unit, session }, [{ ...slice, sides, whole: sides }])),
    escape: { kind: 'none' },
  };
}

const stateOfShadow = (session: Session, relation: SliceRelation, { options }: UnitJob): Promise<TakenFigures> =>
  options.compare === 'none'
    ? takeCount(session, { sql: shadow, predicate: undefined, ownAge: undefined })
    : figuresOfCopy(session, relation, shadow, options);
