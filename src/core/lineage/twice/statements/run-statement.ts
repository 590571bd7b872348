import type { FromItem, QueryBlock, SqlExpression } from '../../../sql/model/expression.ts';
import type { Assignment, Statement } from '../../../sql/model/statement.ts';
import type { Value } from '../../repeats/term.ts';
import { NotRun, Refused } from '../rows/not-run.ts';
import type { NamedRow, Relation, RowInSight, Scene, Sight, WorldTable } from '../rows/relation.ts';
import { runExpression } from '../rows/run-expression.ts';
import { type Common, joined, runQuery } from '../rows/run-query.ts';
import { type Change, type Evaluate, type Row, rowOf } from './change.ts';
import { merged } from './run-merge.ts';
import { arbitersOf, clashes } from './world-keys.ts';

export type Tables = ReadonlyMap<string, WorldTable>;

/** What a statement leaves. */
export interface Ran {
  readonly tables: Tables;
  readonly affected: number;
  /** Of RETURNING, and of a plain query. */
  readonly putOut: Relation;
}

const nothing: Relation = { columns: [], rows: [] };

/** Runs one statement. Throws {@link NotRun} and {@link Refused}. */
export function runStatement(
  statement: Statement,
  tables: Tables,
  variables: Sight['variables'],
  scene: Omit<Scene, 'tables' | 'putOut'>,
): Ran {
  const { kind, target, query } = statement;
  const putOut = new Map<number, Relation>();
  const whole: Scene = { ...scene, tables, putOut };
  const blank: Sight = { levels: [], variables };
  switch (kind) {
    case 'begin':
    case 'commit':
    case 'create_table':
      return { tables: kind === 'create_table' ? withMade(statement, tables) : tables, affected: 0, putOut: nothing };
    case 'select': {
      const found = query === undefined ? nothing : runQuery(query, blank, whole);
      return { tables, affected: found.rows.length, putOut: found };
    }
    case 'create_table_as': {
      if (target === undefined || query === undefined) throw new NotRun(kind);
      const rows = runQuery(query, blank, whole);
      return { tables: new Map([...tables, [target.name, asTable(rows, whole)]]), affected: 0, putOut: nothing };
    }
    case 'drop': {
      const left = new Map(tables);
      for (const { name } of statement.targets) left.delete(name);
      return { tables: left, affected: 0, putOut: nothing };
    }
    case 'truncate': {
      const left = new Map(tables);
      for (const { name } of statement.targets) left.set(name, { ...tableOf(tables, name), rows: [] });
      return { tables: left, affected: 0, putOut: nothing };
    }
  }
  const common = commonOf(statement, blank, whole);
  const parts: Change[] = [];
  for (const inner of statement.modifying) {
    const block = [...statement.with, ...(query?.with ?? [])].find(({ query: of }) => of.start === inner.start)?.query;
    const change = changeOf(inner, tables, blank, whole, common, block);
    parts.push(change);
    putOut.set(inner.start, change.putOut);
  }
  // What WITH changes and nobody asks for is done last.
  const isAsked = statement.modifying.length > 0 && parts.length > 0 && namesCommon(statement);
  const before = isAsked ? parts.reduce((found, change) => applied(change, found), tables) : tables;
  const main = changeOf(statement, before, blank, whole, common, undefined);
  parts.push(main);
  return {
    tables: parts.reduce((found, change) => applied(change, found), tables),
    affected: main.affected,
    putOut: main.putOut,
  };
}

const tableOf = (tables: Tables, name: string): WorldTable => {
  const table = tables.get(name);
  if (table === undefined) throw new NotRun(name);
  return table;
};

const asTable = ({ columns, rows }: Relation, scene: Scene): WorldTable => ({
  columns: [...columns, 'ctid'],
  rows: rows.map((row) => [...row, scene.anew()]),
  keys: [],
  numbered: [],
  isOrdered: true,
});

function withMade({ target, definitions, ifNotExists, temporary, keys }: Statement, tables: Tables): Tables {
  if (target === undefined || definitions.length === 0) throw new NotRun('a table that is made');
  if (tables.has(target.name) && !temporary) {
    if (ifNotExists) return tables;
    throw new NotRun('a table that is there');
  }
  const made: WorldTable = {
    columns: [...definitions.map(({ name }) => name), 'ctid'],
    rows: [],
    keys: keys.map((columns) => ({ columns })),
    numbered: definitions.filter(({ numbered }) => numbered === true).map(({ name }) => name),
    isOrdered: true,
  };
  return new Map([...tables, [target.name, made]]);
}

/** Common tables in front of a statement. */
function commonOf(statement: Statement, blank: Sight, scene: Scene): readonly Common[] {
  let found: readonly Common[] = [];
  for (const { name, columns, query } of statement.kind === 'insert' ? (statement.query?.with ?? []) : statement.with) {
    const known = found;
    const rows = (): Relation => scene.putOut.get(query.start) ?? runQuery(query, blank, scene, known);
    found = [{ name, columns, rows }, ...known];
  }
  return found;
}

/** Whether the statement itself reads one of the common tables that change rows. */
function namesCommon({ modifying, query, with: common, from }: Statement): boolean {
  const names = [...common, ...(query?.with ?? [])]
    .filter((table) => modifying.some(({ start }) => start === table.query.start))
    .map(({ name }) => name);
  const items = (block: QueryBlock): readonly FromItem[] => [
    ...block.from,
    ...block.then.flatMap((next) => items(next.query)),
  ];
  return [...from, ...(query === undefined ? [] : items(query))].some(
    (item) => item.kind === 'table' && item.cte !== undefined && names.includes(item.cte),
  );
}

function applied({ table, removed, added }: Change, tables: Tables): Tables {
  const known = tableOf(tables, table);
  const at = known.columns.indexOf('ctid');
  const rows = [...known.rows.filter((row) => !removed.has(row[at] ?? null)), ...added];
  return new Map([...tables, [table, { ...known, rows: [...new Map(rows.map((row) => [row[at], row])).values()] }]]);
}

function changeOf(
  statement: Statement,
  tables: Tables,
  blank: Sight,
  scene: Scene,
  common: readonly Common[],
  returning: QueryBlock | undefined,
): Change {
  const { kind, target } = statement;
  if (target === undefined || target.templated) throw new NotRun(kind);
  const table = tableOf(scene.tables, target.name);
  const alias = statement.targetAlias ?? target.name;
  const value = (one: SqlExpression, sight: Sight): Value =>
    runExpression(one, sight, scene, (query, inner) => runQuery(query, inner, scene, common));
  const sightOf = (level: readonly RowInSight[]): Sight => ({ ...blank, levels: [level] });
  const own = (values: Row | undefined): RowInSight => ({ alias, columns: table.columns, values });
  const at = table.columns.indexOf('ctid');
  const identity = (row: Row): Value => row[at] ?? null;
  const put = (levels: readonly (readonly RowInSight[])[]): Relation => {
    if (returning === undefined) return nothing;
    // What RETURNING gives is a list of SELECT over the rows themselves.
    const rows = levels.map((level) => {
      const star = returning.select.map(({ expression, name }) =>
        expression.kind === 'star'
          ? { names: table.columns.slice(0, -1), values: (level[0]?.values ?? []).slice(0, -1) }
          : { names: [name ?? ''], values: [value(expression, sightOf(level))] },
      );
      return { names: star.flatMap(({ names }) => names), values: star.flatMap(({ values }) => values) };
    });
    const names = returning.select.flatMap(({ expression, name }) =>
      expression.kind === 'star' ? table.columns.slice(0, -1) : [name ?? ''],
    );
    return { columns: names, rows: rows.map(({ values }) => values) };
  };
  const matching = (
    conditions: readonly SqlExpression[],
  ): readonly { readonly row: Row; readonly level: readonly RowInSight[] }[] => {
    const beside = joined(statement.from, blank, scene, common, value);
    return table.rows.flatMap((row) => {
      const level = beside
        .map((from) => [own(row), ...from])
        .find((all) => conditions.every((one) => value(one, sightOf(all)) === true));
      return level === undefined ? [] : [{ row, level }];
    });
  };
  const set = (row: Row, assignments: readonly Assignment[], sight: Sight): Row => {
    const next = [...row];
    for (const { column, value: given } of assignments) {
      const index = table.columns.indexOf(column.split('.').at(-1) ?? column);
      if (index === -1 || index === at) throw new NotRun(`column ${column}`);
      next[index] = value(given, sight);
    }
    next[at] = scene.anew();
    return next;
  };
  switch (kind) {
    case 'delete': {
      const found = matching(statement.where);
      return {
        table: target.name,
        removed: new Set(found.map(({ row }) => identity(row))),
        added: [],
        putOut: put(found.map(({ level }) => level)),
        affected: found.length,
      };
    }
    case 'update': {
      const found = matching([...statement.where, ...statement.on]);
      const made = found.map(({ row, level }) => ({ level, next: set(row, statement.assignments, sightOf(level)) }));
      return {
        table: target.name,
        removed: new Set(found.map(({ row }) => identity(row))),
        added: made.map(({ next }) => next),
        putOut: put(made.map(({ level, next }) => [own(next), ...level.slice(1)])),
        affected: found.length,
      };
    }
    case 'insert':
      return {
        ...inserted(
          statement,
          tableOf(tables, target.name),
          rowsOf(statement, table, blank, scene, common, value),
          { alias, value, blank, set },
          put,
          own,
        ),
      };
    case 'merge':
      return merged(statement, table, { value, blank, scene, common, own, set, sightOf, identity });
    default:
      throw new NotRun(kind);
  }
}

/** The rows of an INSERT in the order of the table's columns. */
function rowsOf(
  statement: Statement,
  table: WorldTable,
  blank: Sight,
  scene: Scene,
  common: readonly Common[],
  value: Evaluate,
): readonly Row[] {
  const { query, values, valueRows } = statement;
  const width = valueRows === 0 ? 0 : values.length / valueRows;
  const given: Relation =
    query !== undefined
      ? runQuery(query, blank, scene, common)
      : {
          columns: [],
          rows: Array.from({ length: valueRows }, (_, row) =>
            values.slice(row * width, (row + 1) * width).map((one) => value(one, blank)),
          ),
        };
  return given.rows.map((row) => rowOf(table, statement.columns, given.columns, row, scene));
}

function inserted(
  { conflict, target, assignments }: Statement,
  table: WorldTable,
  rows: readonly Row[],
  {
    alias,
    value,
    blank,
    set,
  }: {
    readonly alias: string;
    readonly value: Evaluate;
    readonly blank: Sight;
    readonly set: (row: Row, assignments: readonly Assignment[], sight: Sight) => Row;
  },
  put: (levels: readonly (readonly RowInSight[])[]) => Relation,
  own: (values: Row) => RowInSight,
): Change {
  const at = table.columns.indexOf('ctid');
  const holds = (row: NamedRow, conditions: readonly SqlExpression[]): boolean => {
    const level = [{ alias, columns: [...row.keys()], values: [...row.values()] }];
    return conditions.every((one) => value(one, { ...blank, levels: [level] }) === true);
  };
  const arbiters = conflict === undefined ? [] : arbitersOf(conflict, table, holds);
  const there = [...table.rows];
  const removed = new Set<Value>();
  const added: Row[] = [];
  let affected = 0;
  for (const row of rows) {
    const all = [...there.filter((one) => !removed.has(one[at] ?? null)), ...added];
    const met = all.find((one) => arbiters.some((key) => clashes(key, table.columns, row, one)));
    if (met === undefined) {
      if (all.some((one) => table.keys.some((key) => clashes(key, table.columns, row, one))))
        throw new Refused('a key');
      added.push(row);
      affected++;
      continue;
    }
    if (conflict?.action !== 'update') continue;
    if (added.includes(met)) throw new Refused('a row twice');
    const level: readonly RowInSight[] = [
      { alias, columns: table.columns, values: met },
      { alias: 'excluded', columns: table.columns, values: row },
    ];
    // A bare name is that of the row which is there.
    const sight: Sight = { ...blank, levels: [level] };
    if (!conflict.where.every((one) => value(one, sight) === true)) continue;
    removed.add(met[at] ?? null);
    added.push(set(met, assignments, sight));
    affected++;
  }
  return { table: target?.name ?? '', removed, added, putOut: put(added.map((row) => [own(row)])), affected };
}
