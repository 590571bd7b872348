import { displayWidth } from './display-width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

export interface TableStyle {
  /** Columns of the terminal; where a row would not fit, its last cell goes to a line of its own. */
  readonly width: number;
  readonly paintTitle: (text: string) => string;
}

/**
 * Rows under their titles, columns two spaces apart. A column without any text is left out; the last column is never
 * padded, so that lines do not wrap for nothing. Cells may hold colours.
 */
export function textTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { width, paintTitle }: TableStyle,
): readonly string[] {
  const wide = tableLines(columns, rows, paintTitle);
  if (columns.length < 2 || wide.every((line) => displayWidth(line) <= width)) return wide;
  const last = columns.length - 1;
  const [title = '', ...lines] = tableLines(
    columns.slice(0, last),
    rows.map((row) => row.slice(0, last)),
    paintTitle,
  );
  return [
    title,
    ...lines.flatMap((line, index) => [
      line,
      ...(displayWidth(rows[index]?.[last] ?? '') > 0 ? [`    ${rows[index]?.[last]}`] : []),
    ]),
  ];
}

function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paintTitle: (text: string) => string,
): readonly string[] {
  const shown = columns
    .map((_, index) => index)
    .filter((index) => rows.some((row) => displayWidth(row[index] ?? '') > 0));
  const widths = shown.map((index) =>
    Math.max(displayWidth(columns[index]?.title ?? ''), ...rows.map((row) => displayWidth(row[index] ?? ''))),
  );
  const line = (cells: readonly string[], paint: (text: string) => string): string =>
    shown
      .map((index, place) => {
        const cell = cells[index] ?? '';
        const room = ' '.repeat(Math.max(0, (widths[place] ?? 0) - displayWidth(cell)));
        if (columns[index]?.align === 'right') return room + paint(cell);
        return place === shown.length - 1 ? paint(cell) : paint(cell) + room;
      })
      .join('  ')
      .trimEnd();
  return [
    line(
      columns.map(({ title }) => title),
      paintTitle,
    ),
    ...rows.map((row) => line(row, (text) => text)),
  ];
}
