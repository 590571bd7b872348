import { causesInWords } from '../../diff/change-cause.ts';
import type { SliceDiff } from '../../diff/slice-diff.ts';
import { withinToleranceText } from '../../diff/within-tolerance-text.ts';
import type { UnitRecord } from '../../ledger/ledger-store.ts';
import { countStates } from '../../run/unit/run-result.ts';
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

/** A run or preview put into words, whatever it is written as. */
export interface ReportContent {
  readonly title: string;
  readonly where: string | undefined;
  readonly counts: string;
  /** One row per slice that is not as it was, and per unit that came to no good end. */
  readonly table: ReportTable | undefined;
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
  const counts = Object.entries(countStates(results)).map(([state, count]) => `${count} ${state}`);
  const told = results.filter(
    ({ state, slices }) =>
      (state !== 'unchanged' && state !== 'skipped' && state !== 'waiting') || slices.some(({ leftOver }) => leftOver),
  );
  return {
    title,
    where: preview
      ? `Preview for ${target}: ${stays ? 'no row was kept' : 'nothing was written'}.`
      : run && `Run ${run} on ${target}`,
    counts: counts.length === 0 ? 'Nothing has run yet.' : `${counts.join(', ')}.`,
    table: told.length === 0 ? undefined : { titles: figureTitles, rows: told.flatMap(figureRows) },
    details: told.flatMap(({ unit, slices }) => slices.flatMap((slice) => detailOf(unit, slice))),
  };
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

function detailOf(unit: string, slice: SliceDiff): readonly ReportDetail[] {
  const { table, samples, key, columns, causes } = slice;
  const left = leftOverInWords([{ unit, slices: [slice] }]).map(
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
