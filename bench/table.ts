import { type Figure, isMet } from './figure.ts';

const heading = ['part', 'figure', 'measured', 'target', '', 'from'];

/** The figures as an aligned table; numbers stand under each other. */
export function figureTable(figures: readonly Figure[]): string {
  const rows = [heading, ...figures.map(row)];
  const widths = heading.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const right = new Set([2, 3]);
  return rows
    .map((cells) =>
      cells
        .map((cell, column) =>
          right.has(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function row(figure: Figure): readonly string[] {
  const met = isMet(figure);
  return [
    figure.part,
    figure.what,
    amount(figure.value, figure.unit),
    figure.atMost === undefined ? '' : `≤ ${amount(figure.atMost, figure.unit)}`,
    met === undefined ? '' : met ? 'met' : 'MISSED',
    figure.detail,
  ];
}

/** Three digits are as much as a busy machine gives. */
export function amount(value: number, unit: Figure['unit']): string {
  const digits = unit === 'statements' || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}
