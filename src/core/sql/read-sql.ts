import type { MaskedText } from '../template/masked-text.ts';
import type { DialectName } from './dialect-name.ts';
import { lex } from './lex/lexer.ts';
import { split } from './lex/split.ts';
import { openCursor } from './parse/cursor.ts';
import type { SqlReading } from './statement.ts';
import { readStatement } from './statements/read-statement.ts';

/**
 * Reads every statement of a masked text from its tokens. Synchronous, never throws; offsets are UTF-16 in the unmasked
 * text. Statements are in source order; what is not understood is missing from a statement, and a broken statement
 * leaves its neighbours alone.
 */
export function readSql(masked: MaskedText, dialect: DialectName): SqlReading {
  const { tokens, problems } = lex(masked, dialect);
  const match = new Int32Array(tokens.length);
  const statements = split(tokens, dialect).map((range) =>
    readStatement(openCursor(tokens, range, dialect, masked, match)),
  );
  return { statements, problems: masked.problem === undefined ? problems : [masked.problem, ...problems] };
}
