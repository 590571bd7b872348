import type { SourceSpan, Span, TextEdit } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { insertGuard } from '../../reruns/insert-guard.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
} from '../../source/statement-view.ts';

/** A second run loads files that are there once more, because it is told to forget that they were loaded. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const found = forced(view);
      const { target } = view.statement;
      if (found === undefined || target === undefined || isEmptied(context, task, view)) continue;
      const edits = editSql(context, view, [{ start: found.from, end: found.end, newText: '' }]);
      yield {
        at: placeOf(view, found),
        message: messageFor(tableLabel(view, target)),
        subject: `${task.task.id} forces ${tableKey(view, target)}`,
        fixes: fixOf(edits),
      };
    }
    yield* options(context, task);
  }
}

const messageFor = (table: string): string =>
  `Every run loads every file into ${table} again, because FORCE sets aside which files the table has loaded.`;

const fixOf = (edits: readonly TextEdit[] | undefined) =>
  edits === undefined ? [] : [{ title: 'Leave FORCE out', edits, preferred: true }];

interface Forced extends Span {
  /** Where the white space before it begins. */
  readonly from: number;
}

/** `FORCE = TRUE` of Snowflake, `COPY_OPTIONS ('force' = 'true')` of Databricks, behind COPY INTO a table. */
function forced(view: StatementView): Forced | undefined {
  const text = sourceText(view, view.statement);
  if (!/^\s*copy\s+into\b/i.test(text)) return undefined;
  const match = /(\s*)(\bforce\s*=\s*true\b|(["'])force\3\s*=\s*(["'])true\4)/i.exec(text);
  if (match === null) return undefined;
  const from = view.statement.start + match.index;
  const start = from + (match[1] ?? '').length;
  return { from, start, end: from + match[0].length };
}

/** Where the run empties the table first, loading every file is what it is for. */
function isEmptied(context: LintContext, task: TaskView, view: StatementView): boolean {
  const { target } = view.statement;
  return target !== undefined && insertGuard(context, task, view, tableKey(view, target))?.kind === 'sure';
}

/** The same as an argument: `copy_options="FORCE = TRUE"`, `force_copy=True`. */
function* options(context: LintContext, { task }: TaskView): Generator<RuleFinding> {
  if (!/Snowflake|Databricks/.test(task.operator)) return;
  for (const { name, at, valueAt, value } of task.arguments) {
    const forces =
      (name === 'copy_options' && /\bforce\b["']?\s*[:=]\s*["']?true\b/i.test(textAt(context, valueAt))) ||
      (name === 'force_copy' && value.kind === 'literal' && value.value === true);
    if (forces)
      yield {
        at,
        message: messageFor(tableOf(context, task.arguments.find(isTable)?.valueAt)),
        subject: `${task.id} forces`,
      };
  }
}

const isTable = ({ name }: { readonly name: string }): boolean => name === 'table' || name === 'table_name';

const tableOf = (context: LintContext, at: SourceSpan | undefined): string =>
  (at && textAt(context, at).replace(/["']/g, '')) || 'its table';

export default {
  id: 'copy-force',
  severity: 'error',
  summary: 'COPY that is told to load files which the table has loaded',
  help: 'Leave FORCE out: the engine remembers the files of a table; to load one again, delete its rows in the same run.',
  supersedes: ['append-write'],
  provable: 'second run',
  check,
} satisfies Rule;
