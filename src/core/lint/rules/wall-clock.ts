import { type ClockUse, clockUses } from '../clock-use.ts';
import type { Fix } from '../finding.ts';
import type { LintContext, TaskView } from '../lint-context.ts';
import type { Rule, RuleFinding } from '../rule.ts';
import { editSql } from '../sql-edit.ts';
import { placeOf, sourceText } from '../statement-view.ts';

function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    const uses = task.statements.flatMap((view) => [...clockUses(context, task, view)]);
    const moves = uses.filter((use) => use.role !== 'audit');
    const [first] = moves;
    if (first !== undefined) yield sqlFinding(context, task, first, moves);
    const audit = uses.filter((use) => use.role === 'audit');
    if (audit[0] !== undefined) yield auditFinding(task, audit[0], audit);
  }
  for (const pipeline of context.facts.pipelines) {
    for (const call of pipeline.clockCalls) {
      const what = pythonUses[call.flowsInto];
      if (what === undefined) continue;
      const task = call.task === undefined ? undefined : context.facts.tasks.get(call.task)?.task;
      yield {
        at: call.at,
        severity: call.flowsInto === 'argument' ? 'warning' : 'error',
        message: `${call.name} gives the time of the run (or of the parse), not of the interval: it reaches ${what}${task ? ` of task "${task.name}"` : ''}, so a rerun of a past interval works on other rows.`,
        subject: `${call.task ?? pipeline.id} clock ${call.at.start}`,
      };
    }
  }
}

const pythonUses: Readonly<Record<string, string | undefined>> = {
  sql: 'the SQL',
  path: 'a path',
  argument: 'an argument',
};

function sqlFinding(context: LintContext, task: TaskView, first: ClockUse, all: readonly ClockUse[]): RuleFinding {
  const fix = intervalFix(context, task, all);
  const where =
    first.role === 'filter' ? 'filters by the clock' : `takes ${first.column ?? 'its slice'} from the clock`;
  return {
    at: placeOf(first.view, first.span),
    message: `${sourceText(first.view, first.span)} ${where}, so a rerun of a past interval works on the rows of today instead.`,
    subject: `${task.task.id} sql clock`,
    related: all.slice(1).map((use) => ({ message: 'the clock again', at: placeOf(use.view, use.span) })),
    fixes: fix ? [fix] : [],
  };
}

function auditFinding(task: TaskView, first: ClockUse, all: readonly ClockUse[]): RuleFinding {
  return {
    at: placeOf(first.view, first.span),
    severity: 'hint',
    message: `${first.column ?? 'This column'} tells when the row was written, so it differs after every run; leave it out of the row checksum (volatile in backfill.yaml).`,
    subject: `${task.task.id} audit clock`,
    related: all.slice(1).map((use) => ({ message: 'the clock again', at: placeOf(use.view, use.span) })),
  };
}

/** A run on schedule starts when its interval has ended, so the end of the interval is what its clock would show. */
function intervalFix(context: LintContext, { pipeline }: TaskView, uses: readonly ClockUse[]): Fix | undefined {
  const schedule = pipeline.schedule.value;
  if (pipeline.format !== 'airflow' || (schedule.kind !== 'cron' && schedule.kind !== 'delta')) return undefined;
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
  help: 'Use the bounds of the data interval: `{{ ds }}`, `{{ data_interval_start }}`, `{{ data_interval_end }}`.',
  supersedes: [],
  check,
} satisfies Rule;
