import { columnSums } from '../../../diff/column-sums.ts';
import { compareRows, type RowComparison } from '../../../diff/compare-rows.ts';
import type { ColumnSum } from '../../../diff/slice-diff.ts';
import { sameFigures } from '../../../diff/take-figures.ts';
import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import { describeSchema, type TableDescription } from '../../../warehouse/port/table-description.ts';
import type { AppliedSlice, OldRows } from '../../record/applied.ts';
import { oldCopy } from '../../tables/slice-state.ts';
import { type Target, tableSql } from '../../tables/target.ts';
import type { EscapeSlice } from '../guards/escape.ts';
import type { OpenUnit } from '../task/open-unit.ts';

export type ComparedSides = Parameters<typeof compareRows>[2];

/** A slice before and after; `sides`: where its rows are, if not in the old copy and in the live table. */
export interface ComparedSlice extends EscapeSlice {
  readonly target: Target;
  readonly index: number;
  readonly sides?: ComparedSides | undefined;
  /** Where all of its rows are, on both sides, if not there either. */
  readonly whole?: ComparedSides | undefined;
  /** How its rows differ, where that is known or told otherwise. */
  readonly rows?: (() => Promise<RowComparison> | RowComparison) | undefined;
  /** What its columns add up to, where that is known. */
  readonly sums?: readonly ColumnSum[] | undefined;
  readonly oldRows?: OldRows | undefined;
  readonly replaced?: boolean;
}

export async function compareSlices(
  unit: Pick<OpenUnit, 'session' | 'job' | 'plan'>,
  slices: readonly ComparedSlice[],
): Promise<{ slices: readonly AppliedSlice[]; notes: readonly string[] }> {
  const notes: string[] = [...unit.plan.notes];
  const applied: AppliedSlice[] = [];
  for (const compared of slices) {
    const { target, index, relation, before, after, sides, whole, oldRows, replaced = false } = compared;
    const { slice } = target;
    const schemaNote = before && schemaChange(target.relation?.table, relation.table);
    if (schemaNote !== undefined) notes.push(schemaNote);
    const keyUsable = (before?.keyUsable ?? true) && after.keyUsable;
    // Rows may be the same to the byte under other types: undoing that would take the task's ALTER back.
    const equal = before !== undefined && schemaNote === undefined && sameFigures(before, after);
    const rowsCompared = unit.job.options.compare === 'rows' && before !== undefined && schemaNote === undefined;
    const kept = { old: oldCopy(index), live: tableSql(relation.table), predicate: relation.predicate };
    const comparison =
      rowsCompared && !equal
        ? await (compared.rows?.() ??
            compareRows(unit.session, relation, sides ?? kept, { keyUsable, samples: unit.job.options.samples }))
        : undefined;
    const sums =
      comparison && (compared.sums ?? (await columnSums(unit.session, relation, whole ?? kept, columnsOfCut(slice))));
    const method = keyUsable ? ('key' as const) : ('multiset' as const);
    applied.push({
      target,
      table: relation.table,
      taken: { index, relation, before, after, keyUsable, replaced },
      oldRows,
      diff: {
        table: slice.table,
        column: slice.column,
        from: slice.from,
        to: slice.to,
        before: before?.figures,
        after: after.figures,
        added: comparison?.added ?? (equal ? 0 : undefined),
        removed: comparison?.removed ?? (equal ? 0 : undefined),
        changed: comparison?.changed ?? (equal ? 0 : undefined),
        withinTolerance: comparison?.withinTolerance ?? (equal ? 0 : undefined),
        columns: comparison?.columns ?? [],
        sums,
        samples: comparison?.samples ?? [],
        method: comparison?.method ?? (equal ? method : 'none'),
        key: relation.key,
        leftOut: relation.volatile.filter((name) => relation.table.columns.some((column) => column.name === name)),
        surrogates: relation.surrogates,
        leftOver: undefined,
        causes: [],
      },
    });
  }
  return { slices: applied, notes };
}

function schemaChange(before: TableDescription | undefined, after: TableDescription): string | undefined {
  if (before === undefined || describeSchema(before) === describeSchema(after)) return undefined;
  const columns = (table: TableDescription) => new Set(table.columns.map(({ name, type }) => `${name} ${type}`));
  const [old, now] = [columns(before), columns(after)];
  const added = [...now].filter((column) => !old.has(column)).map((column) => `+${column}`);
  const dropped = [...old].filter((column) => !now.has(column)).map((column) => `-${column}`);
  return `The schema of ${after.qualified} changed (${[...added, ...dropped].join(', ') || 'constraints'}): rows were not compared.`;
}
