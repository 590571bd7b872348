import { attachedSql } from '../../../warehouse/dialects/postgres/effects/attached-sql.ts';
import { quoteTableName } from '../../../warehouse/dialects/postgres/quote.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { Target } from '../../tables/target.ts';

const mostNamed = 12;

export interface Attached {
  /** The tables that are there, by oid: one that is made anew has another. */
  readonly tables: readonly string[];
  /** What others have put on them (views, foreign keys, rights), in words. */
  readonly things: readonly string[];
}

export async function attachedTo(session: Session, targets: readonly Target[]): Promise<Attached> {
  const names = [...new Set(targets.map(({ qualified }) => quoteTableName(qualified)))];
  const { rows } = await session.query(attachedSql, [`{${names.map((name) => JSON.stringify(name)).join(',')}}`]);
  return {
    tables: rows.flatMap(([oid]) => (oid === null || oid === undefined ? [] : [String(oid)])),
    things: rows.flatMap(([oid, what]) => (oid === null || oid === undefined ? [String(what)] : [])),
  };
}

/** What went with a table that the task dropped or made anew, in words. */
export function lostWithTable(before: Attached, after: Attached): readonly string[] {
  const there = new Set(after.things);
  // Of a table that stays, the task has taken away itself what is gone.
  return before.tables.every((oid) => after.tables.includes(oid))
    ? []
    : before.things.filter((what) => !there.has(what));
}

/** An undo puts back rows, and none of what is lost. */
export function lostInWords(lost: readonly string[]): string | undefined {
  if (lost.length === 0) return undefined;
  const more = lost.length > mostNamed ? ` and ${lost.length - mostNamed} more` : '';
  return (
    `The task drops or makes its table anew, and takes away with it ${lost.slice(0, mostNamed).join(', ')}${more}: ` +
    'make it again after the run (an undo puts back rows only), or let the task empty the table instead (TRUNCATE, DELETE).'
  );
}
