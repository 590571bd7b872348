import { qualifyNames, type TypeCache } from '../../../warehouse/catalog/describe-tables.ts';
import { forgetImageSql } from '../../../warehouse/dialects/postgres/ledger/carried-sql.ts';
import { keepImageSql, keptRowsSql } from '../../../warehouse/dialects/postgres/slice/before-image-sql.ts';
import type { Session, Warehouse } from '../../../warehouse/port/ports.ts';
import type { AppliedSlice } from '../../record/applied.ts';
import { isUnchanged } from '../../record/decide.ts';
import { type ComparedSlice, compareSlices } from '../../relational/apply/compare-slices.ts';
import type { TaskPlan } from '../../relational/task/task-plan.ts';
import { applySettings, unhidden, withPinnedText } from '../../session/session-settings.ts';
import { oldCopy, stateAfter, stateBefore } from '../../tables/slice-state.ts';
import { ledgerSlice, resolveTargets, type Target } from '../../tables/target.ts';
import { isOnFiles, type UnitJob } from '../../unit/unit-job.ts';
import type { CarriedHandle, SliceBefore } from './carried-handle.ts';

/** The slices of a unit whose tables the connection has, and in words why others are not compared. */
export interface ReachedSlices {
  readonly job: UnitJob;
  readonly missed: string | undefined;
}

export async function reachedSlices(session: Session, job: UnitJob, warehouse: Warehouse): Promise<ReachedSlices> {
  // A table of the ledger's database that has the same name is another one.
  if (isOnFiles(job, warehouse))
    return { job: { ...job, slices: [] }, missed: 'what it writes on Spark is not compared' };
  const names = [...new Set(job.slices.map(({ table }) => table))];
  const found = names.length === 0 ? [] : await qualifyNames(session, names);
  const missing = new Set(names.filter((_, index) => found[index] === undefined));
  if (missing.size === 0) return { job, missed: job.carried?.uncompared };
  const away = `${[...missing].join(', ')} ${missing.size === 1 ? 'is' : 'are'} not in ${warehouse.description.target}`;
  return {
    job: { ...job, slices: job.slices.filter(({ table }) => !missing.has(table)) },
    missed: [...(job.carried?.uncompared === undefined ? [] : [job.carried.uncompared]), away].join('; '),
  };
}

/**
 * Figures of the slices as they are, and their rows, which are kept in the ledger: whoever compares them may be another process,
 * days later. In a transaction that commits before the task is started.
 */
export async function keepBefore(
  session: Session,
  job: UnitJob,
  targets: readonly Target[],
): Promise<CarriedHandle['before']> {
  if (targets.some(({ relation }) => relation?.table.rowSecurity)) await applySettings(session, unhidden);
  const before: Record<string, SliceBefore> = {};
  const { options } = job;
  for (const [index, target] of targets.entries()) {
    const { relation } = target;
    const { slice } = ledgerSlice(target);
    if (relation === undefined) {
      before[slice] = { taken: undefined, kept: false };
      continue;
    }
    const taken = await stateBefore(session, relation, index, options);
    const kept =
      options.compare === 'rows' &&
      relation.table.materialized === undefined &&
      taken.figures.rows <= options.keepBeforeRows;
    before[slice] = { taken, kept };
    if (!kept) continue;
    const name = [job.run, job.unit, slice];
    await withPinnedText(session, async () => {
      for (const statement of forgetImageSql) await session.query(statement, name);
      await session.query(keepImageSql(oldCopy(index)), [...name, String(taken.figures.rows), null]);
    });
  }
  return before;
}

/** The slices as they are now against those of before; of slices whose rows were not kept, the figures alone. */
export async function compareWithBefore(
  session: Session,
  job: UnitJob,
  { before }: CarriedHandle,
  warehouse: Warehouse,
): Promise<{ readonly slices: readonly AppliedSlice[]; readonly notes: readonly string[] }> {
  const types: TypeCache = new Map();
  const targets = await resolveTargets(session, job, warehouse.description, types);
  if (targets.some(({ relation }) => relation?.table.rowSecurity)) await applySettings(session, unhidden);
  const [byRows, byFigures]: [ComparedSlice[], ComparedSlice[]] = [[], []];
  for (const [index, target] of targets.entries()) {
    const { relation } = target;
    const known = before[ledgerSlice(target).slice];
    if (relation === undefined) continue;
    const rows = known?.kept === true;
    if (rows)
      await withPinnedText(session, () =>
        session.query(keptRowsSql(oldCopy(index), relation.table), [job.run, job.unit, ledgerSlice(target).slice]),
      );
    const options = rows || job.options.compare !== 'rows' ? job.options : figuresOnly(job).options;
    const after = await stateAfter(session, relation, index, options, '0');
    const compared = { target, index, relation, column: target.slice.column, before: known?.taken, after };
    (rows ? byRows : byFigures).push(compared);
  }
  const first = await compareSlices({ session, job, plan: noStatements }, byRows);
  const rest = await compareSlices({ session, job: figuresOnly(job), plan: noStatements }, byFigures);
  return { slices: [...first.slices, ...rest.slices], notes: [...first.notes, ...rest.notes] };
}

/** Rows of slices that came out as they were are not needed any more. */
export async function forgetUnchanged(session: Session, job: UnitJob, slices: readonly AppliedSlice[]): Promise<void> {
  for (const slice of slices) {
    if (!isUnchanged(slice)) continue;
    const name = [job.run, job.unit, ledgerSlice(slice.target).slice];
    for (const statement of forgetImageSql) await session.query(statement, name);
  }
}

const figuresOnly = (job: UnitJob): UnitJob => ({
  ...job,
  options: { ...job.options, compare: job.options.compare === 'none' ? 'none' : 'checksums' },
});

const noStatements: TaskPlan & { readonly kind: 'ready' } = {
  kind: 'ready',
  statements: [],
  notes: [],
  plain: true,
  altersTables: false,
  truncates: false,
};
