import { causesInWords } from '../../diff/change-cause.ts';
import { netChanges } from '../../diff/net-change.ts';
import type { SliceDiff } from '../../diff/slice-diff.ts';
import { withinToleranceText } from '../../diff/within-tolerance-text.ts';
import type { UnitRecord, UnitState } from '../../ledger/ledger-store.ts';
import { countStates } from '../../run/unit/run-result.ts';
import { plural } from '../../text/plural.ts';
import { leftOverInWords } from '../words/left-over-advice.ts';
import { stateOfSlice } from '../words/state-of-slice.ts';

export interface ReportInput {
  readonly title: string;
  /** The database as it is shown everywhere; never a secret. */
  readonly target: string;
  readonly run: string | undefined;
  /** What would change, and did not. */
  readonly preview?: boolean;
  /** The preview did what no rollback takes back. */
  readonly stays?: boolean | undefined;
  readonly results: readonly UnitRecord[];
}

/** A run or preview put into words, whatever it is written as: what fits on a screen, and the rest to be unfolded. */
export interface ReportContent {
  readonly title: string;
  readonly where: string | undefined;
  readonly counts: string;
  /** One row a task, with how many of its units came to which end. */
  readonly tasks: ReportTable | undefined;
  /** One row a table that was changed. */
  readonly net: ReportTable | undefined;
  /** Units that came to no good end, the first of them. */
  readonly trouble: ReportTable | undefined;
  readonly folded: readonly ReportGroup[];
}

/** What is folded away under one line. */
export interface ReportGroup {
  readonly summary: string;
  /** One row per slice that is not as it was, and per unit that came to no good end. */
  readonly table: ReportTable;
  readonly details: readonly ReportDetail[];
}

export interface ReportTable {
  readonly titles: readonly { readonly title: string; readonly number?: boolean }[];
  readonly rows: readonly (readonly string[])[];
}

/** What is told of one slice: why it changed, which columns, and rows of it. */
export interface ReportDetail {
  readonly heading: string;
  readonly why: string | undefined;
  readonly columns: string | undefined;
  readonly samples: ReportTable | undefined;
}

const figureTitles = [
  { title: 'unit' },
  { title: 'state' },
  { title: 'table' },
  { title: 'rows before', number: true },
  { title: 'rows after', number: true },
  { title: 'added', number: true },
  { title: 'removed', number: true },
  { title: 'changed', number: true },
  { title: 'row checksum before' },
  { title: 'after' },
];

const sampleTitles = [{ title: '' }, { title: 'key' }, { title: 'before' }, { title: 'after' }];

/** Units that left everything as it was are counted only. */
export function reportContent({
  title,
  target,
  run,
  preview = false,
  stays = false,
  results,
}: ReportInput): ReportContent {
  const told = results.filter(
    ({ state, slices }) =>
      (state !== 'unchanged' && state !== 'skipped' && state !== 'waiting') || slices.some(({ leftOver }) => leftOver),
  );
  const counts = countsOf(results);
  return {
    title,
    where: preview
      ? `Preview for ${target}: ${stays ? 'no row was kept' : 'nothing was written'}.`
      : run && `Run ${run} on ${target}`,
    counts: counts === '' ? 'Nothing has run yet.' : `${counts}.`,
    tasks: tasksTable(results),
    net: netTable(results),
    trouble: troubleTable(told),
    folded: groupsOf(told),
  };
}

const countsOf = (results: readonly UnitRecord[]): string =>
  Object.entries(countStates(results))
    .map(([state, count]) => `${count} ${state}`)
    .join(', ');

const taskOf = ({ unit }: UnitRecord): string => unit.slice(0, unit.lastIndexOf('@'));

function byTask(results: readonly UnitRecord[]): ReadonlyMap<string, readonly UnitRecord[]> {
  const tasks = new Map<string, UnitRecord[]>();
  for (const result of results) {
    const own = tasks.get(taskOf(result));
    if (own === undefined) tasks.set(taskOf(result), [result]);
    else own.push(result);
  }
  return tasks;
}

function tasksTable(results: readonly UnitRecord[]): ReportTable | undefined {
  const rows = [...byTask(results)].map(([task, own]) => [task, String(own.length), countsOf(own)]);
  const titles = [{ title: 'task' }, { title: 'units', number: true }, { title: 'states' }];
  return rows.length === 0 ? undefined : { titles, rows };
}

const netTitles = [
  { title: 'net change' },
  { title: 'slices changed', number: true },
  { title: 'rows before', number: true },
  { title: 'rows after', number: true },
  { title: 'added', number: true },
  { title: 'removed', number: true },
  { title: 'changed', number: true },
  { title: 'sums before → after' },
];

/** Rows and sums are those of the slices that were changed. */
function netTable(results: readonly UnitRecord[]): ReportTable | undefined {
  const changes = netChanges(results).filter(({ changedSlices }) => changedSlices > 0);
  if (changes.length === 0) return undefined;
  const rows = changes.map((change) => {
    const { table, changedSlices, rowsBefore, rowsAfter, added, removed, changed, columns } = change;
    const counts = [rowsBefore, rowsAfter, added, removed, changed].map((count) => count?.toString() ?? '?');
    const sums = columns.map(
      ({ column, before, after, net }) =>
        `${column} ${before ?? '?'} → ${after ?? '?'}${net === '0' ? '' : ` (${net ?? '?'})`}`,
    );
    return [table, String(changedSlices), ...counts, sums.join(', ')];
  });
  return { titles: netTitles, rows };
}

/** More are in the folded part. */
const mostTrouble = 10;

function troubleTable(told: readonly UnitRecord[]): ReportTable | undefined {
  const bad = told.filter(({ state }) => !endedWell.has(state));
  if (bad.length === 0) return undefined;
  const rows = bad
    .slice(0, mostTrouble)
    .map(({ unit, state, message }) => [unit, state, message?.split('\n')[0] ?? '']);
  const more = bad.length - mostTrouble;
  return {
    titles: [{ title: 'unit' }, { title: 'state' }, { title: 'why' }],
    rows: more > 0 ? [...rows, [`and ${plural(more, 'more unit')}`, '', '']] : rows,
  };
}

const endedWell: ReadonlySet<UnitState> = new Set(['changed', 'unchanged', 'skipped', 'done', 'waiting', 'running']);

function groupsOf(told: readonly UnitRecord[]): readonly ReportGroup[] {
  return [...byTask(told)].map(([task, own]) => ({
    summary: `${task}: ${countsOf(own)}`,
    table: { titles: figureTitles, rows: own.flatMap(figureRows) },
    details: own.flatMap(({ unit, state, slices }) => slices.flatMap((slice) => detailOf(unit, state, slice))),
  }));
}

function figureRows({ unit, state, message, slices }: UnitRecord): readonly (readonly string[])[] {
  if (slices.length === 0) return [[unit, state, message ?? '', ...Array<string>(7).fill('')]];
  return slices.map((slice) => {
    const { table, before, after, added, removed, changed, withinTolerance } = slice;
    return [
      unit,
      stateOfSlice(state, slice),
      table,
      ...[before?.rows, after?.rows, added, removed].map((count) => count?.toString() ?? ''),
      withinTolerance ? `${changed} ${withinToleranceText(withinTolerance, changed)}` : (changed?.toString() ?? ''),
      before?.rowChecksum ?? '',
      after?.rowChecksum ?? '',
    ];
  });
}

function detailOf(unit: string, state: UnitRecord['state'], slice: SliceDiff): readonly ReportDetail[] {
  const { table, samples, key, columns, causes } = slice;
  const left = leftOverInWords([{ unit, state, slices: [slice] }]).map(
    ({ text }) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`,
  );
  if (samples.length === 0 && causes.length === 0 && left.length === 0) return [];
  const said = [...(causes.length === 0 ? [] : [`Why it changed: ${causesInWords(causes)}.`]), ...left];
  const why = said.length === 0 ? undefined : said.join(' ');
  const counted = columns
    .map(({ column, rows, withinTolerance }) =>
      withinTolerance ? `${column}: ${rows} ${withinToleranceText(withinTolerance, rows)}` : `${column}: ${rows}`,
    )
    .join(', ');
  const rows = samples.map((sample) => sampleRow(sample, key));
  return [
    {
      heading: `${unit} — ${table}`,
      why,
      columns: counted === '' ? undefined : counted,
      samples: rows.length === 0 ? undefined : { titles: sampleTitles, rows },
    },
  ];
}

function sampleRow(sample: SliceDiff['samples'][number], key: readonly string[]): readonly string[] {
  const value = (text: string | null | undefined): string => (text === null ? 'NULL' : (text ?? ''));
  const differs = (column: string): boolean =>
    sample.kind !== 'changed' || sample.before?.[column] !== sample.after?.[column];
  const side = (values: Readonly<Record<string, string | null>> | undefined): string =>
    Object.entries(values ?? {})
      .filter(([column]) => !key.includes(column) && differs(column))
      .map(([column, text]) => `${column}=${value(text)}`)
      .join(', ');
  const name = key.map((column) => `${column}=${value(sample.key?.[column])}`).join(', ');
  return [sample.kind, name, side(sample.before), side(sample.after)];
}
