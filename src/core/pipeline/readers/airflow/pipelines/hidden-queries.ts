import { withoutLeadingComments } from '../../../../sql/lex/leading-comments.ts';
import { isInComment } from '../../../../sql/statements/is-in-comment.ts';
import type { Hole } from '../../../../template/mask/masked-text.ts';
import { locate } from '../../../../text/mapped-text.ts';
import type { TaskSql } from '../../../model/model.ts';
import type { Unread } from '../../../model/table-access.ts';

/**
 * Statements that only the run knows: whole ones (`{{ params.query }}`), and those whose table is written out and whose query is put
 * in: `INSERT INTO t {query}`.
 */
export const hiddenQueries = (sql: readonly TaskSql[]): Unread[] => [
  ...sql.flatMap(hiddenStatements),
  ...queriesPutIn(sql),
];

/** Templates that stand where a statement begins. */
function hiddenStatements({ source, reading, masked, dialect }: TaskSql): Unread[] {
  return masked.holes.flatMap((hole): Unread[] => {
    const before = masked.text.slice(0, hole.start);
    const isRead = reading.statements.some(
      ({ kind, start, end }) => kind !== 'other' && start <= hole.start && hole.end <= end,
    );
    if (hole.origin !== 'template' || hole.quoted || hole.value.kind === 'literal' || isRead) return [];
    if (withoutLeadingComments(before.slice(before.lastIndexOf(';') + 1)).trim() !== '') return [];
    if (isInComment(masked, hole, dialect)) return [];
    const at = locate(source, hole);
    return at === undefined
      ? []
      : [{ hides: 'statement', reason: `the SQL is what {{ ${short(hole.source)} }} gives`, at }];
  });
}

const short = (text: string): string => {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 57)}…` : line;
};

function queriesPutIn(sql: readonly TaskSql[]): Unread[] {
  return sql.flatMap(({ source, reading, masked, pythonHoles }) =>
    reading.statements.flatMap(({ kind, query, valueRows, start, end, target }): Unread[] => {
      const makesRows = kind === 'insert' || kind === 'insert_overwrite' || kind.startsWith('create_');
      if (!makesRows || query !== undefined || valueRows > 0 || target === undefined) return [];
      const all: readonly Hole[] = [...pythonHoles, ...masked.holes.filter(({ origin }) => origin === 'template')];
      const hole = all.find(
        (one) => one.start >= target.end && one.end <= end && standsForQuery(source.text, one, start, kind),
      );
      const at = hole && locate(source, hole);
      if (hole === undefined || at === undefined || hole.value.kind === 'literal' || hole.value.kind === 'time')
        return [];
      return [
        {
          hides: 'statement',
          reason: `which tables it reads for ${target.name} is not known, as its query is ${hole.source}`,
          at,
        },
      ];
    }),
  );
}

/** A part that is put in where a query must begin. */
function standsForQuery(text: string, hole: Hole, start: number, kind: string): boolean {
  const before = text.slice(start, hole.start);
  if (kind.startsWith('create_')) return /\bas\s*\(?\s*$/i.test(before);
  return /^\s*insert\s+(?:into|overwrite)\s+(?:table\s+)?[^\s(]+\s*(?:\([^()]*\))?\s*\(?\s*$/i.test(before);
}
