import { evidenceInWords, type TableVerdict } from '../../../core/run/observed/judge-observations.ts';
import type { TaskLineage } from '../../../core/run/observed/lineage-events.ts';
import type { Observation } from '../../../core/run/observed/observation.ts';
import { toIso } from '../../../core/time/zones/iso.ts';

/** Version 1. Counters are `null` where only commit times told. */
export function observedJson(
  task: string,
  observations: readonly Observation[],
  verdicts: readonly TableVerdict[],
  { declared, lineage }: { readonly declared: string | undefined; readonly lineage: TaskLineage | undefined },
): string {
  const runs = observations.map(({ run, unit, interval, how, beside, tables }) => ({
    run,
    unit,
    start: toIso(interval.start),
    end: toIso(interval.end),
    how,
    beside,
    tables: tables.map(({ table, rows, counted, givenUp }) => ({
      table,
      rows: rows ?? null,
      counted: counted ?? null,
      ...(givenUp === undefined ? {} : { givenUp }),
    })),
  }));
  const tables = verdicts.map((one) => {
    if (one.kind === 'not clear') return { table: one.table, clear: false, reason: one.reason };
    const { table, slice, mode, rows, runs: count, who } = one;
    const column = slice.kind === 'all' ? null : slice.column;
    const owns = slice.kind === 'all' ? 'all' : slice.of;
    return { table, clear: true, column, slice: owns, mode, rows, runs: count, who, evidence: evidenceInWords(one) };
  });
  return `${JSON.stringify({ version: 1, task, runs, tables, events: lineage ?? null, declared: declared ?? null })}\n`;
}
