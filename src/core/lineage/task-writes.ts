import type { Task, TaskSql } from '../pipeline/model.ts';
import type { Statement } from '../sql/statement.ts';
import type { TableReference } from '../sql/table-reference.ts';
import { locate } from '../text/mapped-text.ts';
import type { SliceFact, WriteFact, WriteMode } from './facts.ts';
import { type KnownTables, outputRanges } from './output-ranges.ts';
import type { Ranges } from './query-scope.ts';
import { type SqlContext, sqlContext } from './sql-context.ts';
import type { TableColumns } from './table-reads.ts';
import { deletedSlice, insertedSlice, rangesOn, sliceOf, targetRanges, unknownSlice } from './written-slice.ts';

/** A statement of a task with the text that its offsets refer to. */
export interface TaskStatement {
  readonly statement: Statement;
  readonly sql: TaskSql;
  readonly sqlIndex: number;
  readonly context: SqlContext;
}

export interface TaskWrites {
  readonly writes: readonly WriteFact[];
  /** Tables that the task makes for itself and takes away again, or that live as long as its session. */
  readonly internal: ReadonlySet<string>;
}

export const taskStatements = (task: Task, zone: string): readonly TaskStatement[] =>
  task.sql.flatMap((sql, sqlIndex) => {
    const context = sqlContext(sql, zone);
    // `WITH d AS (DELETE …) INSERT …` does both, so both are statements of the task.
    return sql.reading.statements.flatMap((whole) =>
      [...whole.modifying, whole].map((statement) => ({ statement, sql, sqlIndex, context })),
    );
  });

/** What a task writes: one fact for each target, from all statements that touch it. */
export function taskWrites(statements: readonly TaskStatement[], tables: TableColumns): TaskWrites {
  const internal = internalTables(statements);
  const known = ownTables(statements, tables, internal);
  const byTarget = new Map<string, TaskStatement[]>();
  for (const item of statements) {
    for (const target of targetsOf(item.statement)) {
      if (target.templated || internal.has(target.name)) continue;
      byTarget.set(target.name, [...(byTarget.get(target.name) ?? []), item]);
    }
  }
  const writes = [...byTarget].flatMap(([table, items]) => {
    const write = writeOf(table, items, tables, known);
    return write === undefined ? [] : [write];
  });
  return { writes, internal };
}

/** A DELETE without a WHERE; one whose WHERE is still being typed is not meant to empty the table. */
export const deletesAll = (statement: Statement): boolean =>
  statement.kind === 'delete' && statement.whereSpan === undefined && statement.from.length === 0;

const writing: ReadonlySet<Statement['kind']> = new Set([
  'insert',
  'insert_overwrite',
  'insert_replace_where',
  'replace',
  'delete',
  'update',
  'merge',
  'truncate',
  'create_table_as',
  'alter_rename',
  'rename',
  'alter_swap',
  'alter_append',
  'alter_partition',
  'copy',
  'load',
  'refresh',
]);

/** The tables whose rows a statement changes; a rename changes the table that it makes. */
function targetsOf(statement: Statement): readonly TableReference[] {
  const { kind, target, targets, renamedTo } = statement;
  if (!writing.has(kind) || (kind === 'copy' && statement.copyDirection === 'to')) return [];
  if (kind === 'alter_rename' || kind === 'rename') {
    return target === undefined || renamedTo === undefined
      ? []
      : [{ ...target, name: withSchemaOf(target.name, renamedTo) }];
  }
  return targets.length > 0 ? targets : target === undefined ? [] : [target];
}

/** `ALTER TABLE mart.t_new RENAME TO t` makes `mart.t`. */
const withSchemaOf = (name: string, renamed: string): string =>
  renamed.includes('.') || !name.includes('.') ? renamed : `${name.slice(0, name.lastIndexOf('.'))}.${renamed}`;

/** Follows tables through the statements in order: made and dropped, or made and renamed away, is internal. */
function internalTables(statements: readonly TaskStatement[]): ReadonlySet<string> {
  const internal = new Set<string>();
  const made = new Set<string>();
  for (const { statement } of statements) {
    const name = statement.target?.name;
    if (name === undefined) continue;
    switch (statement.kind) {
      case 'create_table':
      case 'create_table_as':
        made.add(name);
        if (statement.temporary) internal.add(name);
        else internal.delete(name);
        break;
      case 'rename':
      case 'alter_rename':
        if (made.has(name)) internal.add(name);
        for (const renamed of targetsOf(statement)) {
          made.add(renamed.name);
          internal.delete(renamed.name);
        }
        break;
      case 'drop':
        if (made.has(name)) internal.add(name);
        break;
    }
  }
  return internal;
}

/** Ranges of the tables that the task fills for itself, so that a read of them carries the window of their source. */
function ownTables(
  statements: readonly TaskStatement[],
  tables: TableColumns,
  internal: ReadonlySet<string>,
): KnownTables {
  const known = new Map<string, Ranges>();
  for (const { statement, context } of statements) {
    const name = statement.target?.name;
    if (name === undefined || statement.query === undefined || !internal.has(name)) continue;
    if (statement.kind !== 'create_table_as' && statement.kind !== 'insert') continue;
    known.set(name, outputRanges(statement.query, context, tables, known).byName);
  }
  return known;
}

function writeOf(
  table: string,
  items: readonly TaskStatement[],
  tables: TableColumns,
  known: KnownTables,
): WriteFact | undefined {
  const first = items[0];
  if (first === undefined) return undefined;
  const { mode, slice } = modeAndSlice(items, tables, known);
  const key = items.flatMap(({ statement }) => {
    if (statement.conflict !== undefined && statement.conflict.key.length > 0) return [statement.conflict.key];
    return statement.kind === 'merge' ? [mergeKey(statement)] : [];
  })[0];
  const main = items.find(({ statement }) => statement.kind !== 'truncate' && statement.kind !== 'delete') ?? first;
  const at = locate(main.sql.source, main.statement.head);
  return { table, slice, mode, key: key ?? [], provenance: 'sql', at };
}

function modeAndSlice(
  items: readonly TaskStatement[],
  tables: TableColumns,
  known: KnownTables,
): { readonly mode: WriteMode; readonly slice: SliceFact } {
  const of = (...kinds: Statement['kind'][]): readonly TaskStatement[] =>
    items.filter(({ statement }) => kinds.includes(statement.kind));
  const wholeTable: SliceFact = { kind: 'whole-table' };
  const deletes = of('delete');
  const adds = of('insert', 'copy', 'load', 'alter_append');
  const emptied =
    of('truncate', 'rename', 'alter_rename', 'alter_swap', 'refresh').length > 0 ||
    deletes.some(({ statement }) => deletesAll(statement));
  const created = of('create_table_as');
  if (emptied) return { mode: 'full_replace', slice: wholeTable };
  if (created.length > 0) {
    const once = created.every(({ statement }) => statement.ifNotExists);
    return { mode: once && adds.length > 0 ? 'append' : once ? 'create' : 'full_replace', slice: wholeTable };
  }

  const merge = of('merge')[0];
  if (merge !== undefined) return mergeSlice(merge, tables, known);
  const overwrite = of('insert_overwrite', 'insert_replace_where')[0];
  if (overwrite !== undefined) {
    const { statement, context } = overwrite;
    const whole = statement.kind === 'insert_overwrite' && (statement.partition ?? 'none') === 'none';
    const slice = whole ? wholeTable : insertedSlice(statement, context, tables, known, undefined);
    return { mode: whole ? 'full_replace' : 'insert_overwrite', slice };
  }
  const upsert = items.find(({ statement }) => statement.conflict !== undefined || statement.kind === 'replace');
  if (deletes.length > 0) {
    const slice = deletesSlice(deletes, tables);
    const bySource = slice.kind === 'range' ? undefined : addsSlice(adds, tables, known);
    // A DELETE by key is the first half of an upsert: its slice is that of the rows which come in.
    const byKey = deletes.every(({ statement }) => isByKey(statement));
    return { mode: 'delete+insert', slice: byKey && bySource?.kind === 'range' ? bySource : slice };
  }
  if (upsert !== undefined) {
    const { statement, context } = upsert;
    return { mode: 'merge', slice: closed(insertedSlice(statement, context, tables, known, undefined), statement) };
  }
  if (adds.length > 0) return { mode: 'append', slice: addsSlice(adds, tables, known) };
  const update = of('update')[0];
  if (update !== undefined) return { mode: 'update', slice: updatedSlice(update, tables) };
  return { mode: 'unknown', slice: unknownSlice('how it writes the table is not understood') };
}

function deletesSlice(deletes: readonly TaskStatement[], tables: TableColumns): SliceFact {
  const slices = deletes.map(({ statement, sqlIndex, context }) => deletedSlice(statement, sqlIndex, context, tables));
  const first = slices[0];
  if (first === undefined) return unknownSlice('it has no DELETE');
  const bounds = (slice: SliceFact): string =>
    slice.kind === 'range' ? JSON.stringify([slice.column, slice.lo, slice.hi]) : '';
  const same = first.kind === 'range' && slices.every((slice) => bounds(slice) === bounds(first));
  if (slices.length === 1 || first.kind !== 'range') return first;
  // Equal bounds can hide different further conditions, so none of them stands for all.
  return same ? { ...first, predicate: undefined } : unknownSlice('several DELETEs with different bounds');
}

/** `DELETE … WHERE id IN (SELECT …)` or `… USING staging`: names rows by key, not by time. */
const isByKey = (statement: Statement): boolean =>
  statement.from.length > 0 ||
  statement.where.some(
    (conjunct) => (conjunct.kind === 'in' && conjunct.query !== undefined) || conjunct.kind === 'exists',
  );

function addsSlice(adds: readonly TaskStatement[], tables: TableColumns, known: KnownTables): SliceFact {
  const slices = adds.map(({ statement, context }) => insertedSlice(statement, context, tables, known, undefined));
  const first = slices[0];
  if (first === undefined) return unknownSlice('it adds no rows');
  const text = JSON.stringify(first);
  return slices.every((slice) => JSON.stringify(slice) === text)
    ? first
    : unknownSlice('its INSERTs write different ranges');
}

/** `MERGE … ON FALSE … NOT MATCHED BY SOURCE AND <slice> THEN DELETE` replaces a slice; any other MERGE is an upsert. */
function mergeSlice(
  { statement, context }: TaskStatement,
  tables: TableColumns,
  known: KnownTables,
): { readonly mode: WriteMode; readonly slice: SliceFact } {
  const removes = statement.branches.find(
    (branch) => branch.action === 'delete' && branch.matched === 'not-matched-by-source',
  );
  if (removes !== undefined && statement.on.length === 1 && statement.on.every(isFalse)) {
    if (removes.condition.length === 0) return { mode: 'full_replace', slice: { kind: 'whole-table' } };
    const slice = firstSlice(rangesOn(removes.condition, statement, context, tables));
    return {
      mode: 'insert_overwrite',
      slice: slice ?? unknownSlice('the rows that it replaces are not bound to the interval'),
    };
  }
  const onTarget = firstSlice(rangesOn(statement.on, statement, context, tables));
  if (onTarget !== undefined) return { mode: 'merge', slice: onTarget };
  const source = statement.from[0];
  const ranges =
    source?.kind === 'query'
      ? outputRanges(source.query, context, tables, known).byName
      : source?.kind === 'table'
        ? (known.get(source.table.name) ?? new Map())
        : new Map();
  const slice = firstSlice(ranges) ?? unknownSlice('the rows that it merges are not bound to the interval');
  return { mode: 'merge', slice: closed(slice, statement) };
}

/**
 * An upsert that sets the very column it is bounded by, under a key without that column, also changes rows of other
 * intervals: the range of the rows that come in is then not the range of the rows that change.
 */
function closed(slice: SliceFact, statement: Statement): SliceFact {
  if (slice.kind !== 'range') return slice;
  const key = statement.conflict?.key ?? mergeKey(statement);
  const moves = statement.assignments.some(({ column }) => column === slice.column) && !key.includes(slice.column);
  return moves
    ? unknownSlice(`it sets ${slice.column}, which is not part of its key, on rows of other intervals too`)
    : slice;
}

function isFalse(expression: Statement['on'][number]): boolean {
  if (expression.kind === 'literal') return expression.type === 'boolean' && expression.text.toLowerCase() === 'false';
  if (expression.kind !== 'binary' || expression.operator !== '=') return false;
  const { left, right } = expression;
  return left.kind === 'literal' && right.kind === 'literal' && left.type === 'number' && left.text !== right.text;
}

function firstSlice(ranges: Ranges): SliceFact | undefined {
  for (const [column, range] of ranges) {
    const slice = sliceOf(column, range);
    if (slice !== undefined) return slice;
  }
  return undefined;
}

function updatedSlice({ statement, context }: TaskStatement, tables: TableColumns): SliceFact {
  if (statement.where.length === 0) return { kind: 'whole-table' };
  return (
    firstSlice(targetRanges(statement, context, tables)) ??
    unknownSlice('the rows that it updates are not bound to the interval')
  );
}

/** Columns of the target that the ON of a MERGE compares with the source. */
function mergeKey(statement: Statement): readonly string[] {
  const target = statement.target?.name ?? '';
  const isTarget = (qualifier: string | undefined): boolean =>
    qualifier !== undefined && (qualifier === (statement.targetAlias ?? target) || target.endsWith(`.${qualifier}`));
  return statement.on.flatMap((condition) => {
    if (condition.kind !== 'binary' || condition.operator !== '=') return [];
    const columns = [condition.left, condition.right].flatMap((side) => (side.kind === 'column' ? [side] : []));
    const own = columns.find((column) => isTarget(column.qualifier));
    return columns.length === 2 && own !== undefined ? [own.name] : [];
  });
}
