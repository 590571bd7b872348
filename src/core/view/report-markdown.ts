import { type ReportInput, type ReportTable, reportContent } from './report-content.ts';

/** A run or preview as Markdown to hand on: counts, then every slice that is not unchanged, with its samples. */
export function reportMarkdown(input: ReportInput): string {
  const { title, where, counts, table, details } = reportContent(input);
  const lines = [
    `# ${title}`,
    '',
    ...(where === undefined ? [] : [where, '']),
    counts,
    '',
    ...(table === undefined ? [] : tableLines(table)),
    ...details.flatMap(({ heading, why, columns, samples }) => [
      `## ${heading}`,
      '',
      ...(why === undefined ? [] : [why, '']),
      ...(columns === undefined ? [] : [columns, '']),
      ...(samples === undefined ? [] : tableLines(samples)),
    ]),
  ];
  return lines.join('\n');
}

const tableLines = ({ titles, rows }: ReportTable): readonly string[] => [
  row(titles.map(({ title }) => title)),
  `|${titles.map(({ number }) => (number ? '--:' : '---')).join('|')}|`,
  ...rows.map(row),
  '',
];

/** A table row; bars and line ends inside values would break it. */
const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replace(/\r?\n/g, ' ')).join(' | ')} |`;
