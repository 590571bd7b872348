import { isRetentionDelete } from '../../lineage/writes/retention-delete.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { escapePattern } from '../../text/escape-pattern.ts';
import { type StatementView, sourceText, writesTo } from '../source/statement-view.ts';

/** Whether what runs with a statement, in its WITH or its body, empties a table or updates it row by row. */
export function nestedDeletes(view: StatementView, key: string): boolean {
  const { modifying, body } = view.statement;
  const inside = [...modifying, ...body].map((statement): StatementView => ({ ...view, statement }));
  return (
    inside.some((one) => (deletes(one.statement) && writesTo(one, key)) || nestedDeletes(one, key)) ||
    deletesInText(view, key)
  );
}

const emptying: ReadonlySet<Statement['kind']> = new Set(['truncate', 'drop', 'create_table_as', 'update']);

const deletes = (statement: Statement): boolean =>
  emptying.has(statement.kind) || (statement.kind === 'delete' && !isRetentionDelete(statement));

const runsText = /\bexecute\b|\bsp_executesql\b|\bprepare\b/i;

/** A statement that is put together as it runs is no statement of the body, but its words are there. */
function deletesInText(view: StatementView, key: string): boolean {
  const { kind } = view.statement;
  if (kind !== 'do' && kind !== 'other') return false;
  const text = sourceText(view, view.statement);
  if (!runsText.test(text)) return false;
  return new RegExp(
    `\\b(delete\\s+from\\s+(only\\s+)?|truncate\\s+(table\\s+)?|update\\s+(only\\s+)?)${escapePattern(key)}($|[^\\w.])`,
    'i',
  ).test(text.replace(/["`]/g, ''));
}
