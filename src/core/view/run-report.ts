import { causesInWords } from '../diff/change-cause.ts';
import type { SliceDiff } from '../diff/slice-diff.ts';
import type { UnitRecord } from '../ledger/ledger-store.ts';
import { countStates } from '../run/run-result.ts';

export interface ReportInput {
  readonly title: string;
  /** The database as it is shown everywhere; never a secret. */
  readonly target: string;
  readonly run: string | undefined;
  readonly results: readonly UnitRecord[];
}

/** A run or preview as Markdown to hand on: counts, then every slice that is not unchanged, with its samples. */
export function runReport({ title, target, run, results }: ReportInput): string {
  const counts = Object.entries(countStates(results)).map(([state, count]) => `${count} ${state}`);
  const lines = [
    `# ${title}`,
    '',
    ...(run === undefined ? [] : [`Run \`${run}\` on ${target}`, '']),
    counts.length === 0 ? 'Nothing has run yet.' : `${counts.join(', ')}.`,
    '',
  ];
  const told = results.filter(({ state }) => state !== 'unchanged' && state !== 'skipped' && state !== 'waiting');
  if (told.length > 0) {
    lines.push(
      '| unit | state | table | rows before | rows after | added | removed | changed | row checksum before | after |',
      '|---|---|---|--:|--:|--:|--:|--:|---|---|',
      ...told.flatMap((record) => rowsOf(record)),
      '',
    );
  }
  for (const { unit, slices } of told) for (const slice of slices) lines.push(...detailsOf(unit, slice));
  return lines.join('\n');
}

function rowsOf({ unit, state, message, slices }: UnitRecord): readonly string[] {
  if (slices.length === 0) return [row([unit, state, message ?? '', '', '', '', '', '', '', ''])];
  return slices.map(({ table, before, after, added, removed, changed }) =>
    row([
      unit,
      state,
      table,
      ...[before?.rows, after?.rows, added, removed, changed].map((count) => count?.toString() ?? ''),
      before?.rowChecksum ?? '',
      after?.rowChecksum ?? '',
    ]),
  );
}

function detailsOf(unit: string, slice: SliceDiff): readonly string[] {
  const { table, samples, causes } = slice;
  if (samples.length === 0 && causes.length === 0) return [];
  return [
    `## ${unit} — ${table}`,
    '',
    ...(causes.length === 0 ? [] : [`Why: ${causesInWords(causes)}.`, '']),
    ...(samples.length === 0 ? [] : sampleTable(slice)),
  ];
}

function sampleTable({ samples, key, columns }: SliceDiff): readonly string[] {
  const value = (text: string | null | undefined): string => (text === null ? 'NULL' : (text ?? ''));
  return [
    ...(columns.length === 0 ? [] : [columns.map(({ column, rows }) => `${column}: ${rows}`).join(', '), '']),
    row(['', 'key', 'before', 'after']),
    '|---|---|---|---|',
    ...samples.map((sample) => {
      const differs = (column: string): boolean =>
        sample.kind !== 'changed' || sample.before?.[column] !== sample.after?.[column];
      const side = (values: Readonly<Record<string, string | null>> | undefined): string =>
        Object.entries(values ?? {})
          .filter(([column]) => !key.includes(column) && differs(column))
          .map(([column, text]) => `${column}=${value(text)}`)
          .join(', ');
      const name = key.map((column) => `${column}=${value(sample.key?.[column])}`).join(', ');
      return row([sample.kind, name, side(sample.before), side(sample.after)]);
    }),
    '',
  ];
}

/** A table row; bars and line ends inside values would break it. */
const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\r?\n/g, ' ')).join(' | ')} |`;
