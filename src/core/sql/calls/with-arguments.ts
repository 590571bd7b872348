import type { MaskedText } from '../../template/mask/masked-text.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';

/** A parameter of a routine with what a call gives for it. */
export interface GivenArgument {
  /** Empty where it has none. */
  readonly name: string;
  readonly type: string;
  /** SQL of the caller; `undefined`: the call leaves it out. */
  readonly text: string | undefined;
}

/**
 * The body of a routine as it reads for one call: `$1` and names of parameters are what the call gives, cast to their
 * types. `columns`: names that mean columns of the tables it reads, and then no parameter.
 */
export function withArguments(
  body: string,
  routine: string,
  given: readonly GivenArgument[],
  columns: ReadonlySet<string>,
): string {
  const masked: MaskedText = { text: body, holes: [], tags: [], problem: undefined };
  const { tokens } = lex(masked, 'postgres');
  const own = routine.split('.').at(-1);
  // What stands before a dot is an alias, and then no parameter.
  const taken = new Set([
    ...columns,
    ...tokens.flatMap((token, index) => (isDot(tokens[index + 1]) && token.text !== own ? token.text : [])),
  ]);
  let result = '';
  let at = 0;
  for (const [index, token] of tokens.entries()) {
    const qualified = isDot(tokens[index - 1]);
    const ofRoutine = qualified && tokens[index - 2]?.text === own;
    const argument = given[argumentAt(token, given, qualified && !ofRoutine, taken)];
    if (argument?.text === undefined || isDot(tokens[index + 1])) continue;
    const from = ofRoutine ? (tokens[index - 2]?.start ?? token.start) : token.start;
    result += `${body.slice(at, from)}cast(${argument.text} as ${argument.type})`;
    at = token.end;
  }
  return result + body.slice(at);
}

function argumentAt(
  token: Token,
  given: readonly GivenArgument[],
  isColumn: boolean,
  taken: ReadonlySet<string>,
): number {
  if (token.kind === 'parameter') return /^\$\d+$/.test(token.text) ? Number(token.text.slice(1)) - 1 : -1;
  if ((token.kind !== 'word' && token.kind !== 'quoted') || isColumn || taken.has(token.text)) return -1;
  return given.findIndex(({ name }) => name !== '' && name === token.text);
}

const isDot = (token: Token | undefined): boolean => token?.kind === 'operator' && token.text === '.';
