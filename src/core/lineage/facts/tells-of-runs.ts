import type { Statement } from '../../sql/model/statement.ts';
import type { MaskedText } from '../../template/mask/masked-text.ts';
import { isJournalName, mayBeJournalName, mayBeLogName } from './table-roles.ts';

/** Whether an INSERT adds a row about the run itself rather than data that is moved from table to table. */
export function tellsOfRuns(
  { reads, query, start, end }: Statement,
  { masked: { holes }, byRow }: { readonly masked: MaskedText; readonly byRow?: true },
  table: string,
): boolean {
  if (isJournalName(table)) return true;
  const namesRun = /\b(run_id|dag_run|task_instance|ti|dag_id|task_id|try_number)\b/.test(
    holes
      .filter((hole) => hole.start >= start && hole.end <= end)
      .map((hole) => hole.source)
      .join(' '),
  );
  // For each of some rows it is data that comes in, whatever process the table is called after.
  if (reads.length === 0) return namesRun || (byRow === true ? mayBeLogName(table) : mayBeJournalName(table));
  const oneRow =
    query !== undefined &&
    query.groupBy.length === 0 &&
    query.select.some(
      ({ expression }) => expression.kind === 'call' && expression.name === 'count' && expression.window === undefined,
    );
  return oneRow && (namesRun || mayBeJournalName(table));
}
