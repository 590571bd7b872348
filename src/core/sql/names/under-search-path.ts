import type { MaskedText } from '../../template/mask/masked-text.ts';
import { isQualified } from '../model/name-parts.ts';
import type { SqlReading, Statement } from '../model/statement.ts';
import type { TableReference } from '../model/table-reference.ts';
import { pathChange } from './search-path.ts';

/**
 * A reading of PostgreSQL with the schema in front of names that lack one, where the search path is one schema: what the
 * session begins with (`start`; `undefined`: not said), and what SET makes of it. Of several schemas the database alone
 * knows which one has the table, so that the name stays as it is.
 */
export function underSearchPath(
  reading: SqlReading,
  masked: MaskedText,
  start: readonly string[] | undefined,
): SqlReading {
  let path = start;
  let changed = false;
  const statements = reading.statements.map((statement) => {
    const change = pathChange(masked, statement);
    if (change !== undefined)
      path = change.kind === 'set' ? change.schemas : change.kind === 'reset' ? start : undefined;
    const own = path?.filter((schema) => schema !== 'pg_catalog' && schema !== 'pg_temp');
    const [schema, ...others] = own ?? [];
    if (schema === undefined || others.length > 0 || schema === '$user') return statement;
    const named = qualified(statement, schema);
    changed ||= named !== statement;
    return named;
  });
  return changed ? { ...reading, statements } : reading;
}

/** The same object where nothing in it is a name without a schema. */
function qualified<T>(value: T, schema: string): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => qualified(item, schema));
    return items.some((item, index) => item !== value[index]) ? (items as T) : value;
  }
  if (isReference(value)) {
    const isBare = !value.templated && !isQualified(value.name) && !value.name.startsWith('pg_');
    return isBare ? { ...value, name: `${schema}.${value.name}` } : value;
  }
  const descriptors = Object.getOwnPropertyDescriptors(value) as Record<string, PropertyDescriptor>;
  let changed = false;
  for (const [name, descriptor] of Object.entries(descriptors)) {
    // A second opinion that nobody has asked for stays so, and a common table has no schema.
    if (!('value' in descriptor) || (name === 'table' && 'cte' in value && value.cte !== undefined)) continue;
    const inner = qualified(descriptor.value, schema);
    if (inner === descriptor.value) continue;
    descriptors[name] = { ...descriptor, value: inner };
    changed = true;
  }
  return changed ? (Object.defineProperties({}, descriptors) as T) : value;
}

const isReference = (value: object): value is TableReference =>
  'templated' in value && 'name' in value && typeof value.name === 'string';

/** Whether a statement is one that sets, shows or brackets, and touches no table. */
export const touchesNoTable = ({ kind, reads, targets, modifying, body }: Statement): boolean =>
  (kind === 'other' || kind === 'begin' || kind === 'commit' || kind === 'select') &&
  reads.length + targets.length + modifying.length + body.length === 0;
