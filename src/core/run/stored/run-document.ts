import {
  type Decoded,
  decodeDocument,
  decodeInstant,
  decodeInterval,
  decodePlan,
  encodeDocument,
  encodeInstant,
  encodeInterval,
  encodePlan,
  writeMode,
} from '../../ledger/codec.ts';
import {
  byKind,
  count,
  entries,
  finite,
  flag,
  list,
  mapOf,
  oneOf,
  optional,
  record,
  text,
} from '../../ledger/decoder.ts';
import type { SliceCut } from '../../lineage/facts/slice-cut.ts';
import type { Plan, UnitId } from '../../plan/model/plan.ts';
import { scheduledDocument } from '../../warehouse/dialects/postgres/ledger/slice-functions-sql.ts';
import { type JobRefusal, jobRefusalCodes } from '../unit/job-refusal.ts';
import type { RunOptions } from '../unit/run-options.ts';
import type {
  CarriedRange,
  CarriedTask,
  JobInput,
  JobSlice,
  UnitJob,
  UnitOptions,
  UnitPlace,
} from '../unit/unit-job.ts';

/** What a stored run holds: the frozen plan, each unit's rendered job or refusal, and the options it was asked with. */
export interface RunDocument {
  readonly plan: Plan;
  readonly jobs: ReadonlyMap<UnitId, UnitJob>;
  readonly refused: ReadonlyMap<UnitId, JobRefusal>;
  readonly options: RunOptions;
}

/** Versioned JSON for the ledger. No secret can get in: jobs hold rendered statements and session settings only. */
export const encodeRunDocument = ({ plan, jobs, refused, options }: RunDocument): string =>
  encodeDocument({
    plan: encodePlan(plan),
    jobs: [...jobs].map(([unit, job]) => [unit, encodeJob(job)]),
    refused: [...refused],
    options,
  });

const encodeJob = ({ carried, ...job }: UnitJob): unknown => ({
  ...job,
  interval: encodeInterval(job.interval),
  ...(carried && { carried: encodeCarried(carried) }),
});

const encodeCarried = ({ at, range, ...carried }: CarriedTask): unknown => ({
  ...carried,
  ...(at && { at: encodeInterval(at) }),
  ...(range && { range: { ...range, first: encodeInstant(range.first), last: encodeInstant(range.last) } }),
});

/** A run of a task that its scheduler ran has no plan and no jobs: there is nothing that could be run from here again. */
export const decodeRunDocument = (document: string): Decoded<RunDocument> =>
  document === scheduledDocument
    ? { ok: false, reason: 'its scheduler ran it, and can run it again' }
    : decodeDocument(document, runDocument);

const sliceCut = byKind<SliceCut>({
  parts: record({ kind: oneOf('parts'), columns: list(text) }),
  expression: record({ kind: oneOf('expression'), sql: text, columns: list(text), calls: list(text) }),
});

const sourceSpan = record({ file: text, start: count, end: count });

const job = record<UnitJob>({
  run: text,
  unit: text,
  task: text,
  interval: decodeInterval,
  place: optional(
    byKind<UnitPlace>({
      database: record({ kind: oneOf('database') }),
      lake: record({ kind: oneOf('lake'), connection: text }),
    }),
  ),
  calendarZone: optional(text),
  readZones: optional(list(text)),
  role: optional(text),
  outside: optional(list(text)),
  makesSql: optional(list(text)),
  statements: list(record({ text, at: optional(sourceSpan) })),
  slices: list(
    record<JobSlice>({
      table: text,
      through: optional(text),
      column: optional(text),
      from: optional(text),
      to: optional(text),
      predicate: optional(text),
      values: optional(list(record({ column: text, sql: text }))),
      cut: optional(sliceCut),
      mode: writeMode,
      again: optional(record({ addsRows: flag, column: optional(text), sure: optional(flag) })),
      journal: optional(flag),
      stage: optional(flag),
      turn: optional(oneOf('passing', 'last')),
      key: list(text),
      volatile: list(text),
      floatTolerance: optional(finite),
      concurrency: optional(count),
      surrogates: optional(list(text)),
      byOwn: optional(text),
      shared: optional(text),
      orphans: optional(oneOf('keep', 'delete')),
    }),
  ),
  inputs: list(
    record<JobInput>({
      table: text,
      column: optional(text),
      from: optional(text),
      to: optional(text),
      snapshot: optional(record({ of: text, column: optional(text), date: optional(text) })),
      except: optional(text),
    }),
  ),
  filledBy: optional(list(text)),
  cutsOff: flag,
  readsMore: optional(flag),
  codeHash: text,
  restores: optional(record({ run: text, unit: text })),
  fromNothing: optional(flag),
  notAtomic: optional(text),
  carried: optional(
    record<CarriedTask>({
      scheduler: text,
      dag: text,
      task: text,
      at: optional(decodeInterval),
      uncompared: optional(text),
      locksItself: optional(flag),
      marks: optional(flag),
      range: optional(
        record<CarriedRange>({ first: decodeInstant, last: decodeInstant, units: count, maxActiveRuns: count }),
      ),
    }),
  ),
  options: record<UnitOptions>({
    compare: oneOf('rows', 'checksums', 'none'),
    samples: count,
    floatTolerance: optional(finite),
    holdShrinkPercent: optional(finite),
    keepBeforeRows: count,
    earlyCutoff: flag,
    lockTable: flag,
    tableConcurrency: optional(count),
    connectionConcurrency: optional(count),
    lockTimeoutMs: count,
    statementTimeoutMs: count,
    leaseMs: count,
    batchMs: optional(count),
    settings: mapOf(text),
  }),
});

const runDocument = record<RunDocument>({
  plan: decodePlan,
  jobs: entries(job),
  refused: entries(
    record<JobRefusal>({
      code: oneOf(...jobRefusalCodes, 'no-slice'),
      message: text,
      remedy: text,
      at: optional(sourceSpan),
    }),
  ),
  options: record<RunOptions>({
    concurrency: count,
    stopAtFirstFailure: flag,
    keepBeforeDays: count,
    vacuum: optional(oneOf('advise', 'run', 'off')),
    maxAttempts: count,
    maxBusyAttempts: count,
    patienceMs: optional(count),
    backoffMs: count,
    maxBackoffMs: count,
  }),
});
