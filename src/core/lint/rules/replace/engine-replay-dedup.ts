import type { LintContext } from '../../context/lint-context.ts';
import { editSql, statementEnd } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { mutates } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
  writesTo,
} from '../../source/statement-view.ts';

/** ClickHouse drops a block that it has seen lately, so that rows which were deleted do not come back. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target, kind } = view.statement;
      if (kind !== 'insert' || target === undefined) continue;
      const key = tableKey(view, target);
      const deleting = deletes(context, task, view, key);
      if (deleting === undefined || isTold(task, view) || differsEachTime(view)) continue;
      const drops = dropsBlocks(context, [view, deleting], task, key);
      if (drops === 'no') continue;
      const fix = settingFix(context, view);
      const table = tableLabel(view, target);
      yield {
        at: placeOf(view, view.statement.head),
        message:
          drops === 'yes'
            ? `A second run deletes the rows of ${table} and inserts the same ones, which ClickHouse takes for a block that it has and drops: the rows are gone.`
            : `If ${table} is replicated or shared, ClickHouse takes the rows that a second run inserts for a block that it has and drops them, and they were deleted before. Its ENGINE decides.`,
        subject: `${writeSubject(view, key)} again`,
        related: [{ message: 'they are deleted here', at: placeOf(deleting, deleting.statement.head) }],
        fixes: fix ? [fix] : [],
      };
    }
  }
}

/** What takes rows away and leaves the engine's list of blocks as it is: a partition or table that is dropped or emptied takes it along. */
function deletes(context: LintContext, task: TaskView, view: StatementView, key: string): StatementView | undefined {
  const before = [...task.statements.filter(({ order }) => order < view.order), ...context.runEarlier(task, key)];
  return before.find((other) => (other.statement.kind === 'delete' && writesTo(other, key)) || mutates(other, key));
}

/** Settings of the INSERT, or of the session before it. */
const isTold = (task: TaskView, view: StatementView): boolean =>
  task.statements.some(
    (other) =>
      other.order <= view.order &&
      (other === view || other.statement.kind === 'other') &&
      /\binsert_deduplicat(?:e\s*=\s*(?:0|false)|ion_token)\b/i.test(sourceText(other, other.statement)),
  );

/** A time of the run or chance among the values makes another block of the same rows, which is none that was seen. */
const differsEachTime = ({ statement, sql }: StatementView): boolean => {
  const { query, values, nondeterministic } = statement;
  const written = [
    ...values,
    ...(query === undefined ? [] : [query, ...query.then.map((next) => next.query)]).flatMap(({ select }) => select),
  ];
  // What is not read as a query may write whatever is called in it.
  if (query === undefined && values.length === 0 && nondeterministic.length > 0) return true;
  const calls = [...nondeterministic, ...sql.masked.holes.filter(({ value }) => value.kind === 'clock')];
  return calls.some((call) => written.some(({ start, end }) => start <= call.start && call.end <= end));
};

/** Which tables keep a list of their blocks, by the definition; without one, by what the statements say of replicas. */
function dropsBlocks(
  context: LintContext,
  statements: readonly StatementView[],
  { task }: TaskView,
  key: string,
): 'yes' | 'unknown' | 'no' {
  const engine = context.engineOf(key);
  if (engine !== undefined) return /^(?:replicated|shared)\w*mergetree$/i.test(engine) ? 'yes' : 'no';
  const isClickHouse = /clickhouse/i.test(task.operator) || statements.some((view) => mutates(view, key));
  return isClickHouse ? 'unknown' : 'no';
}

function settingFix(context: LintContext, view: StatementView): Fix | undefined {
  if (view.statement.query === undefined || /\bsettings\b/i.test(sourceText(view, view.statement))) return undefined;
  const { offset, terminated } = statementEnd(view);
  const at = terminated ? endOfText(view) : offset;
  const edits = editSql(context, view, [{ start: at, end: at, newText: ' SETTINGS insert_deduplicate = 0' }]);
  return edits && { title: 'Insert the rows whatever was inserted before', edits, preferred: true };
}

/** Behind the last word of the statement. */
const endOfText = (view: StatementView): number =>
  view.statement.start + sourceText(view, view.statement).replace(/[\s;]+$/, '').length;

export default {
  id: 'engine-replay-dedup',
  severity: 'warning',
  summary: 'Rows that are deleted and inserted again, in an engine that drops a block it has seen',
  help: 'Set `insert_deduplicate = 0` for the INSERT, or drop or replace the partition instead of deleting.',
  supersedes: [],
  check,
} satisfies Rule;
