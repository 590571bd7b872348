import { declaredWriteText, type WriteEntry } from '../../lineage/facts/declared-write-text.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import type { Applied } from './applied.ts';
import type { Decision } from './decide.ts';

type Held = UnitOutcome & { readonly state: 'held' };

/** A held unit with what lets it through. */
export const heldOutcome = (
  { code, reason }: Decision & { readonly kind: 'held' },
  applied: Applied,
  job: UnitJob,
  durationMs: number,
): Held => ({
  state: 'held',
  code,
  reason,
  remedy: remedyOf(code, applied, job),
  slices: applied.slices.map(({ diff }) => diff),
  durationMs,
});

function remedyOf(code: Held['code'], { escape: escaped, again }: Applied, job: UnitJob): string {
  const tasks = (entry: string) => `tasks: { ${JSON.stringify(job.task)}: { ${entry} } }`;
  switch (code) {
    case 'escaped':
      return (
        `look whether the task is to write these rows; if so, say it in backfill.yaml, try whether a second run leaves them as they are${proof(job)}, ` +
        `and run the interval again (this run goes by what was said when it was planned): ${declaredWriteText(job.task, escapedTables(escaped, job), { slice: 'all' })}`
      );
    case 'empty':
    case 'shrunk':
      if (job.carried !== undefined)
        return `its rows are written, and what waits for them is not run; where they are right: backfill resume ${job.run} --accept-held; where not: backfill undo ${job.run} --unit ${job.unit}`;
      return `look at the rows that would go; if that is right: backfill resume ${job.run} --accept-held; to hold such results of this task no more, in backfill.yaml: ${tasks('hold: false')}`;
    case 'changes-again': {
      const tables = again?.kind === 'changes' ? named(again.tables, job) : [];
      // Said to be written whole, the table would draw all that reads any of it into later plans, which add rows as well.
      const cut = (table: string): WriteEntry => {
        const { column, from } = job.slices.find((slice) => slice.table === table) ?? {};
        return column === undefined || from === undefined ? { slice: 'all' } : { column };
      };
      const journal = declaredWriteText(job.task, tables, (table) => ({ ...cut(table), journal: true }));
      return (
        `let the task delete or find again what its last run wrote (backfill prove shows the rows${proof(job)}), or let it through this once: backfill resume ${job.run} --accept-held; ` +
        `where each run is meant to add to it (a journal), say it in backfill.yaml and run the interval again: ${journal}; to hold nothing of this task: hold: false under it`
      );
    }
    case 'null-key':
    case 'repeated-key':
      return `mend the key, or let it through as it is: backfill resume ${job.run} --accept-held`;
  }
}

/** Of a whole table no run of one interval tells by itself that it has added the same rows once more. */
function proof({ task, unit }: UnitJob): string {
  const date = unit.slice(unit.lastIndexOf('@') + 1);
  return /^\d{4}-/.test(date) ? `: backfill prove ${task} --logical-dates ${date}..${date}` : ' (backfill prove)';
}

function escapedTables(verdict: Applied['escape'], { slices }: UnitJob): readonly string[] {
  return verdict.kind === 'escaped' ? named(verdict.tables, { slices }) : [];
}

/** By the names that the task has for its targets, so that a declaration is taken for these. */
function named(tables: readonly string[], { slices }: Pick<UnitJob, 'slices'>): readonly string[] {
  const isNamed = (written: string, table: string) => written === table || table.endsWith(`.${written}`);
  const names = tables.map((table) => slices.find((slice) => isNamed(slice.table, table))?.table ?? table);
  return [...new Set(names)];
}
