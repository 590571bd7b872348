import { type ReportInput, type ReportTable, reportContent } from './report-content.ts';

const style = `
:root { color-scheme: light dark; }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 90rem; padding: 0 1rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
th, td { border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); padding: 0.25rem 0.75rem; }
th { text-align: left; }
td { vertical-align: top; white-space: pre-wrap; }
td.number, th.number { font-variant-numeric: tabular-nums; text-align: right; }
`;

/** A run or preview as one HTML file that needs nothing else: no script, no picture, no font from elsewhere. */
export function reportHtml(input: ReportInput): string {
  const { title, where, counts, tasks, net, trouble, folded } = reportContent(input);
  const body = [
    `<h1>${escaped(title)}</h1>`,
    ...(where === undefined ? [] : [`<p>${escaped(where)}</p>`]),
    `<p>${escaped(counts)}</p>`,
    ...[tasks, net, trouble].flatMap((table) => (table === undefined ? [] : tableHtml(table))),
    ...folded.flatMap(({ summary, table, details }) => [
      `<details><summary>${escaped(summary)}</summary>`,
      ...tableHtml(table),
      ...details.flatMap(({ heading, why, columns, samples }) => [
        `<h2>${escaped(heading)}</h2>`,
        ...(why === undefined ? [] : [`<p>${escaped(why)}</p>`]),
        ...(columns === undefined ? [] : [`<p>${escaped(columns)}</p>`]),
        ...(samples === undefined ? [] : tableHtml(samples)),
      ]),
      '</details>',
    ]),
  ];
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<title>${escaped(title)}</title>`,
    `<style>${style}</style>`,
    '</head>',
    '<body>',
    ...body,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function tableHtml({ titles, rows }: ReportTable): readonly string[] {
  const cell = (tag: 'th' | 'td', text: string, column: number): string =>
    `<${tag}${titles[column]?.number ? ' class="number"' : ''}>${escaped(text)}</${tag}>`;
  return [
    '<div class="table"><table>',
    `<thead><tr>${titles.map(({ title }, column) => cell('th', title, column)).join('')}</tr></thead>`,
    '<tbody>',
    ...rows.map((row) => `<tr>${row.map((text, column) => cell('td', text, column)).join('')}</tr>`),
    '</tbody>',
    '</table></div>',
  ];
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Values come from tables: they are text, whatever they look like. */
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
