import type { SqlExpression } from '../../model/expression.ts';
import {
  accept,
  acceptAny,
  type Cursor,
  done,
  lastOffset,
  maxDepth,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../cursor.ts';
import { followsName, isGrammar } from '../is-grammar.ts';
import { flatParts, opaque } from '../opaque.ts';
import { isQueryAhead } from '../query-ahead.ts';
import { readArguments } from '../read-arguments.ts';
import { clauseWords } from '../words.ts';
import { readPrimary } from './read-primary.ts';

/** Chains longer than this are generated code; their tail is kept flat so that the tree stays shallow. */
const maxChain = 300;

const power = {
  assign: 5,
  or: 10,
  xor: 15,
  and: 20,
  not: 30,
  is: 40,
  compare: 50,
  match: 60,
  other: 70,
  add: 80,
  multiply: 90,
  exponent: 100,
  unary: 105,
  zone: 110,
} as const;

const operatorPower: Readonly<Record<string, number>> = {
  ':=': power.assign,
  '=>': power.assign,
  '=': power.compare,
  '==': power.compare,
  '<': power.compare,
  '>': power.compare,
  '<=': power.compare,
  '>=': power.compare,
  '<>': power.compare,
  '!=': power.compare,
  '^=': power.compare,
  '<=>': power.compare,
  '+': power.add,
  '-': power.add,
  '*': power.multiply,
  '/': power.multiply,
  '%': power.multiply,
  '//': power.multiply,
  '^': power.exponent,
  '**': power.exponent,
};

const wordPower: Readonly<Record<string, number>> = {
  or: power.or,
  xor: power.xor,
  and: power.and,
  is: power.is,
  isnull: power.is,
  notnull: power.is,
  between: power.match,
  in: power.match,
  like: power.match,
  ilike: power.match,
  rlike: power.match,
  regexp: power.match,
  glob: power.match,
  similar: power.match,
  overlaps: power.match,
  escape: power.match + 1,
  div: power.multiply,
  mod: power.multiply,
  at: power.zone,
  collate: power.zone,
};

/** Operators of some dialect that are names in others. */
const softOperators = new Set([
  'xor',
  'rlike',
  'regexp',
  'glob',
  'overlaps',
  'div',
  'mod',
  'collate',
  'escape',
  'similar',
]);

const notOperators = new Set(['[', ']', '(', ')', '{', '}', ',', ';', '.', '..', ':', '::', '|>']);

const negatable = new Set(['between', 'in', 'like', 'ilike', 'rlike', 'regexp', 'similar', 'glob']);

/**
 * Reads one expression by operator precedence. Where nothing can be read the result is an empty `opaque`, so that
 * half-typed code keeps its left side; always stops at the cursor's end and at the words that open a clause.
 */
export function readExpression(c: Cursor, least = 0): SqlExpression {
  if (c.depth >= maxDepth) return flatParts(c);
  c.depth++;
  const here = startOffset(c);
  let left = readPrefixed(c);
  const start = Math.min(here, left.start);
  for (let links = 0; !done(c); links++) {
    const binding = infixPower(c);
    if (binding === undefined || binding <= least) break;
    if (links > maxChain) {
      left = opaque(c, start, [left, ...flatParts(c, clauseWords).parts]);
      break;
    }
    left = readInfix(c, left, start, binding);
  }
  c.depth--;
  return left;
}

/** An expression of a clause with whatever unknown stands behind it, up to a comma or the next clause. */
export function readClauseExpression(c: Cursor): SqlExpression {
  const start = startOffset(c);
  return readOn(c, start, readExpression(c));
}

/** An item of ORDER BY, its direction and the place of NULL left out. */
export function readOrderItem(c: Cursor): SqlExpression {
  const start = startOffset(c);
  const item = readExpression(c);
  if (word(c) === 'asc' || word(c) === 'desc') c.index++;
  if (word(c) === 'nulls' && (word(c, 1) === 'first' || word(c, 1) === 'last')) c.index += 2;
  return readOn(c, start, item);
}

function readOn(c: Cursor, start: number, first: SqlExpression): SqlExpression {
  if (atBoundary(c)) return first;
  const parts = [first];
  while (!atBoundary(c)) {
    const before = c.index;
    const part = readExpression(c);
    if (c.index === before) c.index++;
    else parts.push(part);
  }
  return opaque(c, start, parts);
}

const atBoundary = (c: Cursor): boolean =>
  done(c) || operator(c) === ',' || operator(c) === '|>' || isGrammar(c, clauseWords);

const prefixSigns = new Set(['-', '+', '~', '!', '@', '@@', '|/']);

function readPrefixed(c: Cursor): SqlExpression {
  const start = startOffset(c);
  if (word(c) === 'not' && token(c, 1) !== undefined) {
    c.index++;
    const operand = readExpression(c, power.not);
    if (operand.kind === 'exists' && !operand.negated) return { ...operand, negated: true, ...spanFrom(c, start) };
    return { kind: 'unary', operator: 'not', operand, ...spanFrom(c, start) };
  }
  const sign = operator(c);
  if (prefixSigns.has(sign)) {
    c.index++;
    const operand = readExpression(c, power.unary);
    return { kind: 'unary', operator: sign, operand, ...spanFrom(c, start) };
  }
  return readPrimary(c);
}

function infixPower(c: Cursor): number | undefined {
  const sign = operator(c);
  if (sign !== '') {
    if (c.dialect === 'mysql' && sign === '||') return power.or;
    if (c.dialect === 'mysql' && sign === '&&') return power.and;
    return operatorPower[sign] ?? (notOperators.has(sign) ? undefined : power.other);
  }
  const here = word(c);
  if (here === '') return undefined;
  if (here === 'operator' && operator(c, 1) === '(') return power.other;
  if (softOperators.has(here) && followsName(c, 1)) return undefined;
  if (here === 'not') return negatable.has(word(c, 1)) ? power.match : undefined;
  if (here === 'at') return word(c, 1) === 'time' && word(c, 2) === 'zone' ? power.zone : undefined;
  return Object.hasOwn(wordPower, here) ? wordPower[here] : undefined;
}

function readInfix(c: Cursor, left: SqlExpression, start: number, binding: number): SqlExpression {
  const sign = operator(c);
  if (sign !== '') {
    c.index++;
    const name = c.dialect === 'mysql' && sign === '&&' ? 'and' : c.dialect === 'mysql' && sign === '||' ? 'or' : sign;
    const right = readExpression(c, sign === '=>' || sign === '->' ? binding - 1 : binding);
    return { kind: 'binary', operator: name, left, right, ...spanFrom(c, start) };
  }
  const negated = accept(c, 'not');
  const name = word(c);
  c.index++;
  switch (name) {
    case 'is':
      return readIs(c, left, start);
    case 'isnull':
    case 'notnull':
      return {
        kind: 'unary',
        operator: name === 'isnull' ? 'is null' : 'is not null',
        operand: left,
        ...spanFrom(c, start),
      };
    case 'between':
      return readBetween(c, left, start, negated);
    case 'in':
      return readIn(c, left, start, negated);
    case 'at': {
      c.index += 2;
      const zone = readExpression(c, power.zone);
      return { kind: 'at-time-zone', operand: left, zone, ...spanFrom(c, start) };
    }
    case 'operator':
      skipOne(c);
      return { kind: 'binary', operator: name, left, right: readExpression(c, binding), ...spanFrom(c, start) };
    case 'collate':
      if (token(c) !== undefined) c.index++;
      return opaque(c, start, [left]);
    default: {
      let text = name;
      if (name === 'similar' && accept(c, 'to')) text = 'similar to';
      const right = readExpression(c, binding);
      return { kind: 'binary', operator: negated ? `not ${text}` : text, left, right, ...spanFrom(c, start) };
    }
  }
}

function readIs(c: Cursor, left: SqlExpression, start: number): SqlExpression {
  const not = accept(c, 'not') ? 'is not' : 'is';
  if (accept(c, 'distinct', 'from')) {
    const right = readExpression(c, power.compare);
    return { kind: 'binary', operator: `${not} distinct from`, left, right, ...spanFrom(c, start) };
  }
  const what = word(c);
  if (what !== '' && !isGrammar(c, clauseWords)) c.index++;
  if (what === 'json') readJsonKind(c);
  else if (normalForms.has(what)) accept(c, 'normalized');
  return { kind: 'unary', operator: what === '' ? not : `${not} ${what}`, operand: left, ...spanFrom(c, start) };
}

const normalForms = new Set(['nfc', 'nfd', 'nfkc', 'nfkd']);
const jsonKinds = new Set(['value', 'scalar', 'array', 'object']);

/** `IS JSON OBJECT WITH UNIQUE KEYS`, from behind JSON. */
function readJsonKind(c: Cursor): void {
  acceptAny(c, jsonKinds);
  if (accept(c, 'with', 'unique') || accept(c, 'without', 'unique')) accept(c, 'keys');
}

function readBetween(c: Cursor, operand: SqlExpression, start: number, negated: boolean): SqlExpression {
  const isSymmetric = word(c) === 'symmetric';
  if (isSymmetric || word(c) === 'asymmetric') c.index++;
  const low = readExpression(c, power.match);
  const closed = accept(c, 'and');
  const high = closed ? readExpression(c, power.match) : opaque(c, lastOffset(c), []);
  const span = spanFrom(c, start);
  const between = { kind: 'between', operand, low, high, negated, ...span } as const;
  if (!isSymmetric) return between;
  // Whichever of the two is the lower one.
  const turned = { ...between, low: high, high: low };
  return { kind: 'binary', operator: negated ? 'and' : 'or', left: between, right: turned, ...span };
}

function readIn(c: Cursor, operand: SqlExpression, start: number, negated: boolean): SqlExpression {
  if (operator(c) !== '(') {
    // `IN UNNEST(…)`, `IN {{ ids }}`
    const list = [readExpression(c, power.match)];
    return { kind: 'in', operand, list, query: undefined, negated, ...spanFrom(c, start) };
  }
  if (isQueryAhead(c)) {
    const query = within(c, () => c.grammar.query(c));
    return { kind: 'in', operand, list: [], query, negated, ...spanFrom(c, start) };
  }
  const list = within(c, () => readArguments(c));
  return { kind: 'in', operand, list, query: undefined, negated, ...spanFrom(c, start) };
}
