import type { SqlExpression } from '../../sql/model/expression.ts';
import { filtersOf, tablesOf, within } from '../../sql/model/sql-search.ts';
import type { Assignment, Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import { memberRead, membersSet, setsMembers } from './document-members.ts';
import { type OldValue, readOfOwnRow } from './old-value.ts';

/** A column whose new value is made of its old one, so that a second run changes it once more. */
export interface SelfAddition {
  readonly assignment: Assignment;
  /** A sum or difference; else a product, a text or list put together, a sign turned. */
  readonly adds: boolean;
  /** Rows that were counted before are left out. */
  readonly guarded: boolean;
}

/** What a table means in the statement. */
export interface TargetNames {
  /** Whether the word in front of a column means the target. */
  readonly isTarget: (qualifier: string) => boolean;
  readonly isSame: (table: TableReference) => boolean;
  /** What a routine of the database gives back for a call, as an expression of the caller. */
  readonly returned?: (call: SqlExpression & { readonly kind: 'call' }) => readonly SqlExpression[];
}

/** SET of UPDATE and upsert, and of the branches of a MERGE; each once. */
export function assignmentsOf(statement: Statement): Assignment[] {
  const all = [...statement.assignments, ...statement.branches.flatMap((branch) => branch.assignments)];
  return [...new Map(all.map((assignment) => [`${assignment.start} ${assignment.column}`, assignment])).values()];
}

/** The assignments of a statement that make a value of a row that is there from its old value. */
export function selfAdditions(statement: Statement, names: TargetNames): readonly SelfAddition[] {
  const all = assignmentsOf(statement);
  const found = all.filter((one) => remakes(statement, one, names));
  if (found.length === 0) return [];
  const plain = new Set(all.filter((one) => !found.includes(one)).map(({ column }) => lastPart(column)));
  const ledger = hasLedger(statement, plain, names);
  return found.map((assignment) => {
    const { value } = assignment;
    const { follow } = oldOf(statement, assignment, names);
    const adds = isSum(value) || follow(value).some(({ expression, old }) => sums(expression, old));
    const filters = filtersOf(statement).map(({ conjunct }) => conjunct);
    const own = oldValue(assignment, names);
    const told = asksOld(value.kind === 'case' ? [value, ...filters] : filters, own);
    // `v = -v WHERE v < 0` finds nothing the second time; a sum that asks for its old value goes on adding.
    return { assignment, adds, guarded: ledger || isMarked(value, plain, names) || (!adds && told) };
  });
}

const oldValue =
  ({ column }: Assignment, { isTarget }: TargetNames): Is =>
  (one) =>
    one.kind === 'column' && one.name === lastPart(column) && (one.qualifier === undefined || isTarget(one.qualifier));

const remakes = (statement: Statement, assignment: Assignment, names: TargetNames): boolean => {
  const old = oldOf(statement, assignment, names);
  const qualified = (one: SqlExpression): boolean =>
    one.kind === 'column' && one.qualifier !== undefined && old.is(one);
  return changes(assignment.value, assignment.column, old, { is: qualified, ...followsNothing });
};

/** The old value of the column that is set, wherever the statement has it from. */
function oldOf(statement: Statement, assignment: Assignment, names: TargetNames): OldValue {
  const is = oldValue(assignment, names);
  const read = readOfOwnRow(statement, lastPart(assignment.column), names.isTarget, names.isSame);
  const old: OldValue = {
    is,
    follow: (one) =>
      one.kind === 'call' ? (names.returned?.(one) ?? []).map((expression) => ({ expression, old })) : read.follow(one),
    parts: read.parts,
  };
  return old;
}

/** Of their own result they make another one; `%`, `&` and `|` do not. */
const growing = new Set(['+', '-', '*', '/', '||', '^', '**', '<<', '>>']);
const turning = new Set(['-', 'not', '~']);
const lists =
  'array_append array_prepend array_cat array_concat array_push array_insert list_append list_prepend list_concat list_cat arrayconcat arraypushback concat concat_ws power pow add_months adddate subdate date_add date_sub dateadd datetime_add timestamp_add timestamp_sub timestampadd json_array_append shiftleft shiftright bitshiftleft bitshiftright';
const growingCalls = new Set(lists.split(' '));
/** What was put in twice is one again. */
const distinct = new Set(['array_distinct', 'list_distinct', 'array_union', 'array_uniq', 'array_unique', 'set_union']);

/** Of all rows of a group, so that the old value among them makes another one. */
const gathering = new Set(
  'sum total array_agg string_agg listagg group_concat list group_array collect_list json_agg jsonb_agg'.split(' '),
);
const followsNothing = { follow: () => [], parts: () => [] };

/** The old value and what comes in, put together by UNION. */
function joinsOld(one: SqlExpression, own: OldValue): boolean {
  if (one.kind === 'cast') return joinsOld(one.operand, own);
  if (one.kind === 'call' && nullGuards.has(one.name)) return one.arguments.slice(0, 1).some((of) => joinsOld(of, own));
  if (own.follow(one).some(({ expression, old }) => joinsOld(expression, old))) return true;
  const old = own.parts(one).map((part) => isOld(part.expression, part.old));
  return old.includes(true) && old.includes(false);
}

type Is = (one: SqlExpression) => boolean;

/** Whether a value, given for a column, differs from the old one each time that it is computed again. */
function changes(value: SqlExpression, column: string, own: OldValue, qualified: OldValue): boolean {
  const again = (one: SqlExpression) => changes(one, column, own, qualified);
  const holds = (one: SqlExpression) => isOld(one, own) || again(one);
  switch (value.kind) {
    case 'column':
      return own.follow(value).some(({ expression, old }) => changes(expression, column, old, old));
    case 'cast':
      return again(value.operand);
    case 'case':
      return value.parts.some(again);
    case 'opaque':
      return value.parts.length === 1 && value.parts.some(again);
    case 'subquery':
      // A bare name in there is rather one of its own tables.
      return value.query.from.length === 0
        ? value.query.select.some(({ expression }) => again(expression))
        : value.query.select.some(({ expression }) => changes(expression, column, qualified, qualified));
    case 'unary':
      return turning.has(value.operator.toLowerCase()) && holds(value.operand);
    case 'binary': {
      const { left, operator, right } = value;
      // `(bits << 1) & 255`: what is done to the result is done to the change in it.
      if (!growing.has(operator))
        return !/^(and|or|[<>=!].*|is .*|like|in)$/i.test(operator) && (again(left) || again(right));
      if (operator === '||' && mergesDocument(value, column)) return again(left) || again(right);
      if (neutral(left, operator) || neutral(right, operator)) return false;
      return holds(left) || holds(right);
    }
    case 'call': {
      if (own.follow(value).some(({ expression, old }) => changes(expression, column, old, qualified))) return true;
      const name = lastPart(value.name);
      // `lag(n) OVER (…)` and a running sum are made of other rows.
      if (distinct.has(name) || value.window !== undefined) return false;
      const members = membersSet({ ...value, name });
      if (members.some((one) => changes(one.value, column, memberOf(own, one.path), qualified))) return true;
      if (members.length > 0 || setsMembers({ name })) return value.arguments.slice(0, 1).some(again);
      if (gathering.has(name) && value.arguments.slice(0, 1).some((one) => joinsOld(one, own))) return true;
      return value.arguments.some(growingCalls.has(name) ? holds : again);
    }
    default:
      return false;
  }
}

/** `+ 0`, `* 1`, `|| ''` only turn a value into another type. */
function neutral(one: SqlExpression, operator: string): boolean {
  if (one.kind !== 'literal') return false;
  if (one.type === 'string') return operator === '||' && one.text === '';
  return one.type === 'number' && Number(one.text) === (['+', '-', '<<', '>>'].includes(operator) ? 0 : 1);
}

const nullGuards = new Set(['coalesce', 'ifnull', 'nvl', 'isnull', 'zeroifnull', 'greatest', 'round']);

/** The old value itself, with something in its place where it is NULL, or in another type. */
function isOld(one: SqlExpression, own: OldValue): boolean {
  if (one.kind === 'opaque') return one.parts.length === 1 && one.parts.every((part) => isOld(part, own));
  if (one.kind === 'cast') return isOld(one.operand, own);
  if (one.kind === 'call' && nullGuards.has(one.name)) {
    const [first] = one.arguments;
    return first !== undefined && isOld(first, own);
  }
  return own.is(one) || own.follow(one).some(({ expression, old }) => isOld(expression, old));
}

/** The old value of one member of a document: what is read of another member stays what it is. */
const memberOf = (own: OldValue, path: string): OldValue => ({
  is: (one) => {
    const read = memberRead(one);
    return read !== undefined && read.path === path && isOld(read.document, own);
  },
  ...followsNothing,
});

const documentName =
  /(^|_)(jsonb?|attr(ibute)?s|prop(ertie)?s|meta(data)?|payload|settings|config|params|extras?|options|labels|details|data|doc(ument)?|hstore)(_|$)/;

/** `||` on documents puts the same members in again. The type of a column is not known here: what stands beside it tells. */
function mergesDocument(value: SqlExpression & { kind: 'binary' }, column: string): boolean {
  if (documentName.test(lastPart(column).toLowerCase())) return true;
  return within(value).some(
    (one) =>
      (one.kind === 'cast' && /^(jsonb?|hstore)\b/i.test(one.type)) ||
      (one.kind === 'call' && /json|hstore/i.test(one.name)) ||
      (one.kind === 'literal' && one.type === 'string' && /^\{.*:.*\}$/s.test(one.text.trim())),
  );
}

function isSum(value: SqlExpression): boolean {
  if (value.kind === 'binary') return value.operator === '+' || value.operator === '-';
  if (value.kind === 'cast') return isSum(value.operand);
  if (value.kind === 'call') return value.name === 'sum' || value.arguments.some(isSum);
  if (value.kind === 'subquery') return value.query.select.some(({ expression }) => isSum(expression));
  return (value.kind === 'case' || value.kind === 'opaque') && value.parts.some(isSum);
}

const sums = (value: SqlExpression, old: OldValue): boolean =>
  isSum(value) || old.follow(value).some((next) => sums(next.expression, next.old));

/** Rows that were counted before are left out: an anti-join on another table, a processed flag, or an applied mark. */
function hasLedger(statement: Statement, marks: ReadonlySet<string>, names: TargetNames): boolean {
  for (const { conjunct } of filtersOf(statement)) {
    for (const one of within(conjunct)) {
      if ((one.kind === 'exists' || one.kind === 'in') && one.negated && one.query) {
        if (tablesOf(one.query).some((item) => !names.isSame(item.table))) return true;
      }
      // `booked_on = '{{ ds }}'` is the day of the row, and no mark of what was done to it.
      const isDated = within(conjunct).some(({ kind }) => kind === 'hole' || kind === 'template-string');
      if (
        one.kind === 'column' &&
        !isDated &&
        /(^|_)(processed|applied|counted|consumed|posted|booked)(_|$)/.test(one.name)
      )
        return true;
      if (comparesMark(one, marks, names)) return true;
    }
  }
  return false;
}

/** A CASE that adds only where a mark tells that it has not been done. */
const isMarked = (value: SqlExpression, marks: ReadonlySet<string>, names: TargetNames): boolean =>
  value.kind === 'case' && within(value).some((one) => comparesMark(one, marks, names));

/** A comparison with the old value: what a first run has changed is then perhaps left as it is. */
const asksOld = (expressions: readonly SqlExpression[], own: Is): boolean =>
  expressions
    .flatMap(within)
    .some(
      (one) =>
        ((one.kind === 'binary' && !growing.has(one.operator) && !/^(and|or)$/i.test(one.operator)) ||
          one.kind === 'in' ||
          one.kind === 'between') &&
        within(one).some(own),
    );

const comparesMark = (one: SqlExpression, marks: ReadonlySet<string>, { isTarget }: TargetNames): boolean =>
  one.kind === 'binary' &&
  /^(<|<=|<>|!=|is distinct from)$/i.test(one.operator) &&
  one.left.kind === 'column' &&
  marks.has(one.left.name) &&
  (one.left.qualifier === undefined || isTarget(one.left.qualifier));

const lastPart = (name: string): string => name.split('.').at(-1) ?? name;
