import { isAggregate } from '../../../sql/calls/is-aggregate.ts';
import type { FromItem, QueryBlock, SelectItem, SqlExpression } from '../../../sql/model/expression.ts';
import { within } from '../../../sql/model/sql-search.ts';
import type { Value } from '../../repeats/term.ts';
import { NotRun } from './not-run.ts';
import { goesDown, orderOf } from './ordering.ts';
import type { Relation, RowInSight, Scene, Sight } from './relation.ts';
import { isCalled, runExpression } from './run-expression.ts';

/** A common table in sight, run when it is asked for. */
export interface Common {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: () => Relation;
}

/** The rows that a query gives. Throws {@link NotRun}. */
export function runQuery(query: QueryBlock, sight: Sight, scene: Scene, outer: readonly Common[] = []): Relation {
  let common = outer;
  for (const { name, columns, query: inner } of query.with) {
    const known = common;
    const rows = once(() => scene.putOut.get(inner.start) ?? runQuery(inner, { ...sight, levels: [] }, scene, known));
    common = [{ name, columns, rows }, ...known];
  }
  const first = runBlock(query, sight, scene, common);
  let { rows } = first;
  for (const { operator, query: next } of query.then)
    rows = combined(operator, rows, runQuery(next, sight, scene, common).rows);
  return { columns: first.columns, rows };
}

type Rows = Relation['rows'];

function combined(operator: QueryBlock['then'][number]['operator'], rows: Rows, others: Rows): Rows {
  const keys = new Set(others.map(keyOf));
  switch (operator) {
    case 'union all':
      return [...rows, ...others];
    case 'union':
      return distinct([...rows, ...others]);
    case 'except':
      return distinct(rows.filter((row) => !keys.has(keyOf(row))));
    case 'intersect':
      return distinct(rows.filter((row) => keys.has(keyOf(row))));
  }
}

function once<T>(make: () => T): () => T {
  let made: { readonly of: T } | undefined;
  return () => {
    made ??= { of: make() };
    return made.of;
  };
}

const keyOf = (row: readonly Value[]): string => JSON.stringify(row);
const distinct = (rows: readonly (readonly Value[])[]): readonly (readonly Value[])[] => [
  ...new Map(rows.map((row) => [keyOf(row), row])).values(),
];

function runBlock(block: QueryBlock, outer: Sight, scene: Scene, common: readonly Common[]): Relation {
  const { text } = scene.masked;
  if (block.qualify.length > 0) throw new NotRun('QUALIFY');
  const inner = (query: QueryBlock, sight: Sight): Relation => runQuery(query, sight, scene, common);
  const value = (one: SqlExpression, sight: Sight): Value => runExpression(one, sight, scene, inner);
  const holds = (conditions: readonly SqlExpression[], sight: Sight): boolean =>
    conditions.every((one) => value(one, sight) === true);
  const all = joined(block.from, outer, scene, common, value)
    .map((level): Sight => ({ variables: outer.variables, levels: [level, ...outer.levels] }))
    .filter((sight) => holds(block.where, sight));
  const isGrouped =
    block.groupBy.length > 0 || [...block.select.map(({ expression }) => expression), ...block.having].some(aggregates);
  let rows: readonly Sight[] = isGrouped ? groupsOf(block, all, outer, value) : all;
  rows = rows.filter((sight) => holds(block.having, sight));
  rows = rows.map((sight) => ({ ...sight, peers: rows }));
  const columns = block.select.flatMap((item) => namesOf(item, rows[0], block, scene, common));
  let given = rows.map((sight) => ({ sight, row: block.select.flatMap((item) => valuesOf(item, sight, value)) }));
  if (block.orderBy !== undefined) {
    const { orderBy } = block;
    const down = goesDown(orderBy, text);
    const keys = given.map((one) => ({
      one,
      by: orderBy.by.map((each) => {
        if (each.kind === 'literal' && each.type === 'number') return one.row[Number(each.text) - 1] ?? null;
        const at = each.kind === 'column' && each.qualifier === undefined ? columns.indexOf(each.name) : -1;
        return at === -1 ? value(each, one.sight) : (one.row[at] ?? null);
      }),
    }));
    given = keys.sort((a, b) => orderOf(a.by, b.by, down)).map(({ one }) => one);
  }
  if (block.distinctOn !== undefined) {
    const on = block.distinctOn;
    given = [
      ...new Map([...given].reverse().map((one) => [keyOf(on.map((each) => value(each, one.sight))), one])).values(),
    ].reverse();
  }
  let found = given.map(({ row }) => row as readonly Value[]);
  if (block.distinct && block.distinctOn === undefined) found = [...distinct(found)];
  if (block.limit !== undefined) {
    const count = /^\s*(?:limit|fetch\s+(?:first|next))?\s*(\d+)\s*(?:rows?\s+only)?\s*$/i.exec(
      text.slice(block.limit.start, block.limit.end),
    )?.[1];
    if (count === undefined) throw new NotRun('LIMIT');
    // The made-up tables are small: what is many there is two rows here.
    found = found.slice(0, Math.min(Number(count), 2));
  }
  return { columns, rows: found };
}

const aggregates = (one: SqlExpression): boolean =>
  within(one).some(
    (call) =>
      call.kind === 'call' && call.window === undefined && isAggregate(call.name.slice(call.name.lastIndexOf('.') + 1)),
  );

/** One row for each group; without GROUP BY one for all, also of no rows. */
function groupsOf(
  { groupBy, select }: QueryBlock,
  all: readonly Sight[],
  outer: Sight,
  value: (one: SqlExpression, sight: Sight) => Value,
): readonly Sight[] {
  const by = groupBy.map((one) => {
    if (one.kind === 'literal' && one.type === 'number') return select[Number(one.text) - 1]?.expression ?? one;
    const named =
      one.kind === 'column' && one.qualifier === undefined
        ? select.find(({ alias, name }) => alias !== undefined && name === one.name)
        : undefined;
    return named?.expression ?? one;
  });
  const groups = new Map<string, Sight[]>();
  for (const sight of all) {
    const key = keyOf(by.map((one) => value(one, sight)));
    groups.set(key, [...(groups.get(key) ?? []), sight]);
  }
  if (by.length === 0) return [{ ...(all[0] ?? outer), group: all }];
  return [...groups.values()].flatMap((group) => (group[0] === undefined ? [] : [{ ...group[0], group }]));
}

function namesOf(
  { expression, name }: SelectItem,
  sample: Sight | undefined,
  block: QueryBlock,
  scene: Scene,
  common: readonly Common[],
): readonly string[] {
  if (expression.kind !== 'star') return [name ?? ''];
  const level: readonly { readonly alias: string; readonly columns: readonly string[] }[] =
    sample?.levels[0] ?? block.from.map((item) => ({ alias: aliasOf(item), columns: columnsOf(item, scene, common) }));
  return starred(level, expression.qualifier).flatMap(({ columns }) => columns.filter((one) => one !== 'ctid'));
}

const valuesOf = (
  { expression }: SelectItem,
  sight: Sight,
  value: (one: SqlExpression, sight: Sight) => Value,
): readonly Value[] =>
  expression.kind === 'star'
    ? starred(sight.levels[0] ?? [], expression.qualifier).flatMap(({ columns, values }) =>
        columns.flatMap((name, index) => (name === 'ctid' ? [] : [values?.[index] ?? null])),
      )
    : [value(expression, sight)];

function starred<T extends { readonly alias: string }>(
  level: readonly T[],
  qualifier: string | undefined,
): readonly T[] {
  return qualifier === undefined
    ? level
    : level.filter((one) => isCalled({ ...one, columns: [], values: undefined }, qualifier));
}

export const aliasOf = (item: FromItem): string =>
  item.alias ?? (item.kind === 'table' ? (item.cte ?? item.table.name) : item.kind === 'function' ? item.name : '');

/** Columns of an entry of FROM that has no rows to tell. */
function columnsOf(item: FromItem, scene: Scene, common: readonly Common[]): readonly string[] {
  if (item.kind === 'table')
    return item.cte === undefined
      ? (scene.tables.get(item.table.name)?.columns ?? [])
      : (common.find(({ name }) => name === item.cte)?.rows().columns ?? []);
  return [];
}

/** All rows of FROM, joined; with the rows of `before` beside them. */
export function joined(
  from: readonly FromItem[],
  outer: Sight,
  scene: Scene,
  common: readonly Common[],
  value: (one: SqlExpression, sight: Sight) => Value,
): readonly (readonly RowInSight[])[] {
  let found: readonly (readonly RowInSight[])[] = [[]];
  for (const item of from) {
    const alias = aliasOf(item);
    const asked = (level: readonly RowInSight[], using: readonly string[]): boolean => {
      const sight = { variables: outer.variables, levels: [level, ...outer.levels] };
      const [own] = level.slice(-1);
      return (
        item.on.every((one) => value(one, sight) === true) &&
        using.every((name) => {
          const at = own?.columns.indexOf(name) ?? -1;
          const mine = own?.values?.[at] ?? null;
          const other = level.slice(0, -1).find(({ columns }) => columns.includes(name));
          const theirs = other?.values?.[other.columns.indexOf(name)] ?? null;
          return mine !== null && theirs !== null && keyOf([mine]) === keyOf([theirs]);
        })
      );
    };
    const rowsOf = (level: readonly RowInSight[]): Relation => {
      if (item.kind === 'function') throw new NotRun(item.name);
      if (item.kind === 'query') {
        const isLateral = item.join === 'lateral';
        const sight = isLateral
          ? { variables: outer.variables, levels: [level, ...outer.levels] }
          : { variables: outer.variables, levels: outer.levels };
        return runQuery(item.query, sight, scene, common);
      }
      if (item.cte !== undefined) {
        const table = common.find(({ name }) => name === item.cte);
        if (table === undefined) throw new NotRun(item.cte);
        const rows = table.rows();
        return table.columns.length === 0 ? rows : { ...rows, columns: table.columns };
      }
      const table = scene.tables.get(item.table.name);
      if (table === undefined) throw new NotRun(item.table.name);
      return table;
    };
    const outerJoin = item.join === 'left' || item.join === 'full';
    if (item.join === 'other') throw new NotRun('a join');
    const fixed = item.join === 'lateral' ? undefined : rowsOf([]);
    const matched = new Set<readonly Value[]>();
    const next: (readonly RowInSight[])[] = [];
    for (const level of found) {
      const { columns, rows } = fixed ?? rowsOf(level);
      let any = false;
      for (const values of rows) {
        const both = [...level, { alias, columns, values }];
        if (!asked(both, item.using)) continue;
        any = true;
        matched.add(values);
        next.push(both);
      }
      if (!any && outerJoin) next.push([...level, { alias, columns, values: undefined }]);
    }
    if (item.join === 'right' || item.join === 'full') {
      if (fixed === undefined) throw new NotRun('a join');
      const [sample = []] = found;
      for (const values of fixed.rows) {
        if (matched.has(values)) continue;
        next.push([...sample.map((one) => ({ ...one, values: undefined })), { alias, columns: fixed.columns, values }]);
      }
    }
    found = next;
  }
  return found;
}
