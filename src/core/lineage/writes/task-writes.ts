import { isQualified, lastNamePart } from '../../sql/model/name-parts.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { locate } from '../../text/mapped-text.ts';
import { type Ranges, withoutPlaces } from '../columns/query-scope.ts';
import type { SliceFact, WriteFact, WriteMode } from '../facts/facts.ts';
import { isShared, type TableNaming } from '../facts/table-naming.ts';
import { withOpenZone } from '../facts/with-open-zone.ts';
import { leftOutByAll } from '../own-rows/finds-own-rows.ts';
import { madeOfItself } from '../own-rows/keeps-own-rows.ts';
import { putInBehind } from '../own-rows/put-in-behind.ts';
import { type KnownTables, outputRanges } from '../queries/output-ranges.ts';
import type { TableColumns } from '../queries/table-columns.ts';
import { changedAgain } from './changed-again.ts';
import { withEmptiedParts } from './emptied-parts.ts';
import { isUpsert, ofWay } from './insert-keys.ts';
import { closedSlice, mergeKey, mergeSlice } from './merge-slice.ts';
import { ranTwice } from './ran-twice.ts';
import { type NamedTable, namedTable, renamedTable } from './table-of-statement.ts';
import { emptiesPartition, partitionParent, type TaskStatement } from './task-statements.ts';
import { waysOfRun } from './ways-of-run.ts';
import {
  deletedSlice,
  insertedSlice,
  overwrittenSlice,
  type PlacedSlice,
  unknownSlice,
  updatedSlice,
  wholeTable,
} from './written-slice.ts';

export interface TaskWrites {
  readonly writes: readonly WriteFact[];
  /** Tables that the task makes for itself and takes away again, or that live as long as its session. */
  readonly internal: ReadonlySet<string>;
}

/** What a task writes: one fact for each target, from all statements that touch it. */
export function taskWrites(statements: readonly TaskStatement[], tables: TableColumns): TaskWrites {
  const internal = internalTables(statements);
  const known = ownTables(statements, tables, internal);
  const remade = remadeTables(statements);
  const byTarget = new Map<string, Written>();
  const targets = statements.map((item) => ({ item, own: targetsOf(item, remade) }));
  // Where the text moves to another schema on its way, a bare name is whose that schema is then.
  const isMoved = statements.some(({ sql }) => /\bsearch_path\b|^\s*use\s/im.test(sql.source.text));
  const fullName = fullNames(
    isMoved ? [] : targets.flatMap(({ own }) => own.flatMap(({ table }) => table?.name ?? [])),
  );
  for (const { item, own } of targets) {
    for (const { written, table: named } of own) {
      if (named === undefined || internal.has(written)) continue;
      const table = { ...named, name: fullName(named.name) };
      const key = JSON.stringify([table.name, table.naming?.parts]);
      const found = byTarget.get(key) ?? { ...table, isRemade: remade.has(written), items: [] };
      byTarget.set(key, { ...found, items: [...found.items, item] });
    }
  }
  const writes = [...byTarget.values()].flatMap((written) => {
    const write = writeOf(written, tables, known, statements);
    return write === undefined ? [] : [write];
  });
  return { writes: withEmptiedParts(writes, [...byTarget.values()], tables), internal };
}

/** `orders` beside `shop.orders` in one task is that table, where no other schema has one of the name. */
function fullNames(names: readonly string[]): (name: string) => string {
  const qualified = new Map<string, Set<string>>();
  for (const name of names)
    if (isQualified(name))
      qualified.set(lastNamePart(name), (qualified.get(lastNamePart(name)) ?? new Set()).add(name));
  return (name) => {
    const [only, ...others] = isQualified(name) ? [] : (qualified.get(lastNamePart(name)) ?? []);
    return only === undefined || others.length > 0 ? name : only;
  };
}

/** A table with the statements that write it. */
interface Written extends NamedTable {
  /** The task drops it and makes it anew, so that it is empty before it is filled. */
  readonly isRemade: boolean;
  readonly items: readonly TaskStatement[];
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

/** A table that a statement writes: as it stands there, and what it means. */
interface Target {
  readonly written: string;
  readonly table: NamedTable | undefined;
}

/** The tables whose rows a statement changes; a rename changes the table that it makes. */
function targetsOf(item: TaskStatement, remade: ReadonlySet<string>): readonly Target[] {
  const { kind, target, targets } = item.statement;
  const { context } = item;
  const empties = kind === 'create_table' && target !== undefined && remade.has(target.name);
  if ((!writing.has(kind) && !empties) || (kind === 'copy' && item.statement.copyDirection === 'to')) return [];
  if (kind === 'alter_rename' || kind === 'rename') return renames(item).map(({ to }) => to);
  const all = targets.length > 0 ? targets : target === undefined ? [] : [target];
  const written = all.map((one) => ({ written: one.name, table: namedTable(one, item) }));
  const parent = empties ? partitionParent(context.text, item.statement) : undefined;
  // The part is made anew, so what the whole table had there is gone.
  return parent === undefined ? written : [{ written: parent, table: { name: parent, naming: undefined } }];
}

/** What a rename takes away and makes; MySQL's `RENAME TABLE` takes several pairs. */
function renames(item: TaskStatement): readonly { readonly from: string; readonly to: Target }[] {
  const { statement, context } = item;
  const { target, targets, renamedTo } = statement;
  const all = targets.length > 0 ? targets : target === undefined ? [] : [target];
  return all.flatMap((from, index) => {
    const behind = context.text.slice(from.end, all[index + 1]?.start ?? statement.end);
    const name = /^\s*to\s+([\w.`"]+)/i.exec(behind)?.[1]?.replace(/[`"]/g, '').toLowerCase();
    const to = index === 0 ? renamedTo : name === undefined ? undefined : { ...from, name, templated: false };
    return to === undefined ? [] : [{ from: from.name, to: renamedTable(from, to, item) }];
  });
}

/** Tables that the task drops, or replaces, whatever happens and makes anew: what it adds to them is all that they hold. */
function remadeTables(statements: readonly TaskStatement[]): ReadonlySet<string> {
  const dropped = new Set<string>();
  const remade = new Set<string>();
  const always = statements.filter(({ statement }) => !statement.conditional && statement.target !== undefined);
  const fullName = fullNames(always.flatMap(({ statement }) => statement.target?.name ?? []));
  for (const { statement } of always) {
    const { kind, targets, target } = statement;
    if (target === undefined) continue;
    if (kind === 'drop') for (const { name } of targets.length > 0 ? targets : [target]) dropped.add(fullName(name));
    if (kind !== 'create_table' || !(statement.orReplace || dropped.has(fullName(target.name)))) continue;
    remade.add(target.name);
    remade.add(fullName(target.name));
  }
  return remade;
}

/** Follows tables through the statements in order: made and dropped, or made and renamed away, is internal. */
function internalTables(statements: readonly TaskStatement[]): ReadonlySet<string> {
  const internal = new Set<string>();
  const made = new Set<string>();
  for (const item of statements) {
    const { kind, target, temporary } = item.statement;
    if (target === undefined) continue;
    switch (kind) {
      case 'create_table':
      case 'create_table_as':
        made.add(target.name);
        if (temporary) internal.add(target.name);
        else internal.delete(target.name);
        break;
      case 'rename':
      case 'alter_rename':
        for (const { from, to } of renames(item)) {
          if (made.has(from)) internal.add(from);
          made.add(to.written);
          internal.delete(to.written);
        }
        break;
      case 'drop':
        if (made.has(target.name)) internal.add(target.name);
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
    const { kind, target, query } = statement;
    if (target === undefined || query === undefined) continue;
    const fills = kind === 'create_table_as' || kind === 'insert';
    if (kind !== 'create_view' && !(fills && internal.has(target.name))) continue;
    known.set(target.name, withoutPlaces(outputRanges(query, context, tables, known).byName));
  }
  return known;
}

function writeOf(
  { name: table, naming, isRemade, items }: Written,
  tables: TableColumns,
  known: KnownTables,
  all: readonly TaskStatement[],
): WriteFact | undefined {
  const first = items[0];
  if (first === undefined) return undefined;
  const wayOf = (all: readonly TaskStatement[]) =>
    onEachWay(all, (some) => modeAndSlice(table, some, isRemade, tables, known));
  const way = wayOf(items);
  const keys = tables.keysOf(table);
  const columns = keys.columns.map(({ name }) => name);
  const names = items.flatMap(({ statement: { kind, target } }) => (/rename$/.test(kind) ? [] : (target?.name ?? [])));
  const ofItself =
    way.mode === 'full_replace'
      ? madeOfItself(all, (name) => name === table || names.includes(name), columns)
      : undefined;
  const mode = ofItself?.mode ?? way.mode;
  const { sliceAt } = way;
  const found = withOpenZone(way.slice, openZone(items), () => wayOf(items.map(asTyped)).slice);
  const slice = ownTable(naming, found, mode, first) ?? found;
  const key = items.flatMap(({ statement }) => {
    if (statement.conflict !== undefined && statement.conflict.key.length > 0) return [statement.conflict.key];
    return statement.kind === 'merge' ? [mergeKey(statement)] : [];
  })[0];
  const main = items.find(({ statement }) => statement.kind !== 'delete' && !emptying.has(statement.kind)) ?? first;
  const at = locate(main.sql.source, main.statement.head);
  const named = naming === undefined ? {} : { naming };
  const again = changedAgain(table, all, columns, (name) => tables.writtenType(table, name));
  const leavesOut = ofItself === undefined ? leftOutByAll(mode, items, columns) : undefined;
  const soFar = {
    mode,
    ...(again.length === 0 ? {} : { again }),
    ...(leavesOut === undefined ? {} : { leavesOut }),
    ...ofItself,
    ...ofWay(mode, items, all, keys, table),
  };
  return {
    table,
    ...named,
    ...(items.every(({ statement }) => removing.has(statement.kind)) ? { empties: true } : {}),
    slice,
    ...(sliceAt === undefined ? {} : { sliceAt }),
    ...soFar,
    ...ranTwice(table, items, all, tables, soFar),
    key: key ?? [],
    provenance: 'sql',
    at,
  };
}

/** The zone that a column of no known type may be told in beside UTC. */
function openZone(items: readonly TaskStatement[]): string | undefined {
  const context = items.find((item) => item.context.mayBeMoments)?.context;
  return context?.session ?? context?.zones.find((one) => one !== 'UTC');
}

const asTyped = (item: TaskStatement) => ({ ...item, context: { ...item.context, mayBeMoments: false } });

/** A table that no two intervals share is its interval's, whatever the statements say; one that they do only where each rewrites it. */
function ownTable(
  naming: TableNaming | undefined,
  found: SliceFact,
  mode: WriteMode,
  { context }: TaskStatement,
): SliceFact | undefined {
  if (naming?.period === undefined || found.kind === 'range') return undefined;
  const own: SliceFact = { kind: 'own-table', ...naming.period };
  return mode === 'full_replace' || !isShared(naming.period, context.intervals()) ? own : undefined;
}

const emptying: ReadonlySet<Statement['kind']> = new Set(['truncate', 'alter_partition', 'create_table']);
const removing: ReadonlySet<Statement['kind']> = new Set([...emptying, 'delete']);

interface ModeAndSlice extends PlacedSlice {
  readonly mode: WriteMode;
}

/** What all ways of a run do to a table; where they differ it depends on the run. */
function onEachWay(
  items: readonly TaskStatement[],
  does: (some: readonly TaskStatement[]) => ModeAndSlice,
): ModeAndSlice {
  const ways = waysOfRun(items);
  if (ways === undefined) return { mode: 'unknown', ...unknownSlice('it stands under many conditions of Python') };
  const done = ways.map((way) => ({ way, ...does(way.items) }));
  const [first] = done;
  if (first === undefined) return does(items);
  const text = ({ mode, slice }: ModeAndSlice): string => JSON.stringify([mode, slice]);
  const other = done.find((one) => text(one) !== text(first));
  if (other === undefined) return first;
  const deciding = first.way.conditions.find(({ key, holds }) =>
    other.way.conditions.some((one) => one.key === key && one.holds !== holds),
  );
  const words = (mode: WriteMode): string => (mode === 'unknown' ? 'something else' : mode);
  const choice = first.mode === other.mode ? 'which rows' : `${words(first.mode)} or ${words(other.mode)}`;
  const reason = `${choice} depends on a condition that is not known before it runs: ${deciding?.text}`;
  return { mode: first.mode === other.mode ? first.mode : 'unknown', ...unknownSlice(reason) };
}

function modeAndSlice(
  table: string,
  items: readonly TaskStatement[],
  isRemade: boolean,
  tables: TableColumns,
  known: KnownTables,
): ModeAndSlice {
  const of = (...kinds: Statement['kind'][]): readonly TaskStatement[] =>
    items.filter(({ statement }) => kinds.includes(statement.kind));
  const deletes = of('delete');
  const adds = of('insert', 'copy', 'load', 'alter_append');
  const emptied =
    isRemade ||
    of('rename', 'alter_rename', 'alter_swap', 'refresh').length > 0 ||
    of('truncate').some((item) => !emptiesPartition(item)) ||
    deletes.some(({ statement }) => deletesAll(statement));
  const created = of('create_table_as');
  if (emptied) return { mode: 'full_replace', ...wholeTable };
  if (created.length > 0) {
    const once = created.every(({ statement }) => statement.ifNotExists);
    return { mode: once && adds.length > 0 ? 'append' : once ? 'create' : 'full_replace', ...wholeTable };
  }

  const merge = of('merge')[0];
  if (merge !== undefined) return mergeSlice(merge, tables, known);
  const overwrite = of('insert_overwrite', 'insert_replace_where')[0];
  if (overwrite !== undefined) return overwrittenSlice(overwrite, tables, known);
  const upsert = items.find(({ statement }) => isUpsert(statement, tables.keysOf(table)));
  if (deletes.length > 0) {
    const removed = deletesSlice(deletes, tables);
    if (items.length === deletes.length) return { mode: 'delete', ...removed };
    // What an upsert writes needs no DELETE: one that is not cut by the interval prunes other rows.
    if (upsert !== undefined && removed.slice.kind !== 'range') return upsertedSlice(upsert, tables, known);
    const bySource = removed.slice.kind === 'range' ? undefined : addsSlice(adds, tables, known);
    // A DELETE by key is the first half of an upsert: its slice is that of the rows which come in.
    const byKey = deletes.every(({ statement }) => isByKey(statement));
    return { mode: 'delete+insert', ...(byKey && bySource?.slice.kind === 'range' ? bySource : removed) };
  }
  if (upsert !== undefined) return upsertedSlice(upsert, tables, known);
  const clause = adds.map(({ statement, sql }) => putInBehind(sql.masked, statement)).find((one) => one !== undefined);
  if (clause !== undefined) return { mode: 'unknown', ...unknownSlice(`${clause} behind its INSERT is not known`) };
  if (adds.length > 0) {
    const written = addsSlice(adds, tables, known);
    // The partition that goes and the one that the rows come into are taken for one.
    return { mode: items.some(emptiesPartition) ? 'insert_overwrite' : 'append', ...written };
  }
  const update = of('update')[0];
  if (update !== undefined) return { mode: 'update', ...updatedSlice(update, tables) };
  if (items.some(emptiesPartition)) return { mode: 'unknown', ...unknownSlice('it takes partitions away') };
  return { mode: 'unknown', ...unknownSlice('how it writes the table is not understood') };
}

function upsertedSlice(upsert: TaskStatement, tables: TableColumns, known: KnownTables): ModeAndSlice {
  const written = insertedSlice(upsert, tables, known, undefined);
  return { mode: 'merge', ...closedSlice(written, upsert.statement, upsert.statement.conflict?.key ?? []) };
}

function deletesSlice(deletes: readonly TaskStatement[], tables: TableColumns): PlacedSlice {
  const slices = deletes.map((item) => deletedSlice(item, tables));
  const [first] = slices;
  if (first === undefined) return unknownSlice('it has no DELETE');
  const bounds = ({ slice }: PlacedSlice): string =>
    slice.kind === 'range' ? JSON.stringify([slice.column, slice.lo, slice.hi]) : '';
  const { slice } = first;
  if (slices.length === 1 || slice.kind !== 'range') return first;
  if (!slices.every((one) => bounds(one) === bounds(first))) {
    return unknownSlice('several DELETEs with different bounds');
  }
  // Equal bounds can hide different further conditions, so none of them stands for all.
  return { ...first, slice: { ...slice, predicate: undefined } };
}

/** `DELETE … WHERE id IN (SELECT …)` or `… USING staging`: names rows by key, not by time. */
const isByKey = (statement: Statement): boolean =>
  statement.from.length > 0 ||
  statement.where.some(
    (conjunct) => (conjunct.kind === 'in' && conjunct.query !== undefined) || conjunct.kind === 'exists',
  );

function addsSlice(adds: readonly TaskStatement[], tables: TableColumns, known: KnownTables): PlacedSlice {
  const slices = adds.map((item) => insertedSlice(item, tables, known, undefined));
  const [first] = slices;
  if (first === undefined) return unknownSlice('it adds no rows');
  const texts = slices.map(({ slice }, index) => sliceText(slice, adds[index]?.context.text ?? ''));
  return texts.every((text) => text === texts[0]) ? first : unknownSlice('its INSERTs write different ranges');
}

/** What tells slices apart: the values of one stand elsewhere in the text than the same of another. */
function sliceText(slice: SliceFact, text: string): string {
  const values = slice.kind === 'range' ? slice.values : undefined;
  return JSON.stringify({
    ...slice,
    values: values?.map(({ column, start, end }) => [column, text.slice(start, end)]),
  });
}
