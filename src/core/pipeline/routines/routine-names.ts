import type { Token } from '../../sql/lex/token.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import { cutAt, isMark, isName, isWord } from './tokens.ts';

/** A variable of a routine's body with the one value that it ever has; none where it has several, or none that is read. */
export interface RoutineVariable {
  readonly name: string;
  readonly value: readonly Token[] | undefined;
}

interface Assignment {
  readonly name: string;
  readonly value: readonly Token[] | undefined;
}

/** Dialects whose DECLARE is a statement; in the others it goes on up to BEGIN. */
const declaresOne: ReadonlySet<DialectName> = new Set(['bigquery', 'mysql', 'spark']);

/**
 * What the body of a routine calls by a name of its own: what it declares, and what it assigns to, parameters included.
 * A value is known where it is the only one, and is given on the straight way through the body.
 */
export function routineNames(body: readonly Token[], dialect: DialectName): ReadonlyMap<string, RoutineVariable> {
  const given = new Map<string, Assignment[]>();
  const add = (name: string, value: readonly Token[] | undefined): void =>
    void given.set(name, [...(given.get(name) ?? []), { name, value }]);
  const declared = new Set<string>();
  let isDeclaring = false;
  const open: string[] = [];
  for (const statement of statementsOf(body)) {
    const [first] = statement;
    if (isWord(first, 'declare')) isDeclaring = !declaresOne.has(dialect);
    if (isWord(first, 'begin')) isDeclaring = false;
    const own = isWord(first, 'declare', 'let', 'set') ? statement.slice(1) : statement;
    const isPassable = open.some((block) => block !== 'begin');
    if (isDeclaring || isWord(first, 'declare', 'let')) declare(own, declared, add);
    else assign(own, isWord(first, 'set'), isPassable, add);
    for (const [index, here] of statement.entries()) {
      if (isWord(statement[index - 1], 'end')) continue;
      if (isWord(here, 'begin', 'loop', 'case')) open.push(here.text);
      else if (isWord(here, 'if') && index === 0) open.push('if');
      else if (isWord(here, 'end')) open.pop();
      else if (isWord(here, 'exception') && index === 0) open.push('exception');
      if (isWord(here, 'into') && !isWord(statement[index - 1], 'insert', 'merge', 'copy')) {
        const from = isWord(statement[index + 1], 'strict') ? index + 2 : index + 1;
        for (let at = from; isName(statement[at]); at += 2) {
          add(statement[at]?.text ?? '', undefined);
          if (!isMark(statement[at + 1], ',')) break;
        }
      }
      if (isWord(here, 'for') && isWord(statement[index + 2], 'in')) add(statement[index + 1]?.text ?? '', undefined);
    }
  }
  for (const name of declared) if (!given.has(name)) add(name, undefined);
  return new Map(
    [...given].map(([name, values]) => [name, { name, value: values.length === 1 ? values[0]?.value : undefined }]),
  );
}

type Add = (name: string, value: readonly Token[] | undefined) => void;

/** `name type := value`, `name CONSTANT type DEFAULT value`, `a, b DATE`. */
function declare(tokens: readonly Token[], declared: Set<string>, add: Add): void {
  let at = 0;
  for (; isName(tokens[at]); at += 2) {
    declared.add(tokens[at]?.text ?? '');
    if (!isMark(tokens[at + 1], ',')) break;
  }
  const name = tokens[at]?.text;
  const given = tokens.findIndex((here) => isWord(here, 'default') || isMark(here, ':=') || isMark(here, '='));
  if (name !== undefined && given > at) add(name, tokens.slice(given + 1));
}

function assign(tokens: readonly Token[], isSet: boolean, isPassable: boolean, add: Add): void {
  const [name, mark] = tokens;
  if (!isName(name) || !(isMark(mark, ':=') || (isMark(mark, '=') && isSet))) return;
  add(name?.text ?? '', isPassable ? undefined : tokens.slice(2));
}

/** First words of what a head begins, by its last word. */
const heads: ReadonlyMap<string, readonly string[]> = new Map([
  ['then', ['if', 'elsif', 'elseif', 'when', 'case']],
  ['loop', ['loop', 'for', 'foreach', 'while']],
  ['do', ['while', 'for']],
  ['begin', ['begin', 'declare']],
  ['else', ['else']],
  ['exception', ['exception']],
]);

/** Cut at semicolons, and behind the words after which a statement begins. */
const statementsOf = (body: readonly Token[]): readonly (readonly Token[])[] =>
  cutAt(body, ';').flatMap((statement) => {
    const parts: Token[][] = [[]];
    for (const here of statement) {
      const part = parts.at(-1) ?? [];
      part.push(here);
      if (here.kind === 'word' && isWord(part[0], ...(heads.get(here.text) ?? []))) parts.push([]);
    }
    return parts.filter((part) => part.length > 0);
  });
