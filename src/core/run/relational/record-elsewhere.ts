import { ensureLedger } from '../../ledger/ensure-ledger.ts';
import type { UnitRecord } from '../../ledger/ledger-store.ts';
import type { PlanUnit } from '../../plan/model/plan.ts';
import { instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import { scheduledCode } from '../../warehouse/dialects/postgres/ledger/slice-functions-sql.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import { unitSavepoint } from '../../warehouse/port/transaction-control.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { AppliedSlice } from '../record/applied.ts';
import { recordOutcome } from '../record/record.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { applySettings, enterTransaction, protectiveSettings, unhidden } from '../session/session-settings.ts';
import { stateBefore } from '../tables/slice-state.ts';
import { resolveTargets } from '../tables/target.ts';
import { isOnFiles, type JobSlice, type UnitJob, type UnitOptions } from '../unit/unit-job.ts';

/** A unit of a run that somebody ran elsewhere. */
export interface UnitElsewhere {
  readonly run: string;
  readonly unit: PlanUnit;
  /** What the run would have sent, where it could have. */
  readonly job: UnitJob | undefined;
  readonly options: UnitOptions;
}

/** No claim has this number. */
const noFence = '0';

/**
 * Records a unit as done elsewhere, with the figures of its slices as they are now, so that later units and runs know what
 * they read. Nobody knows which code made them. Where the slices cannot be looked at, the message says why. Throws
 * {@link WarehouseError} where the ledger cannot be written.
 */
export async function recordElsewhere(
  warehouse: Warehouse,
  env: RelationalRunner,
  { run, unit, job: known, options }: UnitElsewhere,
): Promise<UnitRecord> {
  const job: UnitJob = {
    run,
    unit: unit.id,
    task: unit.task,
    interval: unit.data,
    statements: [],
    slices: known?.slices ?? unit.slices.map(sliceOf),
    inputs: [],
    cutsOff: false,
    codeHash: scheduledCode,
    restores: undefined,
    options: { ...options, compare: 'checksums' },
  };
  const session = await warehouse.connect('unit');
  try {
    await ensureLedger(warehouse, session);
    await session.query('begin isolation level read committed');
    await enterTransaction(session, options.settings, protectiveSettings(options));
    await session.query(`savepoint ${unitSavepoint}`);
    const { slices, problem } = await slicesNow(session, job, warehouse);
    const message = `done elsewhere, as ${env.owner} said${problem === undefined ? '' : `; no figures: ${problem}`}`;
    const seen = { inputs: [], definitionsHash: '' };
    await recordOutcome(session, job, env, noFence, seen, { state: 'done', message, slices, durationMs: 0 });
    await session.query('commit');
    return {
      unit: unit.id,
      state: 'done',
      attempts: 0,
      message,
      durationMs: undefined,
      slices: slices.map(({ diff }) => diff),
    };
  } finally {
    await session.close();
  }
}

const sliceOf = ({ table, column, from, to, mode }: PlanUnit['slices'][number]): JobSlice => ({
  table,
  column,
  from: isoOf(from),
  to: isoOf(to),
  predicate: undefined,
  mode,
  key: [],
  volatile: [],
});

const isoOf = (at: number | undefined): string | undefined =>
  at === undefined || !Number.isFinite(at) ? undefined : toIso(instant(at));

async function slicesNow(
  session: Session,
  job: UnitJob,
  warehouse: Warehouse,
): Promise<{ readonly slices: readonly AppliedSlice[]; readonly problem: string | undefined }> {
  try {
    if (isOnFiles(job, warehouse))
      return {
        slices: [],
        problem: `its tables are not in the ledger's database, but files of ${job.place?.kind === 'lake' ? job.place.connection : warehouse.description.target}`,
      };
    const targets = await resolveTargets(session, job, warehouse.description, new Map());
    if (targets.some(({ relation }) => relation?.table.rowSecurity)) await applySettings(session, unhidden);
    const slices: AppliedSlice[] = [];
    for (const [index, target] of targets.entries()) {
      const { relation, slice } = target;
      if (relation === undefined) continue;
      const after = await stateBefore(session, relation, index, job.options);
      slices.push({
        target,
        table: relation.table,
        taken: { index, relation, before: undefined, after, keyUsable: after.keyUsable, replaced: true },
        diff: {
          table: slice.table,
          column: slice.column,
          from: slice.from,
          to: slice.to,
          before: undefined,
          after: after.figures,
          added: undefined,
          removed: undefined,
          changed: undefined,
          columns: [],
          samples: [],
          method: 'none',
          key: relation.key,
          leftOut: relation.volatile,
          surrogates: relation.surrogates,
          causes: [],
        },
      });
    }
    return { slices, problem: undefined };
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.retryable || error.kind === 'connection') throw error;
    await session.query(`rollback to savepoint ${unitSavepoint}`);
    return { slices: [], problem: error.message };
  }
}
