import { unknown } from '../../../python/values/make-value.ts';
import { TextBuilder, textPlace } from '../../../python/values/text-value.ts';
import type { Value } from '../../../python/values/value.ts';

/**
 * A table as a Python library hands it around, as the value that names it: `bigquery.Table("p.d.t")`,
 * `client.dataset("d").table("t")`, `Table("t", metadata, schema="s")`, a mapped class with `__tablename__`.
 */
export function tableValue(value: Value, depth = 0): Value {
  if (depth > 4) return value;
  if (value.kind === 'class') return mappedTable(value) ?? value;
  if (value.kind === 'object') return mappedTable(value.class) ?? value;
  if (value.kind !== 'instance') return value;
  const { type, call } = value;
  const [first] = call.positional;
  const last = type.slice(type.lastIndexOf('.') + 1);
  if (/^(?:table|model)$/.test(last) && first !== undefined) {
    return qualified(datasetOf(value.attributes?.get(holderName)), first);
  }
  if (last === 'Table') {
    const schema = call.keywords.get('schema')?.value ?? schemaOf(call.positional[1]);
    return first === undefined ? value : qualified(schema, first);
  }
  if (/^(?:TableReference|get_table|from_string)$/.test(last) && first !== undefined)
    return tableValue(first, depth + 1);
  return value;
}

/** The name of the dataset that a table is taken from: `client.dataset("d")`, `DatasetReference("p", "d")`. */
function datasetOf(holder: Value | undefined): Value | undefined {
  if (holder?.kind !== 'instance') return undefined;
  const { positional, keywords } = holder.call;
  if (/(?:^|\.)DatasetReference$/.test(holder.type)) return positional[1] ?? keywords.get('dataset_id')?.value;
  return /(?:^|\.)dataset$/.test(holder.type) ? (positional[0] ?? keywords.get('dataset_id')?.value) : undefined;
}

/** The name under which a chained call keeps what it was called on. */
export const holderName = 'receiver of the call';

/** The schema that `MetaData(schema=…)` gives the tables made with it, also through a declarative base. */
function schemaOf(metadata: Value | undefined): Value | undefined {
  if (metadata?.kind === 'instance') {
    const { keywords } = metadata.call;
    return /(?:^|\.)MetaData$/.test(metadata.type)
      ? keywords.get('schema')?.value
      : schemaOf(keywords.get('metadata')?.value);
  }
  if (metadata?.kind !== 'class') return undefined;
  return schemaOf(metadata.frame.names.get('metadata')) ?? schemaOfBases(metadata);
}

function schemaOfBases(owner: Extract<Value, { kind: 'class' }>): Value | undefined {
  for (const base of owner.bases) {
    const found = schemaOf(base);
    if (found !== undefined) return found;
  }
  return undefined;
}

function mappedTable(owner: Extract<Value, { kind: 'class' }>): Value | undefined {
  const name = owner.frame.names.get('__tablename__');
  if (name !== undefined) {
    const settings = owner.frame.names.get('__table_args__');
    const holders = settings?.kind === 'list' ? settings.items : settings === undefined ? [] : [settings];
    for (const holder of holders)
      if (holder.kind === 'dict') {
        const schema = holder.entries.get('schema')?.value;
        if (schema !== undefined) return qualified(schema, name);
      }
    return qualified(schemaOf(owner), name);
  }
  const table = owner.frame.names.get('__table__');
  if (table !== undefined) return tableValue(table);
  for (const base of owner.bases) {
    const inherited = base.kind === 'class' ? mappedTable(base) : undefined;
    if (inherited !== undefined) return inherited;
  }
  return undefined;
}

function qualified(schema: Value | undefined, name: Value): Value {
  if (schema === undefined || (schema.kind === 'scalar' && schema.value === null)) return name;
  if (schema.kind !== 'text') return unknown('the schema that it is in is not known');
  if (name.kind !== 'text') return unknown('its name is not known');
  const builder = new TextBuilder();
  builder.append(schema);
  builder.derived('.', textPlace(name));
  builder.append(name);
  return builder.build();
}
