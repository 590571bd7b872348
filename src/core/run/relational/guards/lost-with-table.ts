import { quoteTableName } from '../../../warehouse/dialects/postgres/quote.ts';
import { attachedSql } from '../../../warehouse/dialects/postgres/slice/attached-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { Target } from '../../tables/target.ts';

const mostNamed = 5;

/** What others have put on the tables of a unit (views, foreign keys, rights), in words. */
export async function attachedTo(session: Session, targets: readonly Target[]): Promise<readonly string[]> {
  const names = [...new Set(targets.map(({ qualified }) => quoteTableName(qualified)))];
  const { rows } = await session.query(attachedSql, [`{${names.map((name) => JSON.stringify(name)).join(',')}}`]);
  return rows.map(([what]) => String(what));
}

/** Says what went with a table that the task dropped or made anew; an undo puts back rows, and none of it. */
export function lostWithTable(before: readonly string[], after: readonly string[]): string | undefined {
  const there = new Set(after);
  const lost = before.filter((what) => !there.has(what));
  if (lost.length === 0) return undefined;
  const more = lost.length > mostNamed ? ` and ${lost.length - mostNamed} more` : '';
  return (
    `The task drops or makes its table anew, and takes away with it ${lost.slice(0, mostNamed).join(', ')}${more}: ` +
    'make it again after the run (an undo puts back rows only), or let the task empty the table instead (TRUNCATE, DELETE).'
  );
}
