import { takeFigures } from '../../diff/take-figures.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import { describeReadable } from '../../warehouse/catalog/describe-tables.ts';
import { viewDefinitions } from '../../warehouse/catalog/view-definitions.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import { describeSchema, type TableDescription } from '../../warehouse/port/table-description.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { enterTransaction, protectiveSettings } from '../session/session-settings.ts';
import { namesRead } from '../tables/names-read.ts';
import { isTextual } from '../tables/slice-state.ts';
import { relationOf, tableSql } from '../tables/target.ts';
import { withTypedCut } from '../tables/with-typed-cut.ts';
import { bySettings } from '../unit/jobs-by-settings.ts';
import type { JobSlice, UnitJob } from '../unit/unit-job.ts';
import type { PlannedSlice, PlannedTable, PlannedView } from './plan-file.ts';
import type { Digest } from './plan-file-text.ts';

/** The tables of a plan as the database has them, and what its slices hold. */
export interface TargetState {
  /** Within one major version contents can be compared. */
  readonly server: string;
  readonly tables: readonly PlannedTable[];
  readonly views: readonly PlannedView[];
  readonly held: ReadonlyMap<UnitId, ReadonlyMap<string, HeldNow>>;
}

export type HeldNow = Required<Pick<PlannedSlice, 'rows' | 'content'>>;

/**
 * Looks at the shape of every table that jobs write or read, and at the rows of the slices that they own. Whole tables and
 * stages are not summed up: every run of their schedule makes them anew. Reads only, under the settings that the units will
 * have. Throws {@link WarehouseError}.
 */
export async function targetState(
  warehouse: Warehouse,
  jobs: readonly UnitJob[],
  digest: Digest,
): Promise<TargetState> {
  const shapes = new Map<string, TableDescription | undefined>();
  const definitions = new Map<string, string>();
  const held = new Map<UnitId, Map<string, HeldNow>>();
  const session = await warehouse.connect('unit');
  try {
    for (const [first, alike] of bySettings(jobs)) {
      await session.query('begin isolation level repeatable read read only');
      await enterTransaction(session, first.options.settings, protectiveSettings(first.options));
      const names = [
        ...new Set(alike.flatMap(({ slices, inputs }) => [...slices, ...inputs].map(({ table }) => table))),
      ];
      const described = await describeReadable(session, names, new Map());
      for (const [index, name] of names.entries()) shapes.set(name, described[index]);
      for (const { view, definition } of await viewDefinitions(session, alike.flatMap(namesRead)))
        definitions.set(view, definition);
      for (const job of alike) {
        const ofUnit = new Map<string, HeldNow>();
        for (const slice of job.slices) {
          const table = shapes.get(slice.table);
          const now = table && (await heldBy(session, slice, table, job, warehouse, digest));
          if (now !== undefined) ofUnit.set(slice.table, now);
        }
        held.set(job.unit, ofUnit);
      }
      await session.query('rollback');
    }
  } finally {
    await session.query('rollback').catch(() => undefined);
    await session.close();
  }
  const tables = [...shapes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([table, shape]) => tableOf(table, shape));
  const views = [...definitions]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([view, definition]) => ({ view, definition }));
  return { server: majorOf(warehouse), tables, views, held };
}

const majorOf = ({ description }: Warehouse): string => description.serverVersion.split('.')[0] ?? '';

const tableOf = (table: string, shape: TableDescription | undefined): PlannedTable =>
  shape === undefined
    ? { table }
    : { table, columns: shape.columns.map((column) => describeSchema({ ...shape, columns: [column] })) };

async function heldBy(
  session: Session,
  slice: JobSlice,
  table: TableDescription,
  job: UnitJob,
  { description }: Warehouse,
  digest: Digest,
): Promise<HeldNow | undefined> {
  if (slice.column === undefined || slice.stage === true || table.rowSecurity || table.materialized === 'unfilled')
    return undefined;
  await session.query('savepoint backfill_held');
  try {
    const typed = await withTypedCut(session, table, slice);
    const relation = { ...relationOf(typed, table, description, job), key: [] };
    if (relation.predicate === undefined || isTextual(relation)) return undefined;
    const { figures } = await takeFigures(session, relation, {
      sql: tableSql(table),
      predicate: relation.predicate,
      ownAge: undefined,
    });
    return { rows: figures.rows, content: digest(`${figures.algorithm} ${figures.rowChecksum}`).slice(0, 16) };
  } catch (error) {
    // A condition that the table cannot be asked with will be said by its unit.
    if (!(error instanceof WarehouseError) || error.retryable || error.kind === 'cancelled') throw error;
    await session.query('rollback to savepoint backfill_held');
    return undefined;
  } finally {
    await session.query('release savepoint backfill_held').catch(() => undefined);
  }
}
