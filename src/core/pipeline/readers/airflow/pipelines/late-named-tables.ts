import type { Hole } from '../../../../template/mask/masked-text.ts';
import { locate } from '../../../../text/mapped-text.ts';
import type { Span } from '../../../../text/span.ts';
import type { Task, TaskSql } from '../../../model/model.ts';
import type { Unread } from '../../../model/table-access.ts';

/**
 * Tables of SQL whose names Python puts together from what only the run knows. Names that are a time of the run are
 * known for each interval, and those of templates are resolved where the template is.
 */
export function lateNamedTables(sql: readonly TaskSql[], params: Task['params']): Unread[] {
  const found = new Map<string, Unread>();
  // One cause may hide many tables; a write is what a person asks for first.
  for (const does of ['writes', 'reads'] as const)
    for (const { source, reading, pythonHoles } of sql) {
      if (pythonHoles.length === 0) continue;
      for (const { kind, targets, reads } of reading.statements)
        for (const table of does === 'writes' ? targets : reads) {
          const hole = pythonHoles.find(
            (candidate) => overlap(candidate, table) && reasonOf(candidate, params) !== undefined,
          );
          const at = hole && locate(source, hole);
          if (hole === undefined || at === undefined) continue;
          // `'…{}…'.format(name)` has nothing to show but a number.
          const named = /^\d+$/.test(hole.source) ? 'what format(…) is given' : hole.source;
          const cause = `${named}: ${reasonOf(hole, params)}`;
          if (found.has(cause)) continue;
          const verb = kind.replaceAll('_', ' ').toUpperCase();
          found.set(cause, { hides: 'table', reason: `the table that this ${verb} ${does} is named by ${cause}`, at });
        }
    }
  return [...found.values()];
}

const overlap = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

/** Why the value of a hole is known at run time only; `undefined` when it is not. */
function reasonOf({ value }: Hole, params: Task['params']): string | undefined {
  switch (value.kind) {
    case 'unknown':
      return value.reason;
    case 'state':
      return `it comes from ${value.name}`;
    case 'clock':
      return `it comes from the clock (${value.name})`;
    case 'parameter':
      // The file says what the parameter is, and a run that is given another one is asked for by hand.
      if (value.source === 'params' && Object.hasOwn(params, value.name)) return undefined;
      return `it comes from ${value.source} ${value.name}`;
    default:
      return undefined;
  }
}
