import type { AccessMode, TableAccess } from '../../../model/table-access.ts';
import { unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, InstanceValue, Value } from '../../../python/values/value.ts';
import { namedTable } from '../transfers/table-name.ts';
import { tableValue } from './table-value.ts';

type Verb = 'insert' | 'update' | 'delete' | 'select';

const prefix = 'sqlalchemy statement ';

/** `insert(t)`, `t.insert()`, `select(Model)`, `session.query(Model)` and what is chained to them; else `undefined`. */
export function statementCall(name: string, call: Call, self: Value | undefined): InstanceValue | undefined {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (self === undefined) {
    const verb = /^(?:sqlalchemy|sqlmodel)\b.*\.(insert|update|delete|select)$/i.exec(name)?.[1]?.toLowerCase();
    return verb === undefined ? undefined : statement(verb, call, call.positional);
  }
  const isTable = self.kind === 'instance' && /(?:^|\.)Table$/.test(self.type);
  if (isStatement(self)) return chained(self, last, call);
  if (isTable && /^(?:insert|update|delete|select)$/.test(last)) return statement(last, call, [self]);
  if (last === 'query' && isMapped(call.positional[0])) return statement('select', call, call.positional);
  return undefined;
}

const isStatement = (value: Value): value is InstanceValue =>
  value.kind === 'instance' && value.type.startsWith(prefix);

const isMapped = (value: Value | undefined): boolean => value?.kind === 'class' && tableValue(value).kind !== 'class';

const statement = (verb: string, call: Call, tables: readonly Value[]): InstanceValue => ({
  kind: 'instance',
  type: prefix + verb,
  call: { ...call, positional: tables },
  attributes: new Map(),
});

function chained(self: InstanceValue, name: string, call: Call): InstanceValue {
  const attributes = new Map(self.attributes);
  if (/^on_(?:conflict|duplicate)/.test(name)) attributes.set('conflict', { kind: 'external', name });
  const key = call.keywords.get('index_elements')?.value;
  if (key !== undefined) attributes.set('key', key);
  const joined = /^(?:select_from|join|outerjoin)$/.test(name) ? call.positional : [];
  const verb = name === 'delete' || name === 'update' ? name : self.type.slice(prefix.length);
  const tables = { ...self.call, positional: [...self.call.positional, ...joined] };
  return { ...self, call: tables, type: prefix + verb, attributes };
}

/** The tables of a statement that is executed; `undefined` for other values. */
export function statementAccesses(value: Value, at: Call['at'], session: () => number): TableAccess[] | undefined {
  if (!isStatement(value)) return undefined;
  const verb = value.type.slice(prefix.length) as Verb;
  const { positional } = value.call;
  if (verb !== 'select')
    return positional.slice(0, 1).map((given) => accessOf(value, verb, tableValue(given), at, session));
  const tables = new Set(positional.flatMap(tablesOf));
  // Columns and expressions alone do not always say whose they are.
  const shown = tables.size > 0 ? [...tables] : [unknown('its columns and expressions are not followed')];
  return shown.map((table) => accessOf(value, verb, table, at, session));
}

/** The tables that an entry of a select list names: a table, a mapped class, a column `table.c.day`. */
function tablesOf(given: Value): readonly Value[] {
  if (given.kind === 'list') return given.items.flatMap(tablesOf);
  if (given.kind === 'bound-method') return tablesOf(given.self);
  const table = tableValue(given);
  return table !== given || table.kind === 'text' ? [table] : [];
}

function accessOf(self: InstanceValue, verb: Verb, named: Value, at: Call['at'], session: () => number): TableAccess {
  const { table } = namedTable(named, true);
  return {
    direction: verb === 'select' ? 'read' : 'write',
    table: { value: table, at: self.call.at },
    by: verb,
    mode: verb === 'select' ? undefined : { value: modeOf(self, verb), at: self.call.at },
    partition: undefined,
    key: keyOf(self),
    at,
    session: session(),
  };
}

function modeOf({ attributes }: InstanceValue, verb: Verb): AccessMode {
  // Which rows an UPDATE or DELETE touches is not read.
  if (verb !== 'insert') return 'unknown';
  const conflict = attributes?.get('conflict');
  if (conflict === undefined) return 'append';
  return conflict.kind === 'external' && /nothing$/.test(conflict.name) ? 'unknown' : 'merge';
}

function keyOf({ attributes }: InstanceValue): readonly string[] {
  const value = attributes?.get('key');
  const names = value?.kind === 'list' ? value.items.map(plainText) : [];
  return names.every((name) => name !== undefined) ? names : [];
}

const sessionModes: ReadonlyMap<string, AccessMode> = new Map([
  ['add', 'append'],
  ['add_all', 'append'],
  ['bulk_save_objects', 'append'],
  ['bulk_insert_mappings', 'append'],
  ['merge', 'merge'],
  ['bulk_update_mappings', 'unknown'],
]);

/** `session.add(Order(…))`, `session.bulk_insert_mappings(Order, rows)`: objects of mapped classes. */
export function sessionAccess(name: string, call: Call, session: () => number): TableAccess | undefined {
  const mode = sessionModes.get(name);
  const [first] = call.positional;
  const subject = first?.kind === 'list' ? first.items[0] : first;
  if (mode === undefined || subject === undefined || (subject.kind !== 'object' && subject.kind !== 'class'))
    return undefined;
  const named = tableValue(subject);
  if (named === subject) return undefined;
  return {
    direction: 'write',
    table: { value: namedTable(named, true).table, at: call.positionalAt[0] },
    by: name,
    mode: { value: mode, at: call.at },
    partition: undefined,
    key: [],
    at: call.at,
    session: session(),
  };
}
