import type { Colors } from 'picocolors/types';
import { type NetChange, type NetColumn, netChanges } from '../../../core/diff/net-change.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
import { plural } from '../../../core/text/plural.ts';
import { textTable } from '../text/text-table.ts';

/** Columns whose sum moved that are named of one table; JSON and reports have all. */
const mostColumns = 4;

/** What a run did to each table: rows and sums of the slices that it changed, before and after. */
export function netChangeTable(units: readonly RunUnit[], width: number, colors: Colors): readonly string[] {
  const changes = netChanges(units);
  if (changes.every(({ changedSlices }) => changedSlices === 0)) {
    return changes.map(({ table, unchangedSlices }) =>
      colors.dim(`${plural(unchangedSlices, 'slice')} of ${table} unchanged`),
    );
  }
  const rows = changes.map((change) => [
    change.table,
    slicesText(change),
    change.changedSlices === 0 ? '' : rowsText(change),
    ...(change.changedSlices === 0 ? ['', '', ''] : countsOf(change, colors)),
    sumsText(change.columns, colors),
  ]);
  return textTable(
    [
      { title: 'net change' },
      { title: 'slices' },
      { title: 'rows in changed ones' },
      { title: 'added', align: 'right' },
      { title: 'removed', align: 'right' },
      { title: 'changed', align: 'right' },
      { title: 'sums that moved in them' },
    ],
    rows,
    { width, paintTitle: colors.bold },
  );
}

function slicesText({ changedSlices, unchangedSlices }: NetChange): string {
  const parts = [
    ...(changedSlices > 0 ? [`${changedSlices} changed`] : []),
    ...(unchangedSlices > 0 ? [`${unchangedSlices} unchanged`] : []),
  ];
  return parts.join(', ');
}

const signed = (net: number): string => (net > 0 ? `+${net}` : net < 0 ? `−${-net}` : '±0');

/** `1111 → 1120 (+9)`; where overlapping slices do not tell, the difference alone. */
function rowsText({ rowsBefore, rowsAfter, netRows }: NetChange): string {
  const known = rowsBefore !== undefined && rowsAfter !== undefined;
  return known ? `${rowsBefore} → ${rowsAfter} (${signed(netRows)})` : signed(netRows);
}

function countsOf({ added, removed, changed }: NetChange, colors: Colors): readonly string[] {
  const count = (mark: string, number: number | undefined, paint: (text: string) => string): string =>
    number === undefined ? '?' : number === 0 ? `${mark}0` : paint(`${mark}${number}`);
  return [count('+', added, colors.green), count('−', removed, colors.red), count('~', changed, colors.yellow)];
}

function sumsText(columns: readonly NetColumn[], colors: Colors): string {
  const moved = columns.filter(({ net, before, after }) => (net === undefined ? before !== after : net !== '0'));
  const more = moved.length - mostColumns;
  const named = moved.slice(0, mostColumns).map(sumText);
  return [...named, ...(more > 0 ? [colors.dim(`and ${plural(more, 'more column')}`)] : [])].join(', ');
}

/** `amount 1200.50 → 1180 (−20.50)`. */
export function sumText({ column, before, after, net }: NetColumn): string {
  const moved = net === undefined ? '' : net.startsWith('-') ? `−${net.slice(1)}` : `+${net}`;
  if (before === undefined || after === undefined) return `${column} ${moved}`.trimEnd();
  return `${column} ${before} → ${after}${moved === '' ? '' : ` (${moved})`}`;
}
