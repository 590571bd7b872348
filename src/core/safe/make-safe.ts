import type { WorkspaceFacts } from '../lineage/facts/workspace-facts.ts';
import { createLintContext, type LintContext } from '../lint/context/lint-context.ts';
import { createLintWorkspace } from '../lint/context/lint-workspace.ts';
import type { TaskView } from '../lint/source/statement-view.ts';
import type { TaskId } from '../pipeline/model/model.ts';
import type { TextPiece } from '../text/mapped-text.ts';
import type { TextEdit } from '../text/span.ts';
import { planStatement } from '../warehouse/port/transaction-control.ts';
import { beginSlice } from './guard-text.ts';
import { guardEdits, parted } from './guarded-task.ts';
import { intervalNames } from './interval-names.ts';
import { Refusal } from './refusal.ts';
import { replacement, slicedWrite } from './replaced-slice.ts';
import { timeSql } from './time-sql.ts';

/** What makes a task safe to be run twice by its scheduler, or why nothing does. */
export type SafeTask =
  | { readonly kind: 'edit'; readonly edits: readonly TextEdit[] }
  /** Its text is already what it would become. */
  | { readonly kind: 'safe' }
  | { readonly kind: 'refused'; readonly reason: string; readonly remedy: string };

/**
 * Puts the protocol of a unit around a task's own statements, in the text that its scheduler runs: one transaction that
 * locks the slice by the keys of the engine, replaces it, and records its version in the ledger. Refused where the rows
 * that the task owns are not known, or where its statements cannot be one transaction.
 */
export function makeSafe(facts: WorkspaceFacts, id: TaskId): SafeTask {
  const workspace = createLintWorkspace()(facts);
  const of = (task: TaskId): SafeTask => {
    const pipeline = facts.tasks.get(task)?.pipeline;
    const context = pipeline && createLintContext(pipeline, workspace);
    const view = context?.tasks.find((one) => one.task.id === task);
    if (context === undefined || view === undefined)
      return { kind: 'refused', reason: `there is no task ${task}`, remedy: 'backfill show . lists the tasks' };
    try {
      return edited(context, view, facts);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      return { kind: 'refused', reason: error.reason, remedy: error.remedy };
    }
  };
  const made = of(id);
  if (made.kind !== 'edit') return made;
  const sharing = [...facts.tasks].find(
    ([other, { task }]) =>
      other !== id &&
      task.sql.some(({ source }) => source.pieces.some((piece) => made.edits.some((edit) => isIn(edit, piece)))) &&
      !sameEdits(of(other), made.edits),
  );
  if (sharing === undefined) return made;
  return {
    kind: 'refused',
    reason: `${sharing[0]} runs the same text for another slice`,
    remedy: 'give each of the two tasks a text of its own',
  };
}

const sameEdits = (made: SafeTask, edits: readonly TextEdit[]): boolean =>
  made.kind === 'edit' && JSON.stringify(made.edits) === JSON.stringify(edits);

const isIn = (edit: TextEdit, { source }: TextPiece): boolean =>
  edit.file === source.file && source.start <= edit.start && edit.end <= source.end;

function edited(context: LintContext, view: TaskView, facts: WorkspaceFacts): SafeTask {
  const { task, pipeline } = view;
  if (task.executor.kind !== 'warehouse')
    throw new Refusal(task.executor.reason, 'only tasks of SQL can be made safe; write the task as SQL');
  if (view.statements.length === 0) throw new Refusal('it has no SQL', 'give the task a statement');
  const dialect = task.sql.find((sql) => sql.dialect !== 'postgres')?.dialect;
  if (dialect !== undefined)
    throw new Refusal(
      `its SQL is read as ${dialect}`,
      'the ledger is kept in PostgreSQL only; if this is PostgreSQL, say dialect: postgres in backfill.yaml',
    );
  if (new Set(task.sql.map(({ session }) => session)).size > 1)
    throw new Refusal('it sends its SQL over more than one connection', 'send it over one connection, in one text');
  const tag = task.sql
    .flatMap(({ masked }) => masked.tags)
    .find(({ source }) => !/^[-+]?\s*(?:end)?(?:set|macro|import|from)\b/.test(source));
  if (tag !== undefined)
    throw new Refusal(
      `its template decides by {% ${tag.source} %} which statements run`,
      'take the statements out of the block',
    );

  const { part, own } = parted(view);
  for (const { statement, sql } of own)
    refuseUnfit(sql.masked.text.slice(statement.start, statement.end), statement.kind);
  const write = slicedWrite(view, context, facts);
  const { slice } = write;
  const { target, deletion, condition, holes } = replacement(own, write);
  const scheduled = pipeline.format === 'airflow';
  const names = intervalNames(holes, task.sql.map(({ source }) => source.text).join('\n'), {
    byAirflow: scheduled,
    usesEnd: [slice.lo, slice.hi].some(({ anchor }) => anchor === 'end'),
  });
  if ('reason' in names) throw new Refusal(names.reason, 'cut the slice by data_interval_start and data_interval_end');
  const schedule = pipeline.schedule.value;
  const empty = (schedule.kind === 'cron' || schedule.kind === 'delta') && schedule.intervals === 'zero-width';
  if (empty && slice.lo.anchor !== slice.hi.anchor)
    throw new Refusal(
      'its slice goes from the start to the end of an interval, which are the same time under its schedule',
      'give it a timetable with intervals, such as CronDataIntervalTimetable',
    );
  const begin = beginSlice({
    task: scheduled ? '{{ dag.dag_id }}.{{ task.task_id }}' : task.id,
    run: scheduled ? '{{ run_id }}, try {{ ti.try_number }}' : 'its scheduler',
    intervalStart: names.start,
    lower: timeSql(slice.lo, names),
    upper: timeSql(slice.hi, names),
    target,
    column: slice.column,
    predicate: condition,
    key: write.provenance === 'declared' ? write.key : [],
    leftOut: write.volatile ?? [],
  });
  const edits = guardEdits(context, { part, own, begin, deletion });
  return edits.length === 0 ? { kind: 'safe' } : { kind: 'edit', edits };
}

function refuseUnfit(text: string, kind: string): void {
  const plan = planStatement(text);
  if (plan.kind === 'refuse') throw new Refusal(plan.reason, plan.remedy);
  if (plan.kind === 'drop')
    throw new Refusal(
      'it begins or ends a transaction in the middle of its statements',
      'let the whole task be one transaction',
    );
  if (kind === 'do' || /^[\s;]*call\b/i.test(text))
    throw new Refusal('it calls code that may end the transaction', 'write its statements into the task');
}
