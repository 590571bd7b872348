import { type ReportInput, type ReportTable, reportContent } from './report-content.ts';

/** A run or preview as Markdown to hand on: totals of tasks and tables first, each slice with its samples folded away. */
export function reportMarkdown(input: ReportInput): string {
  const { title, where, counts, tasks, net, trouble, folded } = reportContent(input);
  const lines = [
    `# ${plain(title)}`,
    '',
    ...(where === undefined ? [] : [plain(where), '']),
    plain(counts),
    '',
    ...[tasks, net, trouble].flatMap((table) => (table === undefined ? [] : tableLines(table))),
    ...folded.flatMap(({ summary, table, details }) => [
      `<details><summary>${markup(summary)}</summary>`,
      '',
      ...tableLines(table),
      ...details.flatMap(({ heading, why, columns, samples }) => [
        `**${plain(heading)}**`,
        '',
        ...(why === undefined ? [] : [plain(why), '']),
        ...(columns === undefined ? [] : [plain(columns), '']),
        ...(samples === undefined ? [] : tableLines(samples)),
      ]),
      '</details>',
      '',
    ]),
  ];
  return lines.join('\n');
}

/** Text inside of a tag. */
const markup = (text: string): string =>
  text.replace(/[&<>]/g, (character) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[character] ?? character);

const tableLines = ({ titles, rows }: ReportTable): readonly string[] => [
  row(titles.map(({ title }) => title)),
  `|${titles.map(({ number }) => (number ? '--:' : '---')).join('|')}|`,
  ...rows.map(row),
  '',
];

const row = (cells: readonly string[]): string => `| ${cells.map(plain).join(' | ')} |`;

/**
 * Values come from tables: they are text, whatever they look like, and one line. An underscore inside a word is no
 * emphasis and stays readable.
 */
const plain = (text: string): string =>
  text.replace(/\r\n?|\n/g, ' ').replace(/[\\`*[\]<>|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&');
