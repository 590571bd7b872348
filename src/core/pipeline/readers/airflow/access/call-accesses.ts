import { type SymbolicValue, unknownValue } from '../../../../template/names/symbolic-value.ts';
import type { Sourced } from '../../../model/sourced.ts';
import type { AccessMode, TableAccess } from '../../../model/table-access.ts';
import { argument } from '../../../python/calls/call.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Keyword, Value } from '../../../python/values/value.ts';
import { isNone, wordOf } from '../program/arguments.ts';
import { namedTable } from '../transfers/table-name.ts';
import type { CallAccess, CallArgument } from './call-access.ts';
import { knownCalls } from './known-calls.ts';
import { tableValue } from './table-value.ts';

/** A call in the Python of a task. */
export interface CallSite {
  /** Full name of a function, or the name of a method. */
  readonly name: string;
  readonly call: Call;
  /** Type of the receiver, or what the call is known by otherwise. */
  readonly type: string;
  readonly session: () => number;
}

/** Tables that a call reads and writes because its arguments say so; `undefined` for a call that is not known. */
export function callAccesses({ name, call, type, session }: CallSite): readonly TableAccess[] | undefined {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const candidates = knownCalls.get(last)?.filter(({ of }) => of === undefined || of.test(type)) ?? [];
  const [first] = candidates;
  if (first === undefined) return undefined;
  // Several entries of one call are told apart by what they do; two of the same kind are alternatives.
  const chosen = candidates.filter(
    (candidate, index) =>
      candidate.of === first.of &&
      (candidate.needs !== undefined ||
        index === candidates.findIndex((other) => other.direction === candidate.direction)),
  );
  return chosen.flatMap((access) => {
    if (access.needs?.some((needed) => given(call, needed) === undefined)) return [];
    return [accessOf(access, last, call, session)];
  });
}

function accessOf(access: CallAccess, by: string, call: Call, session: () => number): TableAccess {
  const named = given(call, access.table);
  const { table, partition } =
    named === undefined
      ? { table: unknownValue('it is not given where the call stands'), partition: undefined }
      : namedTable(tableValue(named.value), access.quotes);
  const at = named?.valueAt ?? call.at;
  return {
    direction: access.direction,
    table: { value: qualified(table, access, call), at },
    by,
    mode: access.direction === 'read' ? undefined : modeOf(access, call),
    partition: partition === undefined ? undefined : { value: partition, at },
    key: keyOf(access, call),
    at: call.at,
    session: session(),
  };
}

/** An argument that is given and not None, along its path. */
function given(call: Call, { name, position, path = [] }: CallArgument): Keyword | undefined {
  let found = argument(call, name, position);
  for (const step of path) found = found && stepInto(found, step);
  return found === undefined || isNone(found.value) ? undefined : found;
}

/** An entry of a dict; of an object what was assigned to it, else what it was made with. */
function stepInto({ value, at }: Keyword, name: string): Keyword | undefined {
  if (value.kind === 'dict') {
    const entry = value.entries.get(name);
    return entry && { name, ...entry };
  }
  if (value.kind !== 'instance') return undefined;
  const assigned = value.attributes?.get(name);
  return assigned === undefined ? value.call.keywords.get(name) : { name, value: assigned, at, valueAt: at };
}

function modeOf({ mode, silent = 'unknown' }: CallAccess, call: Call): Sourced<AccessMode> {
  const found = mode && given(call, mode);
  if (mode === undefined || found === undefined) {
    // Arguments that are not known may hold it; so may an object that the file does not make itself.
    const hidden = mode?.path !== undefined && isHidden(argument(call, mode.name, mode.position)?.value);
    return mode !== undefined && (call.open || hidden)
      ? { value: 'unknown', at: call.at }
      : { value: silent, at: undefined };
  }
  const word = wordOf(found.value);
  const known = word === undefined ? undefined : mode.modes.find(([pattern]) => pattern.test(word))?.[1];
  return { value: known ?? 'unknown', at: found.at };
}

const isHidden = (value: Value | undefined): boolean =>
  value !== undefined && value.kind !== 'instance' && !(value.kind === 'dict' && !value.open) && !isNone(value);

function keyOf({ key }: CallAccess, call: Call): readonly string[] {
  const value = key && given(call, key)?.value;
  if (value === undefined) return [];
  const names = (value.kind === 'list' ? value.items : [value]).map(plainText);
  return names.every((name) => name !== undefined) ? names : [];
}

/** The name with the parts in front of it that other arguments say. */
function qualified(name: SymbolicValue, { within = [], quotes }: CallAccess, call: Call): SymbolicValue {
  if (name.kind !== 'literal' || String(name.value).includes('.')) return name;
  const parts: string[] = [];
  for (const part of within) {
    const found = given(call, part);
    if (found === undefined) continue;
    const { table } = namedTable(found.value, quotes);
    if (table.kind === 'literal') parts.push(String(table.value));
    // Of an outer part two values are two surroundings of one pipeline.
    else if (part === within.at(-1)) return unknownValue(`its ${part.name} is not known`);
  }
  return { kind: 'literal', value: [...parts, String(name.value)].join('.') };
}
