import type { SliceDiff } from '../../../diff/slice-diff.ts';
import type { UnitState } from '../../../ledger/ledger-store.ts';
import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PlanGrid } from '../plan-view.ts';

/** What became of one table: slices, rows, columns. */
export interface TotalsRow {
  readonly task: TaskId;
  readonly table: string;
  /** Why its rows are not compared; `undefined` where they are. */
  readonly notCompared: string | undefined;
  readonly slices: { readonly changed: number; readonly held: number; readonly of: number };
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  /** Rows that changed, by column, most first. */
  readonly columns: readonly { readonly name: string; readonly rows: number }[];
  /** Rows that all of its slices hold, as far as is known; `undefined`: of one of them it is not. */
  readonly now: number | undefined;
  /** Why it is not known, where that was said. */
  readonly untold: string | undefined;
}

export interface TotalsInput {
  readonly plan: PlanGrid;
  readonly states: readonly UnitState[];
  /** What is known of a unit's slices, by unit. */
  readonly slicesOf: (unit: string) => readonly SliceDiff[];
  readonly now: ReadonlyMap<string, number>;
  /** Tables that could not be counted, and why: `mart.clean: …`. */
  readonly untold: readonly string[];
}

/** A line a table, in the order of the grid. */
export function totalsView({ plan, states, slicesOf, now, untold }: TotalsInput): readonly TotalsRow[] {
  return plan.rows.flatMap(({ task, tables, units, engine, left }) => {
    if (left !== undefined) return [];
    const ids = units.map((index) => plan.units[index]?.id ?? '');
    const held = ids.flatMap((id) => now.get(id) ?? []);
    const names = tables.length === 0 ? [task] : tables;
    return names.map((table, position): TotalsRow => {
      const sums = { changed: 0, held: 0, added: 0, removed: 0, rows: 0 };
      const columns = new Map<string, number>();
      for (const [at, id] of ids.entries()) {
        const state = states[units[at] ?? -1];
        const slice = slicesOf(id).find((one) => isOf(one.table, table, tables));
        if (state === 'held') sums.held++;
        if (state !== 'changed' || (slice !== undefined && !differs(slice))) continue;
        sums.changed++;
        sums.added += slice?.added ?? 0;
        sums.removed += slice?.removed ?? 0;
        sums.rows += slice?.changed ?? 0;
        for (const { column, rows } of slice?.columns ?? []) columns.set(column, (columns.get(column) ?? 0) + rows);
      }
      return {
        task,
        table,
        notCompared: engine?.note,
        slices: { changed: sums.changed, held: sums.held, of: units.length },
        added: sums.added,
        removed: sums.removed,
        changed: sums.rows,
        columns: [...columns].map(([name, rows]) => ({ name, rows })).sort((a, b) => b.rows - a.rows),
        // What is kept of a unit is the sum over its tables; a part of its slices is not what they hold.
        now:
          position > 0 || names.length > 1 || held.length < ids.length || ids.length === 0
            ? undefined
            : held.reduce((sum, rows) => sum + rows, 0),
        untold: untold.find((text) => text.startsWith(`${table}: `))?.slice(table.length + 2),
      };
    });
  });
}

/** A plan may name a table without its schema. */
const isOf = (recorded: string, planned: string, all: readonly string[]): boolean =>
  recorded === planned || all.length === 1 || recorded.endsWith(`.${planned}`) || planned.endsWith(`.${recorded}`);

const differs = ({ before, after, added, removed, changed }: SliceDiff): boolean =>
  (added ?? 0) + (removed ?? 0) + (changed ?? 0) > 0 || before?.rowChecksum !== after?.rowChecksum;
