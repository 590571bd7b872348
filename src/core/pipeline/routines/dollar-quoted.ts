import { lex } from '../../sql/lex/lexer.ts';
import type { Token } from '../../sql/lex/token.ts';
import { makeTaskSql } from '../model/make-task-sql.ts';
import type { TaskSql } from '../model/model.ts';
import { joined, madeUp, partOf, type TextPart } from './text-part.ts';
import { isWord } from './tokens.ts';

/**
 * The text with each routine's body that stands between plain quotes (`AS 'DELETE … ''web'' …'`) between dollars, each
 * place of it as it was: what a call gives can be put into such a body as it is. `undefined` where there is none.
 */
export function dollarQuoted(sql: TaskSql): TaskSql | undefined {
  const { source, dialect, origin, environment, masked, reading } = sql;
  const made = reading.statements.filter(({ kind }) => kind === 'create_procedure');
  const { tokens } = lex(masked, dialect);
  const bodies = tokens.filter((here, index) => {
    const isBody = here.kind === 'string' && here.content !== undefined && isWord(tokens[index - 1], 'as');
    return (
      isBody && masked.text[here.start] === "'" && made.some(({ start, end }) => start <= here.start && here.end <= end)
    );
  });
  if (bodies.length === 0) return undefined;
  const tag = unusedTag(source.text);
  const parts: TextPart[] = [];
  let at = 0;
  for (const body of bodies) {
    parts.push(partOf(sql, { start: at, end: body.start }), madeUp(tag), ...unescaped(sql, body), madeUp(tag));
    at = body.end;
  }
  parts.push(partOf(sql, { start: at, end: source.text.length }));
  const { text, pieces, holes } = joined(parts);
  return makeTaskSql({ text, pieces }, holes, dialect, origin, { environment });
}

/** What stands between the quotes, of each doubled one only the first. */
function unescaped(sql: TaskSql, { start, end }: Token): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = start + 1;
  for (const { index } of sql.source.text.slice(start + 1, end - 1).matchAll(/''/g)) {
    const quote = start + 1 + index;
    parts.push(partOf(sql, { start: from, end: quote + 1 }));
    from = quote + 2;
  }
  return [...parts, partOf(sql, { start: from, end: end - 1 })];
}

function unusedTag(text: string): string {
  for (let number = 0; ; number++) {
    const tag = number === 0 ? '$$' : `$b${number}$`;
    if (!text.includes(tag)) return tag;
  }
}
