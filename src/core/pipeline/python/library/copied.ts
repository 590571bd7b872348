import { externalBase } from '../calls/class-member.ts';
import type { DictEntry, DictValue, Interpreter, ListValue, ObjectValue, Value } from '../values/value.ts';

/** What `copy.copy` and `copy.deepcopy` give: what is changed of the copy afterwards does not reach the original. */
export function copied(
  value: Value,
  run: Interpreter,
  deep: boolean,
  made: Map<Value, Value> = new Map<Value, Value>(),
): Value {
  const known = made.get(value);
  if (known !== undefined) return known;
  const inner = (one: Value): Value => (deep ? copied(one, run, true, made) : one);
  const keep = <T extends Value>(copy: T, fill: (copy: T) => void): T => {
    // Before what is inside it: that may lead back to it.
    made.set(value, copy);
    fill(copy);
    return copy;
  };
  switch (value.kind) {
    case 'list':
      return keep<ListValue>({ kind: 'list', items: [], tuple: value.tuple, open: value.open }, ({ items }) => {
        items.push(...value.items.map(inner));
      });
    case 'dict':
      return keep<DictValue>(
        { kind: 'dict', entries: new Map<string, DictEntry>(), open: value.open },
        ({ entries }) => {
          for (const [key, entry] of value.entries) entries.set(key, { ...entry, value: inner(entry.value) });
        },
      );
    case 'object': {
      // A task or a DAG is one thing to the reader, however often it is copied.
      if (/^airflow(?:\.|$)/.test(externalBase(value.class) ?? '')) return value;
      const copy: ObjectValue = { ...value, attributes: new Map(), version: 0, certainUnder: run.uncertainty };
      return keep(copy, ({ attributes }) => {
        for (const [name, attribute] of value.attributes) attributes.set(name, inner(attribute));
      });
    }
    default:
      return value;
  }
}
