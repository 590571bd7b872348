import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { filtersIn, within } from '../../sql/model/sql-search.ts';
import { joinedAs, memberRead, membersSet, setsMembers } from './document-members.ts';
import { knownFunction, oneClass } from './known-functions.ts';
import type { Column, RowScope } from './row-scope.ts';
import { apply, ownColumns, type Term, valueTerm } from './term.ts';

/** What a routine of the database gives back for a call, with the text that its offsets refer to. */
export interface Returned {
  readonly expression: SqlExpression;
  readonly text: string;
  /** In a branch, so that it is not what every call gives. */
  readonly conditional: boolean;
}

/** What beside scopes decides what an expression means. */
export interface TermReading {
  readonly returned: (call: SqlExpression & { readonly kind: 'call' }) => readonly Returned[];
  /** The row is one of those that are gathered by a key, not one by itself. */
  readonly by: 'key' | 'moved';
  /** The type of a column of the row, as SQL; `undefined` where nobody has said it. */
  readonly typeOf: (own: string) => string | undefined;
}

/** An expression as a function of the old row. What does not rest on it is one fixed value, whatever is in it. */
export function readTerm(one: SqlExpression, scope: RowScope, reading: TermReading): Term {
  const read = makeTerm(one, scope, reading);
  if (read.kind === 'value' || read.kind === 'fixed' || ownColumns(read).size > 0) return read;
  return isConstant(read) ? read : fixed(one, scope);
}

const isConstant = (term: Term): boolean =>
  term.kind === 'value' ||
  term.kind === 'fixed' ||
  (term.kind === 'apply' && knownFunction(term.name) !== undefined && term.arguments.every(isConstant));

function fixed(one: SqlExpression, { text }: RowScope): Term {
  const name =
    one.kind === 'column' ? `${one.qualifier ?? ''}.${one.name}` : text.slice(one.start, one.end).replace(/\s+/g, ' ');
  return { kind: 'fixed', name, isGiven: one.kind === 'hole' || one.kind === 'template-string' };
}

function makeTerm(one: SqlExpression, scope: RowScope, reading: TermReading): Term {
  const read = (next: SqlExpression): Term => readTerm(next, scope, reading);
  switch (one.kind) {
    case 'column':
      return columnTerm(one, scope, reading);
    case 'literal':
      return literal(one);
    case 'interval':
      return one.amount === undefined
        ? fixed(one, scope)
        : valueTerm(one.amount.months * 30 + one.amount.days + one.amount.ms / 86_400_000);
    case 'cast':
      return cast(read(one.operand), one.type);
    case 'at-time-zone':
      return { kind: 'open', what: 'which zone the values are of', arguments: [read(one.operand)] };
    case 'unary':
      // A variable of SQL Server or MySQL, `@from`, however a column is named.
      if (
        /^@@?$/.test(one.operator) &&
        one.operand.kind === 'column' &&
        one.operand.start === one.start + one.operator.length
      )
        return fixed(one, scope);
      return one.operator === '+'
        ? read(one.operand)
        : apply(/^is /.test(one.operator) ? one.operator : `unary${one.operator}`, read(one.operand));
    case 'binary':
      return binary(one, scope, reading);
    case 'between': {
      const inside = apply(
        'and',
        apply('>=', read(one.operand), dated(read(one.low))),
        apply('<=', read(one.operand), dated(read(one.high))),
      );
      return one.negated ? apply('unarynot', inside) : inside;
    }
    case 'in': {
      if (one.query !== undefined) return foundBy(one, one.query, scope, read(one.operand));
      const found = apply('or', ...one.list.map((entry) => apply('=', read(one.operand), dated(read(entry)))));
      return one.negated ? apply('unarynot', found) : found;
    }
    case 'case':
      return caseTerm(one, read);
    case 'subquery':
      return subquery(one.query, scope, reading);
    case 'call':
      return call(one, scope, reading);
    case 'opaque': {
      const [only] = one.parts;
      const opening = scope.text.slice(one.start, one.start + 6).toLowerCase();
      if (opening.startsWith('array') || opening.startsWith('[')) return apply('list', ...one.parts.map(read));
      if (one.parts.length === 1 && only !== undefined) return read(only);
      const parts = one.parts.map(read);
      return { kind: 'open', what: `what ${brief(one, scope)} is`, arguments: parts, source: textOf(one, scope) };
    }
    default:
      return fixed(one, scope);
  }
}

/** `x IN (SELECT …)`: it rests on x, and on what the query asks of the table's own rows. */
function foundBy(one: SqlExpression, query: QueryBlock, scope: RowScope, operand: Term): Term {
  const inner = scope.inside(query);
  const named = [...filtersIn(query), ...query.select.map(({ expression }) => expression)].flatMap(within);
  const own = named.flatMap((each): Term[] =>
    each.kind === 'column' && inner.isAny(each) ? [{ kind: 'own', column: each.name }] : [],
  );
  return { kind: 'open', what: 'what a query finds', arguments: [operand, ...own], source: textOf(one, scope) };
}

function columnTerm(one: Column, scope: RowScope, reading: TermReading): Term {
  const own = scope.own(one);
  if (own !== undefined) return { kind: 'own', column: own };
  if (scope.isAny(one))
    return { kind: 'open', what: 'which rows of the table are read', arguments: [{ kind: 'own', column: one.name }] };
  const parts = scope.follow(one).map(({ expression, scope: next }) => readTerm(expression, next, reading));
  const [first] = parts;
  if (first === undefined) return fixed(one, scope);
  // Each row comes from one of the parts.
  return parts
    .slice(1)
    .reduce(
      (found, part, index) =>
        apply('case', { kind: 'fixed', name: `part ${index} ${one.name}`, isGiven: false }, part, found),
      first,
    );
}

function literal(one: SqlExpression & { readonly kind: 'literal' }): Term {
  switch (one.type) {
    case 'number':
      return valueTerm(Number(one.text));
    case 'string':
      return valueTerm(one.text);
    case 'boolean':
      return valueTerm(one.text.toLowerCase() === 'true');
    case 'null':
      return valueTerm(null);
  }
}

/** A text that is a day or a moment, where one is meant. */
function dated(term: Term): Term {
  if (term.kind !== 'value' || typeof term.value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(term.value)) return term;
  const at = Date.parse(`${term.value.slice(0, 10)}T00:00:00Z`);
  return Number.isNaN(at) ? term : valueTerm(at / 86_400_000);
}

function cast(operand: Term, type: string): Term {
  if (/^(date|timestamp|datetime|time)\b/i.test(type) && operand.kind === 'value') return dated(operand);
  if (/^date\b(?!time)/i.test(type)) return apply('to-day', operand);
  if (operand.kind === 'value' && typeof operand.value === 'string') {
    if (/^(int|bigint|smallint|numeric|decimal|float|double|real|number)/i.test(type) && operand.value.trim() !== '') {
      const value = Number(operand.value);
      return Number.isNaN(value) ? operand : valueTerm(value);
    }
    if (/^jsonb?\b/i.test(type)) return documentOf(operand.value) ?? operand;
    if (/^hstore\b/i.test(type)) return valueTerm({ rest: null, members: new Map([[operand.value, true]]) });
  }
  return operand;
}

function documentOf(text: string): Term | undefined {
  if (!text.trim().startsWith('{')) return undefined;
  return valueTerm({ rest: null, members: new Map([[text.replace(/^[\s{"]+|["\s]*:[\s\S]*$/g, ''), text]]) });
}

function binary(one: SqlExpression & { readonly kind: 'binary' }, scope: RowScope, reading: TermReading): Term {
  const read = (next: SqlExpression): Term => readTerm(next, scope, reading);
  const member = memberRead(one);
  if (member !== undefined) return apply('member', read(member.document), valueTerm(member.path));
  const [left, right] = [read(one.left), read(one.right)];
  const operator = one.operator.toLowerCase();
  if (/^[<>=!]+$/.test(operator) || operator.includes('distinct')) return apply(operator, dated(left), dated(right));
  if (/^not (?!similar)/.test(operator)) return apply('unarynot', apply(operator.slice(4), left, right));
  if (operator === '||') return joinedTerm(one, left, right, scope, reading);
  const matches = operator === '~' || operator === 'rlike' || operator === 'regexp';
  return matches && !isReadable('regexp', [left, right])
    ? { kind: 'open', what: `what ${brief(one, scope)} finds`, arguments: [left, right] }
    : apply(operator, left, right);
}

/** `||` on documents puts the same members in again, on texts and arrays it adds. */
function joinedTerm(
  one: SqlExpression & { readonly kind: 'binary' },
  left: Term,
  right: Term,
  scope: RowScope,
  { typeOf }: TermReading,
): Term {
  const sides = [one.left, one.right].map((side) => joinedAs(side, scope, typeOf));
  if (sides.includes('grows')) return apply('||', left, right);
  if (sides.includes('object')) {
    const asDocument = (term: Term): Term =>
      term.kind === 'value' && typeof term.value === 'string' ? (documentOf(term.value) ?? term) : term;
    return apply('set members of', asDocument(left), asDocument(right));
  }
  if (ownColumns(left).size + ownColumns(right).size === 0) return apply('||', left, right);
  const what = sides.includes('json')
    ? `whether ${brief(one, scope)} joins objects, whose members are the same again, or arrays, which grow`
    : `whether ${brief(one, scope)} joins documents, whose members are the same again, or texts or arrays, which grow`;
  return { kind: 'open', what, arguments: [left, right] };
}

function caseTerm(
  { parts, roles }: SqlExpression & { readonly kind: 'case' },
  read: (one: SqlExpression) => Term,
): Term {
  const operand = parts[roles.indexOf('operand')];
  const given: Term[] = [];
  for (const [index, part] of parts.entries()) {
    if (roles[index] === 'operand') continue;
    const term = read(part);
    const asks = roles[index] === 'when' && operand !== undefined && roles.includes('operand');
    given.push(asks ? apply('=', read(operand), term) : term);
  }
  return apply('case', ...given);
}

function call(one: SqlExpression & { readonly kind: 'call' }, scope: RowScope, reading: TermReading): Term {
  const name = one.name.slice(one.name.lastIndexOf('.') + 1).toLowerCase();
  const returned = reading.returned(one);
  if (returned.length > 0) return returnedTerm(name, returned, scope, reading);
  const [argument] = one.arguments;
  // MySQL's name for what an upsert would have inserted.
  if (name === 'values' && argument?.kind === 'column' && one.arguments.length === 1)
    return readTerm({ ...argument, qualifier: 'excluded' }, scope, reading);
  const given = one.arguments.map((argument) =>
    // What takes a text is given one.
    takesText.test(name) && argument.kind === 'binary' && argument.operator === '||'
      ? apply('||', readTerm(argument.left, scope, reading), readTerm(argument.right, scope, reading))
      : readTerm(argument, scope, reading),
  );
  const open: Term = {
    kind: 'open',
    what: `whether ${name}(…) of what it has made is the same again`,
    arguments: given,
    source: textOf(one, scope),
  };
  if (one.window !== undefined) {
    const { isNamed, partitionBy, orderBy } = one.window;
    const over = [...partitionBy, ...(orderBy?.by ?? [])].map((each) => readTerm(each, scope, reading));
    const what = `whether ${name}(…) OVER reads rows that are rewritten`;
    const whole = isNamed ? {} : { source: textOf(one, scope) };
    return { kind: 'open', what, arguments: [...given, ...over], ...whole };
  }
  if (groups(one, scope)) return gathered(name, one, given, scope, reading);
  const members = membersSet({ ...one, name });
  if (members.length > 0) {
    const pairs = members.flatMap(({ path, value }) => [valueTerm(path), readTerm(value, scope, reading)]);
    const document = setsMembers({ name }) ? given[0] : valueTerm(null);
    return apply('set members', document ?? valueTerm(null), ...pairs);
  }
  const member = memberRead(one);
  if (member !== undefined) return apply('member', readTerm(member.document, scope, reading), valueTerm(member.path));
  if (transparent.has(name) && given.length > 0) return given[0] ?? open;
  if (dateParts.has(name)) {
    const word = one.arguments[name === 'date_part' || name === 'extract' ? 0 : -1];
    if (word?.kind === 'column' && word.qualifier === undefined)
      return apply(name, valueTerm(word.name), ...given.slice(1));
  }
  if (truncating.has(name)) {
    const [first, second] = one.arguments;
    if (second?.kind === 'column' && first?.kind !== 'literal')
      return apply(name, given[0] ?? open, valueTerm(second.name));
  }
  return knownFunction(name) === undefined || !isReadable(name, given) ? open : apply(name, ...given);
}

/**
 * What a routine gives back that may return in several places. Its branches are not followed: where all but what it comes to
 * in the end give a fixed value or the argument itself, that end stands for it; else which one is reached decides.
 */
function returnedTerm(name: string, returned: readonly Returned[], scope: RowScope, reading: TermReading): Term {
  // What it calls itself, perhaps itself again, is not followed: its offsets are of another text.
  const inside: TermReading = { ...reading, returned: () => [] };
  const parts = returned.map(({ expression, text }) => readTerm(expression, { ...scope, text }, inside));
  const [first = valueTerm(null), ...others] = parts;
  if (others.length === 0) return first;
  const end = returned.findLastIndex(({ conditional }) => !conditional);
  const computed = parts.filter((part) => part.kind === 'apply' || part.kind === 'open');
  const [only] = computed;
  if (only !== undefined && computed.length === 1 && parts[end] === only) return only;
  if (only !== undefined) return { kind: 'open', what: `which RETURN of ${name}(…) is reached`, arguments: parts };
  return others.reduce(
    (found, part, index) =>
      apply('case', { kind: 'fixed', name: `return ${index} of ${name}`, isGiven: false }, part, found),
    first,
  );
}

/** A pattern says what it does where it is a plain one. */
const isReadable = (name: string, [, pattern]: readonly Term[]): boolean =>
  !name.startsWith('regexp') ||
  (pattern?.kind === 'value' && typeof pattern.value === 'string' && oneClass(pattern.value) !== undefined);

const takesText = /^(?:[lrb]?trim|upper|lower|initcap|left|right|substr(?:ing)?|replace|regexp_replace|md5)$/;

/** Gives a value of another type, or the same one; of a shape that is so already, the same shape. */
const transparent: ReadonlySet<string> = new Set(
  (
    'to_jsonb to_json tochar timestamp to_timestamp to_date json_unquote any_value text ' +
    'st_multi st_makevalid st_reduceprecision st_snaptogrid st_setsrid st_force2d st_force3d st_curvetoline'
  ).split(' '),
);
const dateParts = new Set(['extract', 'date_part']);
const truncating = new Set(['date_trunc', 'datetime_trunc', 'timestamp_trunc']);

/** Of all rows of a group. */
const alike: ReadonlySet<string> = new Set(
  'min max avg bool_and bool_or every any_value first_value last_value mode median'.split(' '),
);
const gathering: ReadonlySet<string> = new Set(
  'sum total array_agg string_agg listagg group_concat list group_array collect_list json_agg jsonb_agg'.split(' '),
);
const counting = new Set(['count', 'count_if', 'countif', 'approx_count_distinct']);

const groups = ({ name, window }: SqlExpression & { readonly kind: 'call' }, { block }: RowScope): boolean =>
  window === undefined && block !== undefined && (alike.has(name) || gathering.has(name) || counting.has(name));

/** What a group of rows comes to: of the old row and those that come in by UNION, or of the old row alone. */
function gathered(
  name: string,
  one: SqlExpression & { readonly kind: 'call' },
  given: readonly Term[],
  scope: RowScope,
  reading: TermReading,
): Term {
  const [value] = one.arguments;
  if (counting.has(name) || value === undefined) return fixed(one, scope);
  const parts = partsOf(value, scope).map(({ expression, scope: next }) => readTerm(expression, next, reading));
  const old = parts.filter((part) => ownColumns(part).size > 0);
  const term = given[0] ?? valueTerm(null);
  if (old.length > 0 && old.length < parts.length) {
    const [first, ...rest] = parts;
    const put =
      name === 'min' || name === 'max'
        ? `${name}_of`
        : alike.has(name)
          ? undefined
          : name === 'sum' || name === 'total'
            ? '+'
            : 'array_append';
    if (first === undefined || put === undefined)
      return { kind: 'open', what: `what ${name}(…) of old and new rows is`, arguments: parts };
    return put === 'array_append'
      ? apply(put, ...old, ...rest.filter((part) => !old.includes(part)).concat(old.includes(first) ? [] : [first]))
      : rest.reduce((sum, part) => apply(put, sum, part), first);
  }
  if (alike.has(name) || reading.by === 'moved') return term;
  if (ownColumns(term).size === 0) return term;
  return scope.block !== undefined && scope.block.from.length === 1
    ? { kind: 'open', what: `whether ${name}(…) is of one row alone`, arguments: given }
    : term;
}

/** What a column stands for in each part of a UNION, also with something in its place where it is NULL. */
function partsOf(one: SqlExpression, scope: RowScope): readonly { expression: SqlExpression; scope: RowScope }[] {
  if (one.kind === 'cast') return partsOf(one.operand, scope);
  if (one.kind === 'call' && /^(coalesce|ifnull|nvl|zeroifnull)$/.test(one.name) && one.arguments[0] !== undefined)
    return partsOf(one.arguments[0], scope);
  if (one.kind !== 'column' || scope.own(one) !== undefined) return [];
  const found = scope.follow(one);
  return found.length === 1 ? found.flatMap(({ expression, scope: next }) => partsOf(expression, next)) : found;
}

/** A query that gives one value. */
function subquery(query: QueryBlock, scope: RowScope, reading: TermReading): Term {
  const [item] = query.select;
  if (query.select.length !== 1 || item === undefined || query.then.length > 0)
    return { kind: 'fixed', name: scope.text.slice(query.start, query.end), isGiven: false };
  return readTerm(item.expression, scope.inside(query), reading);
}

const textOf = (span: { readonly start: number; readonly end: number }, { text }: RowScope): string =>
  text.slice(span.start, span.end).replace(/\s+/g, ' ');

const brief = (span: { readonly start: number; readonly end: number }, scope: RowScope): string =>
  textOf(span, scope).slice(0, 40);
