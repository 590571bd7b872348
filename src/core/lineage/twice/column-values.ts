import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { Assignment, Statement } from '../../sql/model/statement.ts';
import { walkExpressions, walkInside, walkQueries } from '../../sql/model/walk.ts';
import { knownFunction } from '../repeats/known-functions.ts';
import type { Value } from '../repeats/term.ts';
import { NotRun } from './rows/not-run.ts';
import type { Scene } from './rows/relation.ts';
import { isCalled, runExpression } from './rows/run-expression.ts';
import type { piecesOf } from './statements/program.ts';

/** What columns may hold, by name: those that are compared with each other or put into each other share their values. */
export interface ColumnValues {
  readonly names: readonly string[];
  readonly poolOf: (name: string) => readonly Value[];
  /** A statement asks whether it is NULL, in a row that is there. */
  readonly isAskedForNull: (name: string) => boolean;
}

/** Names of what tells rows apart. */
export const isIdName = (name: string): boolean => /(^|_)(id|key|pk|uuid|nr|no|sku|code)$/.test(name);

export function columnValues(pieces: ReturnType<typeof piecesOf>, given: Scene['given']): ColumnValues {
  const names = new Set<string>();
  const parent = new Map<string, string>();
  const constants = new Map<string, Value[]>();
  const types = new Map<string, 'number' | 'text' | 'boolean'>();
  const nulls = new Set<string>();
  const variables = new Set(pieces.variables);
  const root = (name: string): string => {
    const up = parent.get(name);
    return up === undefined || up === name ? name : root(up);
  };
  const join = (a: string, b: string): void => void (root(a) === root(b) || parent.set(root(a), root(b)));
  const add = (name: string): void =>
    void (names.has(name) || variables.has(name) || /[^\w$]/.test(name) || names.add(name));

  const meet = (a: SqlExpression, b: SqlExpression, constant: (one: SqlExpression) => Value | undefined): void => {
    const [left, right] = [sourcesOf(a), sourcesOf(b)];
    for (const x of left) for (const y of right) join(x, y);
    for (const [of, other] of [
      [left, b],
      [right, a],
    ] as const) {
      const value = constant(other);
      if (value !== undefined && value !== null)
        for (const name of of) constants.set(name, [...(constants.get(name) ?? []), value]);
    }
  };
  const put = (column: string, value: SqlExpression, constant: (one: SqlExpression) => Value | undefined): void => {
    const name = column.split('.').at(-1) ?? column;
    add(name);
    const { start, end } = value;
    meet({ kind: 'column', qualifier: undefined, name, start, end }, value, constant);
  };
  const take = (one: SqlExpression, constant: (of: SqlExpression) => Value | undefined): void => {
    if (one.kind === 'column') add(one.name);
    if (one.kind === 'binary' && (comparing.test(one.operator) || /^[+-]$/.test(one.operator))) {
      if (comparing.test(one.operator)) meet(one.left, one.right, constant);
    }
    if (one.kind === 'between') for (const bound of [one.low, one.high]) meet(one.operand, bound, constant);
    if (one.kind === 'in') {
      for (const entry of one.list) meet(one.operand, entry, constant);
      const wanted = one.operand.kind === 'opaque' ? one.operand.parts : [one.operand];
      for (const [index, item] of (one.query?.select ?? []).entries()) {
        const operand = wanted[index];
        if (operand !== undefined) meet(operand, item.expression, constant);
      }
    }
    const takes = one.kind === 'call' ? one.name : one.kind === 'binary' ? one.operator : undefined;
    const parts = one.kind === 'call' ? one.arguments : one.kind === 'binary' ? [one.left, one.right] : [];
    const known = takes === undefined ? undefined : knownFunction(takes);
    for (const [index, part] of parts.entries()) {
      const type = known?.takes[Math.min(index, known.takes.length - 1)];
      if (type === 'number' || type === 'text' || type === 'boolean')
        for (const name of sourcesOf(part)) types.set(name, type);
    }
    if (one.kind === 'unary' && one.operator === 'not')
      for (const name of sourcesOf(one.operand)) types.set(name, 'boolean');
  };
  const conditionsIn = (conjuncts: readonly SqlExpression[], from: QueryBlock['from']): void => {
    for (const conjunct of conjuncts) {
      if (conjunct.kind === 'column') types.set(conjunct.name, 'boolean');
      for (const one of within(conjunct)) {
        if (one.kind !== 'unary' || !/^is (not )?null$/.test(one.operator) || one.operand.kind !== 'column') continue;
        const { qualifier, name } = one.operand;
        const item = from.find(
          (entry) =>
            qualifier !== undefined &&
            isCalled(
              {
                alias: entry.alias ?? (entry.kind === 'table' ? entry.table.name : ''),
                columns: [],
                values: undefined,
              },
              qualifier,
            ),
        );
        const isOptional = from.some(({ join }) => join === 'right' || join === 'full') || item?.join === 'left';
        if (!isOptional && !(qualifier === undefined && from.some(({ join }) => join === 'left'))) nulls.add(name);
      }
    }
  };
  const ofStatement = (statement: Statement, constant: (of: SqlExpression) => Value | undefined): void => {
    const sets: readonly Assignment[] = [
      ...statement.assignments,
      ...statement.branches.flatMap(({ assignments }) => assignments),
    ];
    for (const { column, value } of sets) {
      put(column, value, constant);
      walkInside(value, (one) => take(one, constant));
    }
    walkExpressions(statement, (one) => take(one, constant));
    for (const name of [...statement.columns, ...(statement.conflict?.key ?? [])]) add(name);
    for (const [index, column] of statement.columns.entries()) {
      const queries =
        statement.query === undefined ? [] : [statement.query, ...statement.query.then.map(({ query }) => query)];
      for (const { select } of queries) {
        const value = select[index]?.expression;
        if (value !== undefined) put(column, value, constant);
      }
      const width = statement.valueRows === 0 ? 1 : statement.values.length / statement.valueRows;
      for (let at = index; at < statement.values.length; at += width) {
        const value = statement.values[at];
        if (value !== undefined) put(column, value, constant);
      }
    }
    for (const branch of statement.branches)
      for (const [index, column] of branch.columns.entries()) {
        const value = branch.values[index];
        if (value !== undefined) put(column, value, constant);
      }
    conditionsIn(statement.where, statement.from);
    walkQueries(statement, (block) => {
      conditionsIn([...block.where, ...block.from.flatMap(({ on }) => on)], block.from);
      for (const { expression, name } of block.select)
        if (name !== undefined && expression.kind !== 'star') put(name, expression, constant);
      for (const item of block.from) for (const name of item.using) add(name);
      // A walk over a query leaves these out.
      for (const one of [...(block.orderBy?.by ?? []), ...(block.distinctOn ?? [])])
        walkInside(one, (inner) => take(inner, constant));
    });
  };
  for (const { statement, masked } of pieces.statements) {
    const constant = constantsOf(masked, given);
    for (const one of [statement, ...statement.modifying]) ofStatement(one, constant);
  }
  for (const { expression, masked } of pieces.expressions) {
    const constant = constantsOf(masked, given);
    walkInside(expression, (one) => take(one, constant));
  }
  const all = [...names].filter((name) => name !== 'ctid' && name !== 'excluded');
  const pools = new Map<string, readonly Value[]>();
  const poolOf = (name: string): readonly Value[] => {
    const at = root(name);
    const known = pools.get(at);
    if (known !== undefined) return known;
    const alike = [...new Set([...all, name])].filter((other) => root(other) === at);
    const pool = poolFor(
      alike,
      alike.flatMap((other) => constants.get(other) ?? []),
      alike.map((other) => types.get(other)).find((type) => type !== undefined),
    );
    pools.set(at, pool);
    return pool;
  };
  return { names: all, poolOf, isAskedForNull: (name) => nulls.has(name) };
}

const comparing = /^([<>=!]+|is (not )?distinct from|like)$/;

/** The columns whose values an expression has. */
function sourcesOf(one: SqlExpression): readonly string[] {
  switch (one.kind) {
    case 'column':
      return [one.name];
    case 'cast':
    case 'unary':
      return sourcesOf(one.operand);
    case 'opaque':
      return one.parts.length === 1 ? one.parts.flatMap(sourcesOf) : [];
    case 'subquery':
      return one.query.select.length === 1 ? one.query.select.flatMap(({ expression }) => sourcesOf(expression)) : [];
    case 'call':
      return alike.test(one.name) ? one.arguments.flatMap(sourcesOf) : [];
    case 'binary':
      return /^[+-]$/.test(one.operator) ? sourcesOf(one.left) : [];
    default:
      return [];
  }
}
const alike =
  /^(min|max|coalesce|ifnull|nvl|nullif|greatest|least|upper|lower|trim|date|date_trunc|any_value|percentile_\w+|avg)$/;

function constantsOf(masked: Scene['masked'], given: Scene['given']): (one: SqlExpression) => Value | undefined {
  const scene: Scene = {
    masked,
    tables: new Map(),
    putOut: new Map(),
    isAnew: () => false,
    given,
    clock: null,
    anew: () => '~',
  };
  return (one) => {
    try {
      return runExpression(one, { levels: [], variables: new Map() }, scene, () => {
        throw new NotRun('a query');
      });
    } catch (error) {
      if (error instanceof NotRun) return undefined;
      throw error;
    }
  };
}

function poolFor(
  names: readonly string[],
  constants: readonly Value[],
  type: 'number' | 'text' | 'boolean' | undefined,
): readonly Value[] {
  const numbers = constants.filter((value) => typeof value === 'number');
  const texts = constants.filter((value) => typeof value === 'string');
  if (type === 'boolean' || constants.some((value) => typeof value === 'boolean')) return [true, false];
  if (texts.length > 0 || (type === 'text' && numbers.length === 0)) return [...new Set([...texts, 'a', 'b', 'c'])];
  if (names.some(isIdName) && numbers.length === 0) return [1, 2, 3, 4, 5, 6, 7];
  // Around each constant, so that every comparison goes both ways.
  return [
    ...new Set(
      numbers.length === 0 ? [1, 2, 3, 4, 5, 6] : numbers.flatMap((value) => [value - 1, value, value, value + 1]),
    ),
  ];
}
