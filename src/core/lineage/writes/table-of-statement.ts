import type { TableReference } from '../../sql/model/table-reference.ts';
import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import type { TaskStatement } from './task-statements.ts';

/**
 * The name of a table with what the task's parameters put into it: `{{ params.schema }}.orders`. `undefined`: a part
 * of it is only known when the task runs, and a name is never made of the rest.
 */
export function tableName(
  table: TableReference,
  { context, params }: Pick<TaskStatement, 'context' | 'params'>,
): string | undefined {
  if (!table.templated) return table.name;
  let name = '';
  let at = table.start;
  for (const hole of context.holes) {
    if (hole.end <= table.start || hole.start >= table.end) continue;
    const value = constantText(hole.value, params);
    if (value === undefined) return undefined;
    name += context.text.slice(at, hole.start) + value;
    at = hole.end;
  }
  const parts = (name + context.text.slice(at, table.end)).split('.').map(unquoted);
  return parts.every((part) => part !== undefined && part !== '') ? parts.join('.') : undefined;
}

function constantText(value: SymbolicValue, params: TaskStatement['params']): string | undefined {
  const constant =
    value.kind === 'literal'
      ? value.value
      : value.kind === 'parameter' && value.source === 'params'
        ? params[value.name]
        : undefined;
  return typeof constant === 'string' || typeof constant === 'number' ? String(constant) : undefined;
}

/** A part of a name as statements name it; `undefined` for what is no name, e.g. a tag between the parts. */
function unquoted(part: string): string | undefined {
  const text = part.trim();
  const quoted = /^"([^"]+)"$|^`([^`]+)`$|^\[([^\]]+)\]$/.exec(text);
  if (quoted !== null) return quoted[1] ?? quoted[2] ?? quoted[3];
  return /^[\w$-]+$/.test(text) ? text.toLowerCase() : undefined;
}
