import { type NamesInText, namesInText } from '../../sql/lex/names-in-text.ts';
import type { Token } from '../../sql/lex/token.ts';
import { plainText } from '../../template/mask/plain-text.ts';

/** A text that runs with a task. */
export interface UnseenText {
  readonly text: string;
  readonly kind: 'task' | 'default' | 'function' | 'trigger';
  /** Schemas in which it looks names up; `undefined`: those of the session. */
  readonly path: readonly string[] | undefined;
}

/** What equal rows do not have in common, and what picks rows by where they lie. */
const physical = ['ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid', 'tablesample'];

/** Words by which a body does more than read, or runs what is in a string. */
const writing =
  'update delete merge truncate create drop alter copy call execute notify listen refresh lock grant revoke set reset commit rollback'.split(
    ' ',
  );

export interface ReadText extends NamesInText {
  /** A word that keeps the result from resting on rows alone, or the body from being read. */
  readonly stop: string | undefined;
  readonly readsClock: boolean;
}

/** Reads a text for what it rests on. A trigger may keep a journal: rows that it adds to tables other than `own`. */
export function readUnseenText({ text, kind }: UnseenText, own: ReadonlySet<string>): ReadText {
  const read = namesInText(plainText(text));
  const { tokens, words, names } = read;
  const isBody = kind === 'function' || kind === 'trigger';
  const stops = isBody ? [...physical, ...writing, ...(kind === 'function' ? ['insert'] : [])] : physical;
  const stopped = stops.find((word) => words.has(word));
  const fills = names.find(({ inserted, parts }) => inserted && own.has(parts.at(-1) ?? ''));
  return {
    ...read,
    stop: stopped === undefined ? (isBody ? fills?.parts.join('.') : undefined) : stopWords(stopped, isBody),
    readsClock:
      clockWords.some((word) => words.has(word)) || tokens.some(isMomentOfClock) || tokens.some(countsFromToday),
  };
}

const stopWords = (word: string, isBody: boolean): string =>
  `${word.toUpperCase()}${isBody ? ' in code of the database' : ''}`;

/** Read without brackets; everything that is called is a function of the catalog. */
const clockWords = ['current_date', 'current_time', 'current_timestamp', 'localtime', 'localtimestamp'];

/** `age(t)` counts from the current date, `age(a, b)` does not. */
function countsFromToday({ kind, text }: Token, at: number, tokens: readonly Token[]): boolean {
  if (kind !== 'word' || text !== 'age' || tokens[at + 1]?.text !== '(') return false;
  let depth = 0;
  for (const { kind: inside, text: mark } of tokens.slice(at + 1)) {
    if (inside !== 'operator') continue;
    if (mark === '(') depth++;
    else if (mark === ')' && --depth === 0) return true;
    else if (mark === ',' && depth === 1) return false;
  }
  return true;
}

/** Input that a date or time takes for a moment of the clock. */
const isMomentOfClock = ({ kind, text }: Token): boolean =>
  kind === 'string' && /^\s*(?:now|today|tomorrow|yesterday)\s*$/i.test(text);

/** The schemas of a function's own search_path; `undefined` where one of them depends on who asks. */
export function schemasOf(path: string): readonly string[] | undefined {
  const parts = path.match(/"(?:[^"]|"")*"|[^\s,"]+/g) ?? [];
  const names = parts.map((part) =>
    part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part.toLowerCase(),
  );
  return names.includes('$user') ? undefined : names;
}
