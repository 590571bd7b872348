import type { Sourced } from '../../../model/sourced.ts';
import type { AccessMode, TableAccess } from '../../../model/table-access.ts';
import { argument } from '../../../python/calls/call.ts';
import type { Call, InstanceValue, Value } from '../../../python/values/value.ts';
import { isNone, wordOf } from '../program/arguments.ts';
import { namedTable } from '../transfers/table-name.ts';
import { saveModes } from './frame-calls.ts';

const writerType = 'spark writer';
const settings = /^(?:mode|format|option|options|partitionBy|bucketBy|sortBy|using|tableProperty)$/;

const isWriter = (value: Value): value is InstanceValue => value.kind === 'instance' && value.type === writerType;

/** `frame.write.mode("overwrite").format("delta")`: a writer that remembers its settings; else `undefined`. */
export function writerCall(name: string, call: Call, self: Value): InstanceValue | undefined {
  const begins = self.kind === 'bound-method' && self.name === 'write' && settings.test(name);
  if (name === 'writeTo') return writer(call, new Map([['table', call.positional[0] ?? unnamed]]));
  if (!begins && !(isWriter(self) && settings.test(name))) return undefined;
  const attributes = new Map(isWriter(self) ? self.attributes : undefined);
  const [first, second] = call.positional;
  if (name === 'mode' && first !== undefined) attributes.set('mode', first);
  if (name === 'option' && first !== undefined && wordOf(first) === 'dbtable' && second !== undefined)
    attributes.set('table', second);
  const table = call.keywords.get('dbtable')?.value;
  if (name === 'options' && table !== undefined) attributes.set('table', table);
  return writer(call, attributes);
}

const unnamed: Value = { kind: 'unknown', reason: 'no table is named', clocks: [] };

const writer = (call: Call, attributes: Map<string, Value>): InstanceValue => ({
  kind: 'instance',
  type: writerType,
  call,
  attributes,
});

/** What the last call of a writer does, and `spark.table(…)`; `undefined` for other calls. */
export function sparkAccess(name: string, call: Call, self: Value, session: () => number): TableAccess | undefined {
  if (name === 'table' && /(?:^|\.)spark\w*(?:\.read)?\.table$/.test(call.callee))
    return accessOf('read', call.positional[0], name, undefined, call, session);
  const own = isWriter(self) ? self : undefined;
  const isWrite = own !== undefined || (self.kind === 'bound-method' && self.name === 'write');
  if (!isWrite) return undefined;
  const table = own?.attributes?.get('table');
  switch (name) {
    case 'saveAsTable':
      return accessOf(
        'write',
        call.positional[0] ?? call.keywords.get('name')?.value,
        name,
        savedAs(own, call),
        call,
        session,
      );
    case 'insertInto': {
      const overwrite = argument(call, 'overwrite', 1) ?? modeOf(own);
      const word = overwrite === undefined ? undefined : wordOf(overwrite.value);
      // An overwrite replaces the table or its partitions, by a setting of the session.
      const mode = overwrite === undefined || isNone(overwrite.value) || word === 'false' || word === 'append';
      return accessOf(
        'write',
        call.positional[0],
        name,
        { value: mode ? 'append' : 'unknown', at: overwrite?.at },
        call,
        session,
      );
    }
    case 'jdbc':
      return accessOf('write', argument(call, 'table', 1)?.value, name, savedAs(own, call, 2), call, session);
    case 'save':
      return table && accessOf('write', table, name, savedAs(own, call), call, session);
    default: {
      const mode = table === undefined ? undefined : tableModes.get(name);
      return mode && accessOf('write', table, name, { value: mode, at: call.at }, call, session);
    }
  }
}

/** The last calls of `frame.writeTo(table)`. */
const tableModes: ReadonlyMap<string, AccessMode> = new Map([
  ['append', 'append'],
  ['overwritePartitions', 'insert_overwrite'],
  ['create', 'create'],
  ['replace', 'full_replace'],
  ['createOrReplace', 'full_replace'],
  ['overwrite', 'unknown'],
]);

const modeOf = (own: InstanceValue | undefined) => {
  const value = own?.attributes?.get('mode');
  return value === undefined || own === undefined ? undefined : { value, at: own.call.at };
};

function savedAs(own: InstanceValue | undefined, call: Call, position?: number): Sourced<AccessMode> {
  const given = argument(call, 'mode', position) ?? modeOf(own);
  if (given === undefined || isNone(given.value)) return { value: 'create', at: undefined };
  const word = wordOf(given.value);
  const known = word === undefined ? undefined : saveModes.find(([pattern]) => pattern.test(word))?.[1];
  return { value: known ?? 'unknown', at: given.at };
}

function accessOf(
  direction: TableAccess['direction'],
  table: Value | undefined,
  by: string,
  mode: TableAccess['mode'],
  call: Call,
  session: () => number,
): TableAccess | undefined {
  if (table === undefined) return undefined;
  return {
    direction,
    table: { value: namedTable(table).table, at: call.positionalAt[0] ?? call.at },
    by,
    mode,
    partition: undefined,
    key: [],
    at: call.at,
    session: session(),
  };
}
