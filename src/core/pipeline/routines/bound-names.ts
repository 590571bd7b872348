import type { Token } from '../../sql/lex/token.ts';
import { locate } from '../../text/mapped-text.ts';
import type { DefinedRoutine } from './defined-routines.ts';
import { routineNames } from './routine-names.ts';
import { joined, madeUp, partOf, placedAt, type TextPart, unknownPart } from './text-part.ts';
import { isMark, isName, isWord } from './tokens.ts';

/** What a name of a routine stands for in one call. */
interface Bound {
  readonly part: TextPart;
  /** The tokens that give it and the names that they were read with, where it is put together in the body. */
  readonly made: readonly Token[] | undefined;
}

/** Reads stretches of a routine's body with what one call gives for its parameters. */
export interface BoundNames {
  readonly read: (tokens: readonly Token[]) => readonly TextPart[];
  /** What a lone name is given by; `undefined` where it is none of the routine's own. */
  readonly meaning: (name: string) => Bound | undefined;
}

/** `given`: by position of the parameter; `undefined` where the call leaves it out. */
export function boundNames(
  routine: DefinedRoutine,
  body: readonly Token[],
  given: readonly (TextPart | undefined)[],
): BoundNames {
  const { sql, parameters, name: whole } = routine;
  const own = whole.split('.').at(-1);
  const names = routineNames(body, sql.dialect);
  const taken = takenNames(body, own);
  const bound = new Map<string, Bound>();
  const positions: TextPart[] = [];

  const unknown = (name: string): TextPart =>
    unknownPart(madeUp(name), `${name} of ${whole} is only known when the routine runs`);
  for (const [index, parameter] of parameters.entries()) {
    const value = given[index] ?? (parameter.default === undefined ? undefined : partOf(sql, parameter.default));
    const part =
      value === undefined || parameter.isOut || names.has(parameter.name)
        ? unknown(parameter.name === '' ? `$${index + 1}` : parameter.name)
        : typed(value, parameter.type);
    positions.push(part);
    if (parameter.name !== '') bound.set(parameter.name, { part, made: undefined });
  }

  const meaning = (name: string): Bound | undefined => {
    const known = bound.get(name);
    if (known !== undefined) return known;
    const variable = names.get(name);
    if (variable === undefined) return undefined;
    // A value that names itself is not known, and neither is what it goes through meanwhile.
    bound.set(name, { part: unknown(name), made: undefined });
    if (variable.value === undefined || variable.value.length === 0) return bound.get(name);
    const part = joined([madeUp('('), ...read(variable.value), madeUp(')')]);
    const found = { part, made: variable.value };
    bound.set(name, found);
    return found;
  };

  const read = (tokens: readonly Token[]): readonly TextPart[] => {
    const parts: TextPart[] = [];
    let at = tokens[0]?.start ?? 0;
    for (const [index, here] of tokens.entries()) {
      const part = partAt(tokens, index);
      if (part === undefined) continue;
      const ofRoutine = isMark(tokens[index - 1], '.');
      const from = ofRoutine ? (tokens[index - 2]?.start ?? here.start) : here.start;
      const place = locate(sql.source, { start: from, end: here.end });
      parts.push(partOf(sql, { start: at, end: from }), placedAt(part, place));
      at = here.end;
    }
    const last = tokens.at(-1);
    if (last !== undefined) parts.push(partOf(sql, { start: at, end: last.end }));
    return parts;
  };

  const partAt = (tokens: readonly Token[], index: number): TextPart | undefined => {
    const here = tokens[index] as Token;
    if (here.kind === 'parameter') {
      const position = /^\$(\d+)$/.exec(here.text)?.[1];
      return position === undefined ? meaning(here.text.slice(1))?.part : positions[Number(position) - 1];
    }
    if (!isName(here) || isMark(tokens[index + 1], '.') || isMark(tokens[index + 1], '(')) return undefined;
    if (isMark(tokens[index - 1], '.')) {
      const isOwn = tokens[index - 2]?.text === own && isName(tokens[index - 2]) && !isMark(tokens[index - 3], '.');
      return isOwn ? meaning(here.text)?.part : undefined;
    }
    if (taken.has(here.text) || isWord(tokens[index - 1], 'as', 'into') || isAssigned(tokens, index)) return undefined;
    return meaning(here.text)?.part;
  };

  return { read, meaning };
}

const isAssigned = (tokens: readonly Token[], index: number): boolean =>
  isMark(tokens[index + 1], ':=') ||
  (isWord(tokens[index - 1], 'declare', 'let', 'set') && !isMark(tokens[index + 1], ','));

/** Aliases, and columns that an INSERT lists or an UPDATE sets: names that mean no variable. */
function takenNames(body: readonly Token[], own: string | undefined): ReadonlySet<string> {
  const taken = new Set<string>();
  for (const [index, here] of body.entries()) {
    if (isName(here) && isMark(body[index + 1], '.') && here.text !== own) taken.add(here.text);
    if (!isWord(here, 'into') || !isWord(body[index - 1], 'insert')) continue;
    let at = index + 2;
    while (isMark(body[at], '.')) at += 2;
    if (!isMark(body[at], '(') || isWord(body[at + 1], 'select', 'with')) continue;
    for (at++; isName(body[at]); at += 2) {
      taken.add(body[at]?.text ?? '');
      if (!isMark(body[at + 1], ',')) break;
    }
  }
  return taken;
}

const textTypes = /^(?:text|(?:n?var)?char\b.*|character varying\b.*|string\b.*|name|bpchar)$/is;

/** The value as one of its parameter's type: `cast('2026-01-01' as date)`. */
function typed(value: TextPart, type: string): TextPart {
  if (type === '' || textTypes.test(type) || type.includes('%')) return value;
  return joined([madeUp('cast('), value, madeUp(` as ${type})`)]);
}
