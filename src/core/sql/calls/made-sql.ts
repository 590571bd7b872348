import type { MaskedText } from '../../template/mask/masked-text.ts';
import type { Span } from '../../text/span.ts';
import { lexInside } from '../lex/lex-inside.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';
import type { Statement } from '../model/statement.ts';
import { runsOfMadeSql } from './makes-sql.ts';

/**
 * Where a statement runs SQL that it makes, in the body of a DO or by EXECUTE IMMEDIATE, and that is not read: each from
 * its EXECUTE to the end. Texts that touch no rows, by their first words, are left out.
 */
export function madeSql(masked: MaskedText, dialect: DialectName, statement: Statement): readonly Span[] {
  const { kind, start, end, body } = statement;
  const isImmediate = kind === 'other' && /^execute\s+immediate\b/i.test(masked.text.slice(start, end));
  if (kind !== 'do' && !isImmediate) return [];
  const whole = lex(masked, dialect).tokens.filter((here) => start <= here.start && here.end <= end);
  const quoted = whole.find((here) => here.content !== undefined);
  const tokens =
    isImmediate || quoted?.content === undefined
      ? whole
      : lexInside(masked, quoted.content, masked.text[quoted.start] !== '$', dialect);
  const read = isImmediate ? (body.length > 0 ? [statement] : []) : body.filter((inner) => inner.body.length > 0);
  return runsOfMadeSql(tokens).flatMap((at) => {
    const here = tokens[at] as Token;
    const isRead = read.some((inner) => inner.start <= here.start && here.start < inner.end);
    const behind = tokens.slice(at + 1);
    const close = behind.findIndex(({ kind: one, text }) => one === 'terminator' || text === ';' || text === 'loop');
    const said = close === -1 ? behind : behind.slice(0, close);
    if (isRead || touchesNoRows(said)) return [];
    return [{ start: here.start, end: said.at(-1)?.end ?? here.end }];
  });
}

/** By the first piece of the text, where that is a constant. */
function touchesNoRows(tokens: readonly Token[]): boolean {
  const first = tokens.findIndex(({ kind, text }) => !(text === '(' || (kind === 'word' && openers.has(text))));
  const piece = tokens[first];
  return (piece?.kind === 'string' || piece?.kind === 'template-string') && aside.test(piece.text);
}

const openers = new Set(['immediate', 'format', 'concat']);

const aside =
  /^\s*(?:analy[sz]e|vacuum|set|reset|grant|revoke|comment\s+on|lock|notify|listen|unlisten|reindex|cluster|create\s+(?:unique\s+)?index|create\s+schema|create\s+table\s[^;]*\spartition\s+of)\b/i;
