import { type Cursor, isName, operator, token, word } from './cursor.ts';

/** Decides, from the token `at` tokens ahead, whether the word in front of it is grammar there or somebody's name. */
type Behind = (c: Cursor, at: number) => boolean;

/**
 * True where the word `ahead` is one of `words` and what follows makes it grammar. Nearly every word that opens a clause
 * in one dialect is a plain name in another (`start`, `version`, `minus`), so a word alone decides nothing: taken for a
 * clause, the alias `start` would hide the FROM behind it.
 */
export function isGrammar(c: Cursor, words: ReadonlySet<string>, ahead = 0): boolean {
  const here = word(c, ahead);
  if (here === '' || !words.has(here)) return false;
  return !Object.hasOwn(rules, here) || rules[here]?.(c, ahead + 1) === true;
}

const oneOf = (...words: readonly string[]): Behind => {
  const set = new Set(words);
  return (c, at) => set.has(word(c, at)) || endsStatement(c, at);
};

const bracket: Behind = (c, at) => operator(c, at) === '(' || endsStatement(c, at);

const either =
  (...rules: readonly Behind[]): Behind =>
  (c, at) =>
    rules.some((rule) => rule(c, at));

/** Half-typed: nothing follows yet. The end of a bracket is no such place. */
const endsStatement = (c: Cursor, at: number): boolean =>
  c.index + at >= c.end && (c.index + at >= c.tokens.length || c.tokens[c.index + at]?.kind === 'terminator');

const behindNames = new Set([
  ',',
  '=',
  '<',
  '>',
  '<=',
  '>=',
  '<>',
  '!=',
  '+',
  '/',
  '%',
  '||',
  '::',
  '.',
  '|>',
  ')',
  ']',
]);

/** Words that only stand behind a finished name or expression. */
const behindNameWords = new Set([
  ...['from', 'where', 'join', 'on', 'and', 'or', 'as', 'then', 'when', 'else', 'end', 'is', 'in', 'between', 'like'],
  ...[
    'left',
    'right',
    'full',
    'inner',
    'cross',
    'natural',
    'lateral',
    'union',
    'intersect',
    'except',
    'group',
    'having',
  ],
  ...['order', 'using', 'set'],
]);

/** What stands here can only follow a finished name, so the word in front of it is one. */
export const followsName: Behind = (c, at) => {
  if (c.index + at >= c.end) return !endsStatement(c, at);
  const sign = operator(c, at);
  if (sign !== '') return behindNames.has(sign);
  const here = word(c, at);
  return behindNameWords.has(here) && operator(c, at + 1) !== '(';
};

const opensOperand: Behind = (c, at) => !followsName(c, at);

const joinWords = new Set(
  'natural asof inner left right full cross outer semi anti positional global any all directed'.split(' '),
);

/** `LEFT OUTER JOIN`, `GLOBAL ANY LEFT JOIN`, `CROSS APPLY`, and `FULL UNION`. */
const joins: Behind = (c, at) => {
  let ahead = at;
  while (joinWords.has(word(c, ahead))) ahead++;
  const here = word(c, ahead);
  return here === 'join' || here === 'apply' || here === 'union' || endsStatement(c, ahead);
};

const by = oneOf('by');
const never: Behind = () => false;
const setOperand = either(
  oneOf('all', 'distinct', 'select', 'values', 'table', 'with', 'from', 'by', 'corresponding', 'strict'),
  bracket,
);
const indexHint = oneOf('index', 'key');
const timeTravel = oneOf('as', 'all', 'between', 'from');
const onlyIn =
  (rule: Behind, ...dialects: readonly Cursor['dialect'][]): Behind =>
  (c, at) =>
    dialects.includes(c.dialect) && rule(c, at);

const rules: Readonly<Record<string, Behind>> = {
  group: oneOf('by', 'all'),
  order: oneOf('by', 'siblings'),
  sort: by,
  cluster: by,
  distribute: by,
  by: opensOperand,
  connect: by,
  start: oneOf('with'),
  ...Object.fromEntries([...joinWords].map((word) => [word, joins])),
  all: joins,
  straight_join: onlyIn((c, at) => isName(token(c, at)) || operator(c, at) === '(', 'mysql', 'ansi'),
  lateral: either(oneOf('view'), bracket, joins),
  limit: opensOperand,
  offset: opensOperand,
  fetch: oneOf('first', 'next'),
  union: setOperand,
  intersect: setOperand,
  except: setOperand,
  minus: setOperand,
  using: either(bracket, oneOf('sample'), (c, at) => !followsName(c, at)),
  returning: opensOperand,
  having: opensOperand,
  qualify: (c, at) => c.dialect !== 'postgres' && c.dialect !== 'mysql' && opensOperand(c, at),
  window: (c, at) => isName(token(c, at)) && word(c, at + 1) === 'as',
  set: (c, at) =>
    operator(c, at) === '(' ||
    endsStatement(c, at) ||
    (isName(token(c, at)) && ['=', ':=', '.', '['].includes(operator(c, at + 1))) ||
    token(c, at)?.kind === 'parameter',
  insert: either(oneOf('into', 'overwrite', 'values', 'all', 'first', 'row', 'default'), (c, at) =>
    ['(', '*'].includes(operator(c, at)),
  ),
  values: bracket,
  for: oneOf(
    ...['update', 'share', 'no', 'key', 'read', 'json', 'xml', 'browse', 'system_time', 'system_version', 'version'],
    ...['timestamp', 'ordinality'],
  ),
  tablesample: either(bracket, (c, at) => operator(c, at + 1) === '('),
  sample: either(bracket, (c, at) => token(c, at)?.kind === 'number' || operator(c, at + 1) === '('),
  with: opensOperand,
  into: opensOperand,
  overwrite: oneOf('into', 'table', 'directory'),
  pivot: either(bracket, oneOf('include', 'exclude', 'xml')),
  unpivot: either(bracket, oneOf('include', 'exclude')),
  settings: onlyIn((c, at) => isName(token(c, at)) && operator(c, at + 1) === '=', 'ansi'),
  format: onlyIn((c, at) => isName(token(c, at)) && !followsName(c, at), 'ansi'),
  final: onlyIn(() => true, 'ansi'),
  do: oneOf('update', 'nothing', 'also', 'instead', 'select'),
  at: either(
    bracket,
    oneOf('time'),
    onlyIn((c, at) => isName(token(c, at)) && !followsName(c, at), 'redshift'),
  ),
  before: bracket,
  changes: bracket,
  partition: bracket,
  match_recognize: bracket,
  match_condition: bracket,
  use: indexHint,
  force: indexHint,
  ignore: indexHint,
  version: timeTravel,
  timestamp: timeTravel,
  clone: opensOperand,
  to: opensOperand,
  swap: oneOf('with'),
  rename: oneOf('to', 'column'),
  bulk: oneOf('collect'),
  collate: opensOperand,
  within: oneOf('group'),
  filter: bracket,
  over: (c, at) => operator(c, at) === '(' || (isName(token(c, at)) && !followsName(c, at)),
  similar: oneOf('to'),
  ...Object.fromEntries(['then', 'else', 'when'].map((word) => [word, opensOperand])),
  not: opensOperand,
  join: (c, at) => word(c, at) !== 'from' && (word(c, at) !== '' || opensOperand(c, at)),
  rlike: opensOperand,
  regexp: opensOperand,
  ilike: opensOperand,
  exclude: either(bracket, (c, at) => isName(token(c, at)) && !followsName(c, at)),
  distinct: never,
};
