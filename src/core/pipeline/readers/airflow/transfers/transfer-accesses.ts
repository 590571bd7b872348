import { type SymbolicValue, unknownValue } from '../../../../template/names/symbolic-value.ts';
import type { Sourced } from '../../../model/sourced.ts';
import type { AccessMode, TableAccess } from '../../../model/table-access.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Keyword, Value } from '../../../python/values/value.ts';
import { sqlOperators } from '../operators/sql-operators.ts';
import { argumentAt, booleanOf, isNone, wordOf } from '../program/arguments.ts';
import type { TaskBuilder } from '../program/program.ts';
import { renderedValue } from '../templates/rendered-value.ts';
import { namedTable, partitionOf } from './table-name.ts';
import type { TableArgument, TransferWrite } from './transfer-operator.ts';
import { transferOperators } from './transfer-operators.ts';

/** The tables that an operator reads and writes because its arguments say so, reads first. */
export function transferAccesses(task: TaskBuilder): TableAccess[] {
  const operator = transferOperators.get(task.operator);
  if (operator === undefined) return [];
  const { reads = [], writes = [] } = operator;
  // What it writes goes over a connection of its own, after the texts that it sends.
  const sides = sqlOperators[task.operator]?.sides;
  const session = sides === undefined ? {} : { session: sides.length + 1 };
  return [
    ...reads.flatMap((read) =>
      tablesOf(task, read).map((named) => ({ ...named, direction: 'read' as const, mode: undefined, key: [] })),
    ),
    ...writes.flatMap((write) =>
      tablesOf(task, write).map((named) => ({
        ...named,
        ...(booleanOf(argumentAt(task, write.dropsTable ?? ''))?.value === true ? { partition: undefined } : {}),
        direction: 'write' as const,
        mode: modeOf(task, write),
        key: keyOf(task, write),
        ...session,
      })),
    ),
  ];
}

type NamedAccess = Pick<TableAccess, 'table' | 'partition' | 'by' | 'at'>;

function tablesOf(task: TaskBuilder, argument: TableArgument): readonly NamedAccess[] {
  const spared = argument.unless === undefined ? undefined : argumentAt(task, argument.unless);
  if (spared !== undefined && !isNone(spared.value)) return [];
  const given = firstGiven(task, argument.table);
  const by = task.operator;
  if (given === undefined) {
    if (argument.optional === true && !task.made.open) return [];
    const reason = task.made.open
      ? 'the arguments of the operator are not all known'
      : `${argument.table[0]} is not given where the operator is made`;
    return [{ table: { value: unknownValue(reason), at: task.made.at }, partition: undefined, by, at: task.made.at }];
  }
  // Whether the dict on the way has it at all is not known, so nothing can be said here.
  if (argument.optional === true && given.value.kind === 'unknown' && given.name !== argument.table[0]) return [];
  const own = argument.partition && partitionArgument(task, argument.partition);
  const values = given.value.kind === 'list' ? given.value.items : [given.value];
  const open = given.value.kind === 'list' && (given.value.open || values.length === 0);
  return [
    ...values.map((value): NamedAccess => {
      const { table, partition } = namedTable(withRendered(value));
      return {
        table: { value: qualified(task, argument, table), at: given.valueAt },
        partition: partition === undefined ? own : { value: partition, at: given.valueAt },
        by,
        at: given.at,
      };
    }),
    ...(open
      ? [
          {
            table: { value: unknownValue('the list is not known'), at: given.valueAt },
            partition: own,
            by,
            at: given.at,
          },
        ]
      : []),
  ];
}

/** A name that is one template expression is the value of that expression. */
function withRendered(value: Value): Value {
  const rendered = renderedValue(value);
  return rendered.kind === 'symbol' ? rendered : value;
}

function firstGiven(task: TaskBuilder, names: readonly string[]): Keyword | undefined {
  for (const name of names) {
    const given = argumentAt(task, name);
    if (given !== undefined && !isNone(given.value)) return given;
  }
  return undefined;
}

/** The name with the parts in front of it that other arguments say. A project that is not known is left out. */
function qualified(
  task: TaskBuilder,
  { within = [], schemaDefault }: TableArgument,
  name: SymbolicValue,
): SymbolicValue {
  if (name.kind !== 'literal' || String(name.value).includes('.')) return name;
  const parts: string[] = [];
  for (const [index, argument] of within.entries()) {
    const given = argumentAt(task, argument);
    const isInnermost = index === within.length - 1;
    if (given === undefined || isNone(given.value)) {
      if (isInnermost && schemaDefault !== undefined) parts.push(schemaDefault);
      continue;
    }
    const text = plainText(given.value);
    // An empty text is how some classes say "none".
    if (text === '') continue;
    if (text === undefined || text.includes('{{')) {
      if (!isInnermost) continue;
      return unknownValue(`${argument} is not known before it runs`);
    }
    parts.push(text);
  }
  return { kind: 'literal', value: [...parts, String(name.value)].join('.').toLowerCase() };
}

function partitionArgument(
  task: TaskBuilder,
  { argument, silent }: NonNullable<TableArgument['partition']>,
): Sourced<SymbolicValue> | undefined {
  const given = argumentAt(task, argument);
  if (given === undefined)
    return silent === undefined ? undefined : { value: partitionOf(derivedText(silent)), at: undefined };
  if (isNone(given.value)) return undefined;
  return { value: partitionOf(given.value), at: given.at };
}

function modeOf(task: TaskBuilder, { mode = [], silent }: TransferWrite): Sourced<AccessMode> {
  for (const { argument, modes } of mode) {
    const given = argumentAt(task, argument);
    if (given === undefined || isNone(given.value)) continue;
    const word = wordOf(given.value);
    const known = word === undefined ? 'unknown' : modes.find(([pattern]) => pattern.test(word))?.[1];
    // A value that leaves the decision to the next argument: `external_table=False`.
    if (known !== undefined) return { value: known, at: given.at };
    if (argument === mode.at(-1)?.argument) return { value: 'unknown', at: given.at };
  }
  return task.made.open ? { value: 'unknown', at: task.made.at } : { value: silent, at: undefined };
}

function keyOf(task: TaskBuilder, { key }: TransferWrite): readonly string[] {
  const given = key === undefined ? undefined : argumentAt(task, key)?.value;
  if (given === undefined) return [];
  const values = given.kind === 'list' ? given.items : [given];
  const names = values.map((value) => plainText(value));
  return names.every((name) => name !== undefined) ? names : [];
}
