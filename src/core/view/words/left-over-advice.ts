import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { UnitState } from '../../ledger/ledger-store.ts';
import { declaredWriteText } from '../../lineage/facts/declared-write-text.ts';
import type { TaskId } from '../../pipeline/model/model.ts';
import { plural } from '../../text/plural.ts';

/** One table of a task, with what its slices have left over. */
interface LeftOverOfTable {
  readonly task: TaskId;
  readonly table: string;
  /** Without those of `addedAgain`. */
  readonly rows: number;
  readonly addedAgain: number;
  readonly stale: number;
  readonly slices: number;
  readonly sample: Readonly<Record<string, string | null>> | undefined;
  readonly declared: 'keep' | 'delete' | undefined;
  readonly deleted: boolean;
  /** Nothing of it was kept. */
  readonly would: boolean;
  readonly problem: string | undefined;
}

export interface LeftOverWords {
  readonly text: string;
  /** What decides about them; `undefined` where that was said. */
  readonly help: string | undefined;
}

/**
 * Rows that earlier runs left and one clean run would not have, counted by task and table. What a unit that is held (or any
 * of a preview) left or took away is as it was before: it is said as what would be.
 */
export function leftOverInWords(
  units: readonly { readonly unit: string; readonly state: UnitState; readonly slices: readonly SliceDiff[] }[],
  isPreview = false,
): readonly LeftOverWords[] {
  const tables = new Map<string, LeftOverOfTable>();
  for (const { unit, state, slices } of units) {
    const task = unit.slice(0, unit.lastIndexOf('@'));
    const would = isPreview || state === 'held';
    for (const { table, leftOver } of slices) {
      if (leftOver === undefined) continue;
      const { rows, stale, samples, declared, deleted, addedAgain = 0, problem } = leftOver;
      const key = JSON.stringify([task, table, deleted, would]);
      const known = tables.get(key);
      tables.set(key, {
        ...{ task, table, declared, deleted, problem, would },
        rows: rows - addedAgain + (known?.rows ?? 0),
        addedAgain: addedAgain + (known?.addedAgain ?? 0),
        stale: stale + (known?.stale ?? 0),
        slices: 1 + (known?.slices ?? 0),
        sample: known?.sample ?? samples[0],
      });
    }
  }
  return [...tables.values()].map((one) =>
    one.deleted ? { text: deletedText(one), help: undefined } : keptWords(one),
  );
}

const placeOf = ({ table, slices, would }: LeftOverOfTable): string =>
  `${would ? 'would be left over' : 'left over'} in ${plural(slices, 'slice')} of ${table}`;

const exampleOf = ({ sample }: LeftOverOfTable): string => (sample === undefined ? '' : `, e.g. ${rowText(sample)}`);

function deletedText(one: LeftOverOfTable): string {
  const { rows, addedAgain, would } = one;
  const taken = `${placeOf(one)}, and taken away: ${plural(rows, 'row')}${exampleOf(one)}`;
  if (addedAgain === 0) return taken;
  const again = `${plural(addedAgain, 'row')} that ${would ? 'the run would add' : 'the run added'} to equal ones`;
  return rows > 0
    ? `${taken}; not kept: ${again}`
    : `${would ? 'would not be kept' : 'not kept'} in ${plural(one.slices, 'slice')} of ${one.table}: ${again}${exampleOf(one)}`;
}

function keptWords(one: LeftOverOfTable): LeftOverWords {
  const { task, table, rows, stale, declared, problem } = one;
  const counts = [
    ...(rows > 0 ? [`${plural(rows, 'row')} that one clean run would not have${exampleOf(one)}`] : []),
    ...(stale > 0 ? [`${plural(stale, 'row')} that it would have with other values`] : []),
  ];
  const why = problem === undefined ? '' : `; not deleted: ${problem}`;
  return {
    text: `${placeOf(one)}: ${counts.join(', ')}${why}`,
    help: declared === undefined ? leftOverHelp(task, table, rows, stale) : undefined,
  };
}

const leftOverHelp = (task: TaskId, table: string, rows: number, stale: number): string =>
  [
    ...(rows > 0
      ? [
          `where what it reads has all rows that ${table} is to have of this slice, they can be taken away, in backfill.yaml: ${declaredWriteText(task, [table], { orphans: 'delete' })}; keep in its place lets them be`,
        ]
      : []),
    ...(stale > 0 ? [`for rows with other values: ${replaceThem}`] : []),
  ].join('; ');

const replaceThem = 'let the task update the rows that it finds (DO UPDATE), or delete its slice first';

/** What helps where runs leave other rows than one clean run. `slices`: as runs leave them, then as a clean run does. */
export function notCleanAdvice(task: TaskId, slices: readonly SliceDiff[]): readonly string[] {
  return slices.flatMap(({ table, added, removed, changed, columns, method }) => [
    ...(removed && (method === 'key' || !added)
      ? [`rows that only runs have: ${leftOverHelp(task, table, removed, 0)}, or delete the slice first`]
      : []),
    ...(changed
      ? [
          `rows with other values in ${columns.map(({ column }) => column).join(', ')}: ${replaceThem}; if they are to differ, ` +
            `in backfill.yaml: ${declaredWriteText(task, [table], { volatile: columns.map(({ column }) => column) })}`,
        ]
      : []),
    ...(added && (method !== 'key' || !removed) ? [`rows of ${table} that only a clean run has: ${replaceThem}`] : []),
  ]);
}

/**
 * What helps where runs of the same code over the same rows differ: to say which columns are to. `slices`: as they differ.
 */
export function volatileAdvice(task: TaskId, slices: readonly SliceDiff[]): readonly string[] {
  const tables = new Map<string, Set<string>>();
  for (const { table, columns, added, removed, method } of slices) {
    const moved = tables.get(table) ?? new Set<string>();
    tables.set(table, moved);
    // Rows that come and go are no matter of single columns, unless there is no key by which they would be the same.
    if (method === 'multiset' && added && added === removed) moved.add('COLUMN');
    else if (!added && !removed) for (const { column } of columns) moved.add(column);
  }
  return [...tables].flatMap(([table, columns]) =>
    columns.size === 0
      ? []
      : [
          `if these columns are to differ, in backfill.yaml: ${declaredWriteText(task, [table], { volatile: [...columns] })}`,
        ],
  );
}

/** Where several intervals that are run in turn find what the last of them left. */
export function inTurnAdvice(slices: readonly SliceDiff[]): string {
  const tables = [...new Set(slices.map(({ table }) => table))].join(', ');
  return `the first of these intervals finds rows of ${tables} that later ones made: have the task first take back what its interval and later ones did there (delete their rows, open again what they closed), and run everything from the first interval on`;
}

const rowText = (row: Readonly<Record<string, string | null>>): string =>
  Object.entries(row)
    .map(([column, value]) => `${column}=${value ?? 'NULL'}`)
    .join(' ');
