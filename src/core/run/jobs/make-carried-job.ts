import { marksOnly } from '../../lineage/workspace/marks-only.ts';
import type { PlanUnit } from '../../plan/model/plan.ts';
import { guardSpans } from '../../sql/names/slice-guard.ts';
import { scheduledCode } from '../../warehouse/dialects/postgres/ledger/slice-functions-sql.ts';
import type { JobInput, JobSlice, UnitJob } from '../unit/unit-job.ts';
import { inputOf, isRefusal, type JobSetting, type JobSource, sliceOf } from './make-job.ts';
import { taskContext } from './task-context.ts';

/** Which units a scheduler is given: those that nobody else can run, or with `all` every unit of its DAGs. */
export interface CarriedBy {
  readonly scheduler: string;
  readonly all: boolean;
}

/** Whether a unit is given to the scheduler. */
export const isCarried = (
  { executor }: Pick<PlanUnit, 'executor'>,
  { pipeline }: Pick<JobSource, 'pipeline'>,
  carriedBy: CarriedBy | undefined,
): boolean =>
  carriedBy !== undefined &&
  pipeline.format === 'airflow' &&
  (executor.kind === 'airflow' || (carriedBy.all && executor.kind === 'warehouse'));

/**
 * The job of a unit that a scheduler carries out. What of its tables is not known is not compared, and no reason to refuse it;
 * its slices are cut by their bounds, which may be wider than what its own DELETE says. Which code runs there is not known, so
 * that it is never left out for unchanged inputs.
 */
export function makeCarriedJob(
  unit: PlanUnit,
  source: JobSource,
  setting: JobSetting,
  { scheduler }: CarriedBy,
): UnitJob {
  const { task, pipeline, facts } = source;
  const context = taskContext(task, pipeline, unit.data, setting);
  const open: string[] = [];
  if (facts.unknowns.some(({ about }) => about === 'tables' || about === 'table-name'))
    open.push(`which tables ${task.id} writes is not known; say it under tasks in backfill.yaml`);
  const slices: JobSlice[] = [];
  for (const write of facts.writes) {
    const { slice } = write;
    const bounded = slice.kind === 'range' ? { ...write, slice: { ...slice, predicate: undefined } } : write;
    const made = sliceOf(bounded, unit, source, [], context);
    if (isRefusal(made)) open.push(made.message);
    else slices.push(made);
  }
  if (slices.length === 0 && open.length === 0) open.push(`${task.id} names no table that it writes`);
  const inputs: JobInput[] = [];
  for (const read of facts.reads) {
    const made = inputOf(read, task, context, []);
    if (!isRefusal(made)) inputs.push(made);
  }
  const locksItself = task.sql.some(({ masked, reading }) => guardSpans(masked.text, reading.statements).length > 0);
  return {
    run: setting.run,
    unit: unit.id,
    task: task.id,
    interval: unit.data,
    statements: [],
    slices,
    inputs,
    cutsOff: false,
    codeHash: scheduledCode,
    restores: undefined,
    carried: {
      scheduler,
      dag: pipeline.id,
      task: task.name,
      ...(open.length === 0 ? {} : { uncompared: [...new Set(open)].join('; ') }),
      ...(locksItself ? { locksItself } : {}),
      ...(marksOnly(task) ? { marks: true } : {}),
    },
    // What a scheduler runs is in no transaction of ours, so that there is no lock to wait for each other by.
    options: { ...setting.options, lockTable: false },
  };
}
