import type { Token } from '../../sql/lex/token.ts';
import type { Span } from '../../text/span.ts';
import { cutAt, isMark, isName, isWord } from './tokens.ts';

export interface RoutineParameter {
  /** Empty where it has none. */
  readonly name: string;
  readonly type: string;
  /** The call gets a value from it and gives none. */
  readonly isOut: boolean;
  readonly default: Span | undefined;
}

const modes = new Set(['in', 'out', 'inout', 'variadic']);
/** First words of types that have two. */
const longTypes = new Set(['double', 'character', 'timestamp', 'time', 'bit', 'interval', 'national', 'long']);

/** What stands between the brackets behind the name of CREATE FUNCTION and CREATE PROCEDURE, in any dialect. */
export const readParameters = (tokens: readonly Token[], text: string): readonly RoutineParameter[] =>
  cutAt(tokens, ',').flatMap((own) => {
    let rest = [...own];
    let isOut = false;
    const takeMode = (): void => {
      const [first] = rest;
      if (first?.kind !== 'word' || !modes.has(first.text) || rest.length < 2) return;
      isOut = first.text === 'out';
      rest = rest.slice(1);
    };
    takeMode();
    const [first, second] = rest;
    if (first === undefined) return [];
    const isNamed =
      isName(first) &&
      isName(second) &&
      !(longTypes.has(first.text) && isWord(second, 'precision', 'varying', 'with', 'without'));
    if (isNamed) rest = rest.slice(1);
    takeMode();
    const given = rest.findIndex((here) => isWord(here, 'default') || isMark(here, '=') || isMark(here, ':='));
    const typed = given < 0 ? rest : rest.slice(0, given);
    const [from, to, fill] = [typed[0], typed.at(-1), given < 0 ? undefined : rest[given + 1]];
    const last = rest.at(-1);
    return [
      {
        name: isNamed ? first.text : '',
        type: from === undefined || to === undefined ? '' : text.slice(from.start, to.end),
        isOut,
        default: fill === undefined || last === undefined ? undefined : { start: fill.start, end: last.end },
      },
    ];
  });
