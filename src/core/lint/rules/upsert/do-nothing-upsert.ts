import { isEventTimeColumn, isJournalName, isStagingName } from '../../../lineage/facts/table-roles.ts';
import type { MergeBranch } from '../../../sql/model/statement.ts';
import { intervalColumns } from '../../bounds/interval-columns.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { empties } from '../../reruns/insert-guard.ts';
import { keyMadeAnew } from '../../reruns/table-guard.ts';
import {
  placeOf,
  type StatementView,
  sourceText,
  type TaskView,
  tableKey,
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run changes nothing, so that a correction of rows that are there never lands. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const view of task.statements) {
      const { target, conflict } = view.statement;
      if (target === undefined) continue;
      const key = tableKey(view, target);
      const mark = conflict?.action === 'nothing' ? conflict : insertOnlyBranch(view)?.actionSpan;
      if (mark === undefined || isJournalName(key) || isStagingName(key)) continue;
      if (keyMadeAnew(context, view, key) !== undefined) continue;
      if (!carriesCorrections(context, view, key) || emptiedBefore(context, task, view, key)) continue;
      const eventKey = keyOf(context, view, key).some(
        (column) => isEventTimeColumn(column) || intervalColumns(view).has(column),
      );
      const fix = updateFix(context, view);
      const isUnknown = meetsUnknownKey(context, view, key);
      const isLink = isUnknown && isOnlyKey(view);
      yield {
        at: placeOf(view, mark),
        severity: eventKey || isLink ? 'info' : 'warning',
        message: isLink
          ? `Nothing here tells which key ${tableLabel(view, target)} has: of a second run, rows that meet none come again.`
          : isUnknown
            ? `A second run leaves rows of ${tableLabel(view, target)} that meet a key of it as they are, so a corrected row never lands. Which key that is, nothing here tells: rows that meet none come again.`
            : `A second run leaves rows of ${tableLabel(view, target)} that are there as they are, so a corrected row never lands.`,
        subject: writeSubject(view, key),
        restsOn: [view],
        fixes: fix ? [fix] : [],
      };
    }
  }
}

/** A row of one value, or of nothing but identifiers, has nothing that could be corrected. */
const isOnlyKey = ({ statement: { columns } }: StatementView): boolean =>
  columns.length === 1 || (columns.length > 0 && columns.every((name) => /(?:^|_)(?:id|uuid|guid|key)$/.test(name)));

/** `ON CONFLICT DO NOTHING` on a table whose keys nobody has said. */
const meetsUnknownKey = (context: LintContext, { statement: { conflict } }: StatementView, key: string): boolean =>
  conflict !== undefined &&
  conflict.key.length === 0 &&
  conflict.constraint === undefined &&
  (context.table(key)?.keys ?? []).length === 0;

/** The INSERT of a MERGE that never updates nor deletes; `ON FALSE` is no upsert but a plain replacement. */
function insertOnlyBranch({ statement, sql }: StatementView): MergeBranch | undefined {
  if (statement.kind !== 'merge') return undefined;
  const acts = statement.branches.filter((branch) => branch.action !== 'nothing');
  if (acts.some((branch) => branch.action !== 'insert')) return undefined;
  const onFalse = statement.on.some((conjunct) =>
    /^\(*\s*(false|1\s*=\s*0|1\s*=\s*2)\s*\)*$/i.test(sql.source.text.slice(conjunct.start, conjunct.end)),
  );
  return onFalse ? undefined : acts[0];
}

/** Columns of the conflict or of the MERGE condition; the table's own key when the statement names none. */
function keyOf(context: LintContext, { statement }: StatementView, key: string): readonly string[] {
  if (statement.conflict && statement.conflict.key.length > 0) return statement.conflict.key;
  if (statement.kind === 'merge') {
    return statement.on.flatMap((conjunct) =>
      conjunct.kind === 'binary' && conjunct.operator === '='
        ? [conjunct.left, conjunct.right].flatMap((side) => (side.kind === 'column' ? [side.name] : []))
        : [],
    );
  }
  return context.table(key)?.keys[0] ?? [];
}

/** Constant rows never change, and a row that consists of its key has nothing to correct. */
function carriesCorrections(context: LintContext, view: StatementView, key: string): boolean {
  const { statement } = view;
  const values = statement.values;
  if (statement.query === undefined && values.length > 0 && values.every((value) => value.kind === 'literal'))
    return false;
  const branchColumns =
    statement.kind === 'merge' ? undefined : statement.columns.length > 0 ? statement.columns : statement.outputColumns;
  const columns = new Set(keyOf(context, view, key));
  if (branchColumns === undefined || branchColumns.length === 0 || columns.size === 0) return true;
  return branchColumns.some((column) => column === undefined || !columns.has(column));
}

const emptiedBefore = (context: LintContext, task: TaskView, view: StatementView, key: string): boolean =>
  task.statements.some((other) => other.order < view.order && empties(other, key)) ||
  context.runEarlier(task, key).some((other) => empties(other, key));

function updateFix(context: LintContext, view: StatementView): Fix | undefined {
  const { conflict, columns } = view.statement;
  if (conflict?.action !== 'nothing' || conflict.key.length === 0) return undefined;
  if (!/^do\s+nothing$/i.test(sourceText(view, conflict))) return undefined;
  const rest = columns.filter((column) => !conflict.key.includes(column));
  // Names are kept lower case and without quotes; one that needs quotes could not be written back safely.
  if (rest.length === 0 || columns.some((column) => !/^[a-z_][a-z0-9_]*$/.test(column))) return undefined;
  const set = rest.map((column) => `${column} = EXCLUDED.${column}`).join(', ');
  const edits = editSql(context, view, [{ start: conflict.start, end: conflict.end, newText: `DO UPDATE SET ${set}` }]);
  return edits && { title: 'Take over the corrected columns: DO UPDATE', edits, preferred: true };
}

export default {
  id: 'do-nothing-upsert',
  severity: 'warning',
  summary: 'An upsert that ignores rows which are already there',
  help: 'Use DO UPDATE (or an UPDATE branch) so that a rerun repairs the rows that it finds.',
  supersedes: [],
  provable: 'clean run',
  check,
} satisfies Rule;
