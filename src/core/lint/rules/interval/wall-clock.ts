import type { ClockCall, Task } from '../../../pipeline/model/model.ts';
import type { SourceSpan } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { type ClockUse, clockUses } from '../../reruns/clock-use.ts';
import { placeOf, sameTable, sourceText, type TaskView, tableKey } from '../../source/statement-view.ts';

/** A second run works on the time at which it runs, not on its interval. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    const uses = task.statements.flatMap((view) => [...clockUses(context, task, view)]).filter(({ python }) => !python);
    const moves = uses.filter(({ role }) => role === 'filter' || role === 'slice');
    const decisive = moves.filter(({ isFetched, looksBack }) => !isFetched && !looksBack);
    const [first] = decisive.length > 0 ? decisive : moves;
    if (first !== undefined) yield sqlFinding(context, task, first, [first, ...moves.filter((use) => use !== first)]);
    const audit = uses.filter((use) => use.role === 'audit' && !isDeclaredVolatile(context, task, use));
    if (audit[0] !== undefined) yield auditFinding(task, audit[0], audit);
  }
  for (const call of context.pipeline.clockCalls) {
    const finding = pythonFinding(context, call);
    if (finding) yield finding;
  }
}

function pythonFinding(context: LintContext, call: ClockCall): RuleFinding | undefined {
  const view = context.tasks.find(({ task }) => task.id === call.task);
  const what = reached(call, view?.task);
  const text = context.text(call.at.file) ?? '';
  if (what === undefined || isFallback(text, call.at)) return undefined;
  if (call.flowsInto !== 'sql' && (isAuditLine(text, call.at) || isMessage(text, call.at))) return undefined;
  const subject = `${call.task ?? context.pipeline.id} clock ${call.at.start}`;
  const roles = call.flowsInto === 'sql' && view !== undefined ? pythonRoles(context, view, call.name) : [];
  if (roles.length > 0 && !roles.includes('filter') && !roles.includes('slice')) {
    if (!roles.includes('audit')) return undefined;
    return { at: call.at, severity: 'hint', message: auditMessage('A column'), subject };
  }
  return {
    at: call.at,
    severity: call.flowsInto === 'argument' ? 'warning' : 'error',
    message: `${call.name} gives the time of the run (or of the parse), not of the interval: it reaches ${what}${view ? ` of task "${view.task.name}"` : ''}, so a rerun of a past interval works on other rows.`,
    subject,
  };
}

/** `logical_date or datetime.now()`, `… else now()`, `conf.get("day", now())`: taken only where the run is given none. */
function isFallback(text: string, at: SourceSpan): boolean {
  const before = text.slice(Math.max(0, at.start - 300), at.start);
  if (/(?:\b(?:or|else)\s*\(*|\.get\(\s*["']\w+["']\s*,)\s*$/.test(before)) return true;
  return /(^|\n)[ \t]*(else|if\s+not\s+\w+|if\s+\w+\s+is\s+None(?:\s+(?:or|and)\s+\w+\s+is\s+None)*)\s*:[^\n]*\n[^\n]*$/.test(
    before,
  );
}

/** Part of what a command prints, sends or notes: `git commit -m "…"`, `echo …` that goes into no file, `--subject`. */
function isMessage(text: string, at: SourceSpan): boolean {
  const before = text.slice(Math.max(0, at.start - 300), at.start);
  const [behind = ''] = text.slice(at.end).split(/[\r\n;&|]/, 1);
  if (/\b(?:echo|printf|logger)\b[^\r\n;&|]*$/.test(before)) return !behind.includes('>');
  return /(?:\bgit\b[^\r\n;&|]*\s(?:-\w*m|--message)|\s--(?:message|subject|comment|description|title))[\s=]+["'\\]*[^"'\r\n]*$/.test(
    before,
  );
}

/** The column is left out of the row checksum, as the hint would advise. */
const isDeclaredVolatile = (context: LintContext, task: TaskView, { view, column }: ClockUse): boolean =>
  column !== undefined &&
  (context.factsOf(task)?.writes ?? []).some(
    ({ table, volatile }) =>
      volatile?.some((declared) => declared.toLowerCase() === column) === true &&
      view.statement.targets.some((target) => sameTable(tableKey(view, target), table)),
  );

/** The line names what it sets: when something was loaded, written or started. */
function isAuditLine(text: string, at: SourceSpan): boolean {
  const line = text.slice(text.lastIndexOf('\n', at.start) + 1, at.start);
  return /(?<![?&]\w*)(load|insert|creat|updat|process|ingest|import|extract|run|start|end|finish|execut|sync|etl)\w*_?(at|ts|time|timestamp|datetime|date)\b["'\]]*\s*[:=]/i.test(
    line,
  );
}

/** What the clock values of Python do in the SQL of the task, where that could be read. */
const pythonRoles = (context: LintContext, task: TaskView, callee: string): readonly ClockUse['role'][] =>
  task.statements
    .flatMap((view) => [...clockUses(context, task, view)])
    .filter((use) => use.python && use.callee === callee)
    .map((use) => (use.role === 'audit' && isDeclaredVolatile(context, task, use) ? 'record' : use.role));

/**
 * Arguments by which an operator hands data, or the range of data, to code that is not read. The arguments of a Python
 * callable are not among them: what it does with them is read.
 */
const dataArgument =
  /^(bash_command|cmds?|command|arguments|args|application_args|script_args|script_options|job_args|params|parameters|query_params|conf|configuration|env|env_vars|environment|templates_dict|data|payload|body|endpoint|source_objects|overrides|notebook_params|python_params|spark_submit_parameters)$/;

/** Operators that put an object somewhere, and the argument that is its content. */
const storing = /CreateObject|Upload|PutObject/;
const stored = /^(?:data|body|payload)$/;

/** What a clock call of the file decides, in words; `undefined` where it decides nothing that is known. */
function reached({ flowsInto, at }: ClockCall, task: Task | undefined): string | undefined {
  if (flowsInto === 'sql') return 'the SQL';
  if (flowsInto === 'path') return 'a path';
  if (flowsInto !== 'argument') return undefined;
  const argument = task?.arguments.find(
    ({ name, value, valueAt }) =>
      dataArgument.test(name) &&
      !(task !== undefined && storing.test(task.operator) && stored.test(name)) &&
      (value.kind === 'clock' || (valueAt.file === at.file && valueAt.start <= at.start && at.end <= valueAt.end)),
  );
  return argument && `the argument ${argument.name}`;
}

function sqlFinding(context: LintContext, task: TaskView, first: ClockUse, all: readonly ClockUse[]): RuleFinding {
  const fix = intervalFix(context, task, all);
  return {
    at: placeOf(first.view, first.span),
    severity: first.looksBack || first.isFetched ? 'warning' : 'error',
    message: `${sourceText(first.view, first.span)} ${sqlMessage(first)}`,
    subject: `${task.task.id} sql clock`,
    restsOn: all.map(({ view }) => view),
    related: all.slice(1).map((use) => ({ message: 'the clock again', at: placeOf(use.view, use.span) })),
    fixes: fix ? [fix] : [],
  };
}

function sqlMessage({ role, isFetched, looksBack, column, view }: ClockUse): string {
  if (isFetched) return 'decides which rows are fetched, so a rerun of a past interval works on other rows.';
  if (looksBack)
    return `says how far back ${view.statement.target?.name ?? 'the table'} is asked for rows that are there, so a rerun later than that adds them again.`;
  return role === 'filter'
    ? 'filters by the clock, so a rerun of a past interval works on other rows.'
    : `takes ${column ?? 'its slice'} from the clock, so a rerun of a past interval puts its rows under the time of the rerun.`;
}

function auditFinding(task: TaskView, first: ClockUse, all: readonly ClockUse[]): RuleFinding {
  return {
    at: placeOf(first.view, first.span),
    severity: 'hint',
    message: first.isReckoned ? reckonedMessage(first.column) : auditMessage(first.column ?? 'This column'),
    subject: `${task.task.id} audit clock`,
    restsOn: all.map(({ view }) => view),
    related: all.slice(1).map((use) => ({ message: 'the clock again', at: placeOf(use.view, use.span) })),
  };
}

const auditMessage = (column: string): string =>
  `${column} tells when the row was written, so it differs after every run; list it as volatile in backfill.yaml to leave it out of the row checksum.`;

const reckonedMessage = (column: string | undefined): string =>
  `${column ?? 'This value'} is reckoned from the clock, so a rerun at another time may give another value; reckon it from the end of the interval, or list it as volatile in backfill.yaml.`;

/** A run on schedule starts when its interval has ended, so the end of the interval is what its clock would show. */
function intervalFix(context: LintContext, { pipeline }: TaskView, uses: readonly ClockUse[]): Fix | undefined {
  const schedule = pipeline.schedule.value;
  if (schedule.kind !== 'cron' && schedule.kind !== 'delta') return undefined;
  if (schedule.intervals === 'zero-width') return undefined;
  const edits = uses.map((use) => {
    const bound = boundFor(use);
    return bound === undefined ? undefined : editSql(context, use.view, [{ ...use.span, newText: bound }]);
  });
  if (edits.some((edit) => edit === undefined)) return undefined;
  return {
    title: 'Use the end of the data interval instead of the clock',
    edits: edits.flatMap((edit) => edit ?? []),
    preferred: true,
  };
}

function boundFor({ view, span, name }: ClockUse): string | undefined {
  if (/^(current_date|curdate|today)$/.test(name)) return "DATE '{{ data_interval_end | ds }}'";
  const zoned = ['postgres', 'redshift', 'duckdb', 'ansi'].includes(view.sql.dialect);
  if (zoned && /^(now|current_timestamp)$/.test(name) && isWholeCall(sourceText(view, span))) {
    return "TIMESTAMPTZ '{{ data_interval_end }}'";
  }
  return undefined;
}

const isWholeCall = (text: string): boolean => /^\w+(\s*\(\s*\))?$/.test(text);

export default {
  id: 'wall-clock',
  severity: 'error',
  summary: 'The clock of the machine decides which rows, slice or path',
  help: 'Use the bounds of the data interval: `{{ ds }}`, `{{ data_interval_start }}`, `{{ data_interval_end }}`; a load timestamp may stay if it is declared volatile.',
  supersedes: [],
  provable: 'second run',
  check,
} satisfies Rule;
