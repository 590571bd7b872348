import type { SqlExpression } from '../../../sql/model/expression.ts';
import { filtersOf } from '../../../sql/model/sql-search.ts';
import type { SourceSpan } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { type TimeUse, timesUsed } from '../../reruns/times-used.ts';
import { placeOf, type StatementView, sourceText, type TaskView } from '../../source/statement-view.ts';

/** A second run works on another day, because a run that no schedule makes has no interval of its own. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { pipeline } = context;
  const { kind } = pipeline.schedule.value;
  if (kind !== 'assets' && kind !== 'none') return;
  // Whoever starts it by a DAG of the workspace gives it a date, or is told to by another rule.
  if (pipeline.format !== 'airflow' || context.startersOf(pipeline.id).length > 0) return;
  for (const task of context.tasks) {
    const all = timesUsed(context, task);
    if (kind === 'assets' && all.some(({ at }) => asksForNone(context, at))) continue;
    const uses = all.filter((use) => isLost(context, task, use));
    const [first, ...others] = uses;
    if (first === undefined) continue;
    yield {
      at: markOf(task, first),
      severity: kind === 'assets' ? 'error' : 'warning',
      message: messageFor(kind, pipeline.airflowVersion, nameOf(first)),
      subject: `${task.task.id} interval`,
      related: others.map(({ at }) => ({ message: 'the interval again', at })),
    };
  }
}

/** Which use has no interval behind it; what is given by hand or by whoever starts the run comes first there. */
function isLost({ pipeline }: LintContext, task: TaskView, { source, inSql }: TimeUse): boolean {
  if (/\b(?:conf|params|default)\b/.test(source)) return false;
  if (pipeline.schedule.value.kind === 'assets') {
    if (pipeline.airflowVersion === 3) return true;
    // Airflow 2 gives such a run the interval of the runs that have updated its datasets.
    if (/\bdata_interval_(?:start|end)\b/.test(source)) return false;
  }
  // Where the name has a value: a file, a table or a stamp may well be of the day of the run, a slice that is replaced may not.
  const view = inSql && statementAt(task, inSql);
  return view !== undefined && rewrites.test(view.statement.kind) && boundAt(view, inSql?.offset ?? -1) !== undefined;
}

/** `if dag_run.logical_date is None:`: Python that has thought of it. */
const asksForNone = (context: LintContext, at: SourceSpan): boolean =>
  /^[\w.]*\s+is\s+(?:not\s+)?None\b/.test((context.text(at.file) ?? '').slice(at.end, at.end + 60)) ||
  /\b(?:if|elif|or|and|not)\s+(?:\w+\.)*$/.test(
    (context.text(at.file) ?? '').slice(Math.max(0, at.start - 60), at.start),
  );

const boundAt = ({ statement }: StatementView, offset: number): SqlExpression | undefined =>
  filtersOf(statement).find(({ conjunct }) => conjunct.start <= offset && offset < conjunct.end)?.conjunct;

const rewrites = /^(?:delete|update|merge|insert|insert_overwrite|insert_replace_where|replace|create_table_as)$/;

const statementAt = (task: TaskView, { sqlIndex, offset }: NonNullable<TimeUse['inSql']>) =>
  task.statements.find(
    ({ sql, statement }) => sql === task.task.sql[sqlIndex] && statement.start <= offset && offset < statement.end,
  );

/** From the head of the statement to the bound where both stand on one line; else the bound. */
function markOf(task: TaskView, { at, inSql }: TimeUse): SourceSpan {
  const view = inSql && statementAt(task, inSql);
  if (inSql === undefined || view === undefined) return at;
  const bound = boundAt(view, inSql.offset);
  if (bound === undefined) return at;
  const whole = { start: view.statement.start, end: bound.end };
  return placeOf(view, sourceText(view, whole).includes('\n') ? bound : whole);
}

const nameOf = ({ source }: TimeUse): string => source.replace(/^\{\{\s*|\s*\}\}$/g, '');

function messageFor(kind: 'assets' | 'none', version: 2 | 3, name: string): string {
  if (kind === 'none')
    return `This DAG runs by hand only, so ${name} is the moment at which somebody starts it, unless they give a date: a second run works on another day.`;
  return version === 3
    ? `Runs that an asset starts have no interval in Airflow 3, so ${name} is not defined in them.`
    : `In runs that a dataset starts, ${name} is the moment of the start, so a second run works on another day.`;
}

export default {
  id: 'no-interval-in-run',
  severity: 'error',
  summary: 'The interval is used in runs that have none: started by assets or by hand',
  help: 'Give the DAG a schedule, read the slice from the event that starts it, or pass `logical_date` where it is triggered.',
  supersedes: [],
  check,
} satisfies Rule;
