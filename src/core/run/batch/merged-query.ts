import { boundedRows, hasVarying } from './bounded-rows.ts';
import { closing, conjuncts, cutZone, isOperator, openPositions, wordAt, type Zone } from './sql-zones.ts';
import { type Apart, isApart, type VaryingText, varyingText } from './varying-text.ts';

/** The query of several units as one, whose rows say which unit they are of. */
export interface MergedQuery {
  /**
   * With the number of the unit as its last column. `types`: of the columns that it fills, by their place, as SQL; the
   * literals of the interval get theirs. `undefined` where one is needed and not known.
   */
  sql(types: readonly string[]): string | undefined;
  /** The query of one unit as it is, with the same column behind. */
  own(unit: number): string;
  /** Comparisons of constants, as SQL, that have to be true. */
  readonly checks: readonly string[];
  /** Names of what it calls beside its inner queries, folded. */
  readonly calls: readonly string[];
  /** It groups, so that an aggregate is of one unit. */
  readonly grouped: boolean;
}

const clauses = ['from', 'where', 'group', 'having', 'window', 'order', 'limit', 'offset', 'fetch'] as const;
const setWords = new Set(['union', 'intersect', 'except']);

/**
 * Puts the queries of several units together, oldest first. A row, or a group of rows, is made of rows of one unit only:
 * the condition cuts them, and the number of the unit is one more key of the grouping. Literals of the interval in the
 * select list become those of the unit. Apart: wherever that is not certain to give the same rows.
 */
export function mergedQuery(texts: readonly string[]): MergedQuery | Apart {
  const text = varyingText(texts);
  if (isApart(text)) return text;
  const { tokens } = text;
  if (text.varying.size === 0) return { apart: 'its query is the same in each interval' };
  const all = { from: 0, to: tokens.length };
  if (wordAt(tokens, 0) !== 'select') return { apart: 'its query begins with common tables or brackets' };
  const open = openPositions(tokens, all);
  const set = open.find((position) => setWords.has(wordAt(tokens, position) ?? ''));
  if (set !== undefined) return { apart: `its query is several with ${tokens[set]?.text.toUpperCase()}` };
  const starts = new Map<string, number>();
  for (const position of open) {
    const word = wordAt(tokens, position);
    if (!isClause(word) || starts.has(word)) continue;
    if (word === 'from' && wordAt(tokens, position - 1) === 'distinct') continue;
    if ((word === 'group' || word === 'order') && wordAt(tokens, position + 1) !== 'by') continue;
    starts.set(word, position);
  }
  const cut = ['limit', 'offset', 'fetch', 'window'].find((word) => starts.has(word));
  if (cut !== undefined) return { apart: `its query has ${cut.toUpperCase()}, which sees the rows of all intervals` };
  const zone = (clause: (typeof clauses)[number], skip: number): Zone | undefined => {
    const at = starts.get(clause);
    if (at === undefined) return undefined;
    const ends = [...starts.values()].filter((position) => position > at);
    return { from: at + skip, to: Math.min(tokens.length, ...ends) };
  };
  const [from, where, group] = [zone('from', 1), zone('where', 1), zone('group', 2)];
  if (from === undefined || where === undefined) return { apart: 'its query has no rows that a condition picks' };
  const list = { from: selectStart(tokens), to: from.from - 1 };
  if (wordAt(tokens, 1) === 'distinct' && wordAt(tokens, 2) === 'on')
    return { apart: 'its query has DISTINCT ON, which sees the rows of all intervals' };
  const inner = innerQueries(text);
  if (inner.some((query) => hasVarying(text, query))) return { apart: 'the interval is in a query within its query' };
  const outside = (position: number): boolean => !inner.some(({ from, to }) => position >= from && position < to);
  if (tokens.some((_, position) => wordAt(tokens, position) === 'over' && outside(position)))
    return { apart: 'its query has window functions, which see the rows of all intervals' };
  if (group !== undefined && hasGroupingSets(text, group))
    return { apart: 'its query groups by ROLLUP, CUBE or GROUPING SETS' };
  for (const position of text.varying) {
    if (isIn(list, position) || isIn(where, position) || (group !== undefined && isIn(group, position))) continue;
    const clause = isIn(from, position) ? 'a join' : 'a clause';
    return { apart: `the interval is in ${clause} of its query (${text.textOf(position, position + 1, 0)})` };
  }
  const rows = boundedRows(text, conjuncts(tokens, where));
  if (isApart(rows)) return rows;
  const [unit, ...others] = rows.units;
  if (unit === undefined) return { apart: 'no condition of it has the interval' };
  const literals = itemLiterals(text, list);
  if (isApart(literals)) return literals;
  const keys = group === undefined ? [] : keyLiterals(text, group);
  if (isApart(keys)) return keys;
  const calls = tokens.flatMap((token, position) =>
    (token.kind === 'word' || token.kind === 'quoted') && isOperator(tokens[position + 1], '(') && outside(position)
      ? [token.text]
      : [],
  );
  const sameUnit = others.map(({ number }) => ` and ${unit.number} = ${number}`).join('');
  const sql = (types: readonly string[]): string | undefined => {
    const edits: Edit[] = rows.edits.map(({ text: sql, ...part }) => ({ ...spanOf(text, part), sql }));
    for (const { at, item } of [...literals, ...keys]) {
      const type = item === undefined ? '' : types[item];
      if (type === undefined) return undefined;
      const values = [...Array(text.units).keys()].map((number) => text.textOf(at.from, at.to, number));
      const cast = type === '' ? '' : `::${type}[]`;
      edits.push({ ...spanOf(text, at), sql: `((array[${values.join(', ')}]${cast})[${unit.number}])` });
    }
    const end = (position: number): Edit => {
      const offset = tokens[position - 1]?.end ?? text.first.length;
      return { start: offset, end: offset, sql: '' };
    };
    edits.push({ ...end(list.to), sql: `, ${unit.number}` });
    edits.push({ ...end(where.to), sql: sameUnit });
    if (group !== undefined) edits.push({ ...end(group.to), sql: `, ${unit.number}` });
    return edited(text.first, edits);
  };
  const own = (unit: number): string => {
    const whole = texts[unit] ?? '';
    const end = text.tokenOf(list.to - 1, unit)?.end ?? whole.length;
    return `${whole.slice(0, end)}, ${unit + 1}${whole.slice(end)}`;
  };
  return { sql, own, checks: rows.units.flatMap(({ checks }) => checks), calls, grouped: group !== undefined };
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly sql: string;
}

/** What is put in at one place keeps its order, behind what ends there. */
function edited(text: string, edits: readonly Edit[]): string {
  let made = '';
  let at = 0;
  for (const { start, end, sql } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    made += text.slice(at, Math.max(at, start)) + sql;
    at = Math.max(at, end);
  }
  return made + text.slice(at);
}

const spanOf = ({ tokens }: VaryingText, { from, to }: Zone): { start: number; end: number } => ({
  start: tokens[from]?.start ?? 0,
  end: tokens[to - 1]?.end ?? 0,
});

const isIn = ({ from, to }: Zone, position: number): boolean => position >= from && position < to;

const isClause = (word: string | undefined): word is (typeof clauses)[number] =>
  clauses.some((clause) => clause === word);

const selectStart = (tokens: VaryingText['tokens']): number =>
  ['all', 'distinct'].includes(wordAt(tokens, 1) ?? '') ? 2 : 1;

/** Brackets with a query in them. */
function innerQueries({ tokens }: VaryingText): readonly Zone[] {
  return tokens.flatMap((token, position) => {
    const first = wordAt(tokens, position + 1);
    if (!isOperator(token, '(') || (first !== 'select' && first !== 'with' && first !== 'values')) return [];
    return [{ from: position, to: (closing(tokens, position) ?? tokens.length - 1) + 1 }];
  });
}

const groupingWords = new Set(['rollup', 'cube', 'grouping', 'all', 'distinct']);

const hasGroupingSets = ({ tokens }: VaryingText, group: Zone): boolean =>
  openPositions(tokens, group).some(
    (position) =>
      groupingWords.has(wordAt(tokens, position) ?? '') ||
      (isOperator(tokens[position], '(') && isOperator(tokens[position + 1], ')') && isFirst(tokens, position)),
  );

/** Brackets that are no call. */
const isFirst = (tokens: VaryingText['tokens'], position: number): boolean =>
  isOperator(tokens[position - 1], ',') || wordAt(tokens, position - 1) === 'by';

/** A literal of the interval in the select list; `item`: it is all of that item, and has the type of its column. */
interface ItemLiteral {
  readonly at: Zone;
  readonly item: number | undefined;
}

function itemLiterals(text: VaryingText, list: Zone): readonly ItemLiteral[] | Apart {
  const { tokens } = text;
  const commas = openPositions(tokens, list).filter((position) => isOperator(tokens[position], ','));
  const items = cutZone(list, commas);
  const isStar = (position: number): boolean =>
    isOperator(tokens[position], '*') &&
    (isOperator(tokens[position - 1], '.') || isOperator(tokens[position - 1], ',') || position === list.from);
  const star = items.findIndex(({ from, to }) => to > from && isStar(to - 1));
  const found: ItemLiteral[] = [];
  for (const position of text.varying) {
    if (!isIn(list, position)) continue;
    const index = items.findIndex((item) => isIn(item, position));
    const item = items[index];
    if (item === undefined) continue;
    const at = typedLiteral(text, position);
    const alone = at.from === item.from && (at.to === item.to || isAlias(text, { from: at.to, to: item.to }));
    const bare = at.to - at.from === 1 && tokens[position]?.kind === 'string';
    // Which column a literal behind a star fills cannot be counted.
    if (bare && alone && star >= 0 && star < index)
      return { apart: 'its select list has * before a literal of the interval' };
    found.push({ at, item: bare && alone ? index : undefined });
  }
  return found;
}

/** In GROUP BY a literal alone is a place in the select list. */
function keyLiterals(text: VaryingText, group: Zone): readonly ItemLiteral[] | Apart {
  const found = [...text.varying]
    .filter((position) => isIn(group, position))
    .map((position) => typedLiteral(text, position));
  const bare = found.find(({ from, to }) => to - from === 1);
  return bare === undefined
    ? found.map((at) => ({ at, item: undefined }))
    : { apart: `the interval is in GROUP BY of its query (${text.textOf(bare.from, bare.to, 0)})` };
}

const isAlias = ({ tokens }: VaryingText, { from, to }: Zone): boolean => {
  const name = wordAt(tokens, from) === 'as' ? from + 1 : from;
  return name === to - 1 && ['word', 'quoted'].includes(tokens[name]?.kind ?? '');
};

/** A literal with the type in front of it or behind it, so that an array of it has that type. */
function typedLiteral({ tokens }: VaryingText, position: number): Zone {
  const before = wordAt(tokens, position - 1);
  const isTyped = ['date', 'timestamp', 'timestamptz', 'time', 'interval'].includes(before ?? '');
  if (isTyped) return { from: position - 1, to: position + 1 };
  const zoned =
    ['zone', 'time', 'with', 'without'].includes(before ?? '') && wordAt(tokens, position - 4) === 'timestamp';
  if (zoned) return { from: position - 4, to: position + 1 };
  const cast = isOperator(tokens[position + 1], '::') && tokens[position + 2]?.kind === 'word';
  const type = wordAt(tokens, position + 2);
  if (!cast || isOperator(tokens[position + 3], '(') || isOperator(tokens[position + 3], '['))
    return { from: position, to: position + 1 };
  const isLong =
    type === 'double' || wordAt(tokens, position + 3) === 'with' || wordAt(tokens, position + 3) === 'without';
  return isLong ? { from: position, to: position + 1 } : { from: position, to: position + 3 };
}
