import type { DeclaredTask } from '../../lineage/facts/declared-facts.ts';
import { type DeclaredSources, noSources } from '../../lineage/facts/declared-sources.ts';
import {
  addsTwice,
  changedColumn,
  type ReadFact,
  surelyAgain,
  type TaskFacts,
  type WriteFact,
} from '../../lineage/facts/facts.ts';
import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';
import type { PlanUnit } from '../../plan/model/plan.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { evaluateTime } from '../../time/expressions/evaluate-time.ts';
import { instant } from '../../time/zones/instant.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { JobInput, JobSlice, SliceAgain, UnitJob, UnitOptions } from '../unit/unit-job.ts';
import { jobSession } from './job-session.ts';
import { nameOfTable } from './name-of-table.ts';
import { notAtomicRefusal, notAtomicStatement } from './not-atomic.ts';
import { chooseSnapshots, readSnapshots, refuseUnseenSources, type SnapshotChoice } from './read-snapshots.ts';
import { type RenderedSql, renderStatements } from './render-statements.ts';
import { runElsewhere } from './run-elsewhere.ts';
import { sessionInSql } from './session-in-sql.ts';
import { isoBound, sliceRows } from './slice-rows.ts';
import { goesByOwnRows } from './slices/goes-by-own.ts';
import { sharedSlice } from './slices/shared-slice.ts';
import { taskContext } from './task-context.ts';

/** What a job is made from beside its unit. */
export interface JobSource {
  readonly task: Task;
  readonly pipeline: Pipeline;
  readonly facts: TaskFacts;
  readonly declared: DeclaredTask | undefined;
  readonly sources?: DeclaredSources;
  /** Other tasks that write a table; none where nobody was asked. */
  readonly otherWriters?: ((table: string) => readonly TaskId[]) | undefined;
  /** Tasks that fill a table anew for each interval; none where nobody was asked. */
  readonly refilledBy?: ((table: string) => readonly TaskId[]) | undefined;
}

export interface JobSetting {
  readonly run: string;
  readonly codeHash: string;
  readonly options: UnitOptions;
  /** Airflow Variables and params of `backfill.yaml`; params go over those of the file. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** Tasks of which somebody said that they are run although they cannot be one transaction. */
  readonly notAtomic?: ReadonlySet<TaskId> | undefined;
}

/** Everything that running one unit needs, or why it cannot be run from here, by name and place. */
export function makeJob(unit: PlanUnit, source: JobSource, setting: JobSetting): UnitJob | JobRefusal {
  const { task, pipeline, facts } = source;
  if (task.executor.kind !== 'warehouse') {
    return {
      code: 'not-runnable',
      message: `${task.id}: ${task.executor.reason}`,
      remedy: runElsewhere.inRun,
      at: task.nameAt,
    };
  }
  const context = taskContext(task, pipeline, unit.data, setting);
  const asked = jobSession(task, context, heldAs(setting.options, source.declared));
  if (isRefusal(asked)) return asked;
  const texts: RenderedSql[] = [];
  for (const sql of task.sql) {
    const rendered = renderStatements(sql, context);
    if (isRefusal(rendered)) return rendered;
    texts.push(rendered);
  }
  const snapshots = chooseSnapshots(facts.reads, task, context);
  if (isRefusal(snapshots)) return snapshots;
  const unseen = refuseUnseenSources(texts, task, facts, source.sources ?? noSources);
  if (unseen !== undefined) return unseen;
  const sent = readSnapshots(texts, snapshots, task);
  if (isRefusal(sent)) return sent;
  const statements = sent.flatMap((rendered) => rendered.statements);
  if (statements.length === 0) {
    return {
      code: 'no-statements',
      message: `${task.id} has no SQL to run`,
      remedy: 'give the task a statement',
      at: task.nameAt,
    };
  }
  const tables = [...facts.writes, ...facts.reads].map(({ table }) => table);
  const cutByText = facts.writes.some(
    ({ slice }) =>
      slice.kind === 'range' &&
      (slice.predicate !== undefined || slice.values !== undefined || slice.cut?.kind === 'expression'),
  );
  const session = sessionInSql(task, statements, asked, tables, cutByText);
  if (isRefusal(session)) return session;
  const isConfirmed = setting.notAtomic?.has(task.id) === true;
  const halfway = notAtomicStatement(statements);
  if (halfway !== undefined && !isConfirmed) return notAtomicRefusal(task.id, halfway);
  if (isConfirmed && session.role !== undefined) {
    return {
      code: 'not-runnable',
      message: `${task.id} is run as ${session.role}, and a task that is not one transaction is run as who connects`,
      remedy: runElsewhere.inRun,
      at: task.nameAt,
    };
  }
  const slices: JobSlice[] = [];
  for (const write of facts.writes) {
    const slice = sliceOf(write, unit, source, texts, context);
    if (isRefusal(slice)) return slice;
    slices.push(slice);
  }
  const inputs: JobInput[] = [];
  for (const read of facts.reads) {
    const input = inputOf(read, task, context, snapshots);
    if (isRefusal(input)) return input;
    inputs.push(input);
  }
  return {
    run: setting.run,
    unit: unit.id,
    task: task.id,
    interval: unit.data,
    calendarZone: facts.reads.some(isBoundByDays) ? pipeline.zone : undefined,
    readZones: facts.readZones,
    statements,
    slices,
    inputs,
    filledBy: unit.filledBy,
    cutsOff: isDrivenByInputs(unit) && readsAreKnown(facts),
    readsMore: readsAreKnown(facts) ? undefined : true,
    codeHash: setting.codeHash,
    restores: undefined,
    notAtomic: isConfirmed ? (halfway?.reason ?? 'It calls code that may commit by itself.') : undefined,
    role: session.role,
    options: session.options,
  };
}

const heldAs = (options: UnitOptions, declared: DeclaredTask | undefined): UnitOptions =>
  declared?.hold === undefined ? options : { ...options, holdShrinkPercent: declared.hold.shrinkPercent };

/** Neither asked for nor there by mere order: what such a parent did cannot be seen in any input. */
const isDrivenByInputs = ({ reasons }: PlanUnit): boolean =>
  reasons.length > 0 && reasons.every(({ kind }) => kind === 'reads-parent' || kind === 'own-tail');

const isBoundByDays = ({ window }: ReadFact): boolean =>
  window.kind === 'range' && [...window.lo, ...window.hi].some(({ steps }) => steps.length > 0);

const readsAreKnown = ({ unknowns }: TaskFacts): boolean =>
  unknowns.every(({ about }) => about !== 'tables' && about !== 'table-name');

export const isRefusal = (made: object): made is JobRefusal => 'remedy' in made;

/** The rows that the unit owns. What is not known to be less is the whole table: wider than needed, never narrower. */
export function sliceOf(
  write: WriteFact,
  unit: PlanUnit,
  source: JobSource,
  texts: readonly RenderedSql[],
  context: TemplateContext,
): JobSlice | JobRefusal {
  const { slice, mode, key } = write;
  const table = nameOfTable(write, source.task, context);
  if (table === undefined) return unnamed(write, source.task);
  const declared = source.declared?.writes.find((one) =>
    [table, write.table, write.through?.view ?? table].some((name) => sameTable(one.table, name)),
  );
  const { volatile = [], floatTolerance, concurrency, orphans } = declared ?? {};
  const { task, facts, refilledBy = () => [] } = source;
  const rows = { task, facts, refilledBy, same: sameTable };
  const shared = sharedSlice(write, unit, (name) => source.otherWriters?.(name) ?? [], rows);
  const planned = unit.slices.find((slice) => slice.table === table);
  const stage = planned?.stage;
  const common = {
    table,
    ...(write.through === undefined ? {} : { through: write.through.view }),
    mode,
    again: sliceAgain(write),
    journal: write.journal,
    byOwn: goesByOwnRows(write, rows, unit.data),
    stage,
    key,
    volatile,
    floatTolerance,
    concurrency,
    shared,
    orphans,
  };
  if (slice.kind !== 'range' || (stage === true && planned?.column === undefined)) {
    return { ...common, column: undefined, from: undefined, to: undefined, predicate: undefined };
  }
  return { ...common, ...sliceRows({ ...write, slice }, table, unit.data, source.task, texts, context) };
}

function sliceAgain(write: WriteFact): SliceAgain | undefined {
  const changed = changedColumn(write);
  const sure = surelyAgain(write) || addsTwice(write);
  if (changed !== undefined) return { addsRows: false, column: changed.column, sure };
  return sure ? { addsRows: true, column: undefined, sure } : undefined;
}

export function inputOf(
  read: ReadFact,
  task: Task,
  context: TemplateContext,
  snapshots: readonly SnapshotChoice[],
): JobInput | JobRefusal {
  const { window } = read;
  const { interval } = context;
  const choice = snapshots.find((one) => one.read === read);
  const table = choice?.table ?? nameOfTable(read, task, context);
  if (table === undefined) return unnamed(read, task);
  const what = choice === undefined ? { table } : { table, snapshot: choice.snapshot };
  const isWhole = window.kind !== 'range' || (read.naming !== undefined && window.column === '');
  if (isWhole) return { ...what, column: undefined, from: undefined, to: undefined };
  const from = window.lo.map((bound) => evaluateTime(bound, interval, 'lower'));
  const to = window.hi.map((bound) => evaluateTime(bound, interval, 'upper'));
  return {
    ...what,
    column: window.column,
    from: from.length === 0 ? undefined : isoBound(instant(Math.min(...from))),
    to: to.length === 0 ? undefined : isoBound(instant(Math.max(...to))),
  };
}

const unnamed = ({ table, at }: ReadFact | WriteFact, { id }: Task): JobRefusal => ({
  code: 'not-rendered',
  message: `${id}: the name of ${table} in an interval cannot be told from its template`,
  remedy: 'set what it is made of outside of loops, or write it into the name itself',
  at,
});

/** The same table, though one of the names may lack its schema. */
function sameTable(one: string, other: string): boolean {
  const [a, b] = [one.toLowerCase(), other.toLowerCase()];
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}
