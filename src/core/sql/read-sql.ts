import type { MaskedText } from '../template/mask/masked-text.ts';
import type { AstReader } from './ast/ast-reader.ts';
import { lex } from './lex/lexer.ts';
import type { DialectName } from './model/dialect-name.ts';
import type { SqlReading, Statement, Trust } from './model/statement.ts';
import { openCursor } from './parse/cursor.ts';
import { readExpression } from './parse/expressions/read-expression.ts';
import { readQuery } from './parse/queries/read-query.ts';
import { splitScript } from './script/split-script.ts';
import { followControlFlow } from './statements/control-flow.ts';
import { readStatement, readStatementInside } from './statements/read-statement.ts';

const grammar = { expression: readExpression, query: readQuery, statement: readStatementInside };

/**
 * Reads every statement of a masked text from its tokens. Synchronous, never throws; offsets are UTF-16 in the unmasked
 * text. Statements are in source order; what is not understood is missing from a statement, and a broken statement
 * leaves its neighbours alone. With `ast`, `trust` of a statement is a second opinion that is asked for when its
 * answer is first read, and costs nothing before; without, it is `full`.
 */
export function readSql(masked: MaskedText, dialect: DialectName, ast?: AstReader): SqlReading {
  const { tokens, problems, clientCommands } = lex(masked, dialect);
  const match = new Int32Array(tokens.length);
  const statements = followControlFlow(tokens, splitScript(tokens, dialect)).map(({ range, conditional }) => {
    const alone = readStatement(openCursor(grammar, tokens, range, dialect, masked, match));
    const statement = conditional ? { ...alone, conditional } : alone;
    return ast === undefined ? statement : withSecondOpinion(statement, masked, dialect, ast);
  });
  return {
    statements,
    problems: masked.problem === undefined ? problems : [masked.problem, ...problems],
    ...(clientCommands.length === 0 ? {} : { clientCommands }),
  };
}

const withSecondOpinion = (
  statement: Statement,
  masked: MaskedText,
  dialect: DialectName,
  ast: AstReader,
): Statement => ({
  ...statement,
  trust: new SecondOpinion(() => ast.trustOf(statement, masked.text.slice(statement.start, statement.end), dialect)),
});

/** Without own properties, so that statements of the same text are equal whether or not it was asked for. */
class SecondOpinion {
  readonly #ask: () => Trust;
  #answer: Trust | undefined;

  constructor(ask: () => Trust) {
    this.#ask = ask;
  }

  get answer(): Trust {
    this.#answer ??= this.#ask();
    return this.#answer;
  }
}
