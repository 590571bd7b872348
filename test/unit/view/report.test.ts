import { expect, test } from 'vitest';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import { reportHtml } from '../../../src/core/view/report/report-html.ts';
import { reportMarkdown } from '../../../src/core/view/report/report-markdown.ts';

const slice: SliceDiff = {
  table: 'mart.sums',
  column: 'day',
  from: undefined,
  to: undefined,
  before: { rows: 2, keyChecksum: 'aa', rowChecksum: 'bb', algorithm: 'x', duplicateKeys: 0 },
  after: { rows: 3, keyChecksum: 'cc', rowChecksum: 'dd', algorithm: 'x', duplicateKeys: 0 },
  added: 1,
  removed: 0,
  changed: 1,
  columns: [{ column: 'n', rows: 1 }],
  samples: [
    { kind: 'changed', key: { id: '1' }, before: { id: '1', n: 'a|b' }, after: { id: '1', n: null } },
    { kind: 'added', key: { id: '9' }, before: undefined, after: { id: '9', n: 'x\ny' } },
  ],
  method: 'key',
  key: ['id'],
  leftOut: [],
  causes: [],
};

test('tells what changed, with samples, and leaves out what did not', () => {
  const record = { attempts: 1, message: undefined, durationMs: 5 };
  const text = reportMarkdown({
    title: 'shop.sums',
    target: 'shop@db',
    run: 'r1',
    results: [
      { ...record, unit: 'a@1', state: 'changed', slices: [slice] },
      { ...record, unit: 'a@2', state: 'unchanged', slices: [{ ...slice, samples: [] }] },
      { ...record, unit: 'a@3', state: 'failed', message: 'no table', slices: [] },
    ],
  });
  expect(text).toContain('1 changed, 1 unchanged, 1 failed.');
  expect(text).toContain('| a@1 | changed | mart.sums | 2 | 3 | 1 | 0 | 1 | bb | dd |');
  expect(text).toContain('| a@3 | failed | no table |');
  expect(text).not.toContain('a@2');
  // Bars and line ends of values do not break the table.
  expect(text).toContain('| changed | id=1 | n=a\\|b | n=NULL |');
  expect(text).toContain('| added | id=9 |  | n=x y |');
});

test('a report of many units begins with totals that fit on a screen, and folds the rest away', () => {
  const sums = [{ column: 'n', before: '1.5', after: '4' }];
  const record = { attempts: 1, message: undefined, durationMs: 5 } as const;
  const results = Array.from({ length: 120 }, (_, index) => ({
    ...record,
    unit: `${index % 3 === 0 ? 'a' : 'b'}@${index}`,
    state: 'changed' as const,
    slices: [{ ...slice, sums, from: `2026-01-01T00:00:${index % 60}Z`, to: undefined, table: `mart.${index}` }].map(
      (one) => ({
        ...one,
        table: index % 3 === 0 ? 'mart.a' : 'mart.b',
        from: new Date(index * 1000).toISOString(),
        to: new Date(index * 1000 + 1000).toISOString(),
      }),
    ),
  }));
  const bad = Array.from({ length: 15 }, (_, index) => ({
    ...record,
    unit: `c@${index}`,
    state: 'failed' as const,
    message: 'no table',
    slices: [],
  }));
  const text = reportMarkdown({ title: 't', target: 'shop@db', run: 'r1', results: [...results, ...bad] });
  const [top = '', ...folded] = text.split('<details>');
  expect(top.split('\n').length).toBeLessThan(40);
  expect(top).toContain('| a | 40 | 40 changed |');
  expect(top).toContain('| mart.b | 80 | 160 | 240 | 80 | 0 | 80 | n 120 → 320 (200) |');
  expect(top).toContain('| and 5 more units |');
  expect(folded).toHaveLength(3);
  expect(folded[1]).toContain('<summary>b: 80 changed</summary>');
  for (const { unit } of [...results, ...bad]) expect(text).toContain(`| ${unit} |`);
});

test('a preview is not told as a run', () => {
  const results = [
    { attempts: 1, message: undefined, durationMs: 5, unit: 'a@1', state: 'changed', slices: [slice] } as const,
  ];
  const input = { title: 't', target: 'shop@db', run: 'r1', results };
  for (const write of [reportMarkdown, reportHtml]) {
    expect(write(input)).toContain('Run r1 on shop@db');
    const previewed = write({ ...input, preview: true });
    expect(previewed).toContain('Preview for shop@db: nothing was written.');
    expect(previewed).not.toContain('r1');
  }
});

test('says which changed rows are equal within tolerance, in all and by column', () => {
  const near: SliceDiff = {
    ...slice,
    changed: 4,
    withinTolerance: 3,
    columns: [{ column: 'n', rows: 4, withinTolerance: 3 }],
  };
  const results = [
    { attempts: 1, message: undefined, durationMs: 5, unit: 'a@1', state: 'changed', slices: [near] } as const,
  ];
  const text = reportMarkdown({ title: 't', target: 'x', run: 'r', results });
  expect(text).toContain('| 2 | 3 | 1 | 0 | 4 (3 equal within tolerance) | bb | dd |');
  expect(text).toContain('n: 4 (3 equal within tolerance)');
});

test('Markdown takes values for text: no table breaks, nothing is loaded or styled', () => {
  const values = ['a\\|b', 'x\ry\r\nz', '![i](http://h/i.png)', '<b>', '__init__', 'snake_case', '*a*', '`c`', '&lt;'];
  const samples = values.map(
    (n) => ({ kind: 'added', key: { id: '9' }, before: undefined, after: { id: '9', n } }) as const,
  );
  const results = [
    {
      attempts: 1,
      message: undefined,
      durationMs: 5,
      unit: 'a@1',
      state: 'changed',
      slices: [{ ...slice, samples }],
    } as const,
  ];
  const text = reportMarkdown({ title: '<i>t', target: 'shop@db', run: 'r1', results });
  const cells = text.split('\n').flatMap((line) => /^\| added \| id=9 \| {2}\| n=(.*) \|$/.exec(line)?.[1] ?? []);
  expect(cells).toEqual([
    'a\\\\\\|b',
    'x y z',
    '!\\[i\\](http://h/i.png)',
    '\\<b\\>',
    '\\_\\_init\\_\\_',
    'snake_case',
    '\\*a\\*',
    '\\`c\\`',
    '\\&lt;',
  ]);
  expect(text.startsWith('# \\<i\\>t\n')).toBe(true);
});

test('HTML says the same, needs nothing from elsewhere, and takes values for text', () => {
  const hostile = '<script>alert(1)</script>';
  const samples = [{ kind: 'added', key: { id: '9' }, before: undefined, after: { id: '9', n: hostile } }] as const;
  const html = reportHtml({
    title: `a & b ${hostile}`,
    target: 'shop@db',
    run: 'r1',
    results: [
      {
        attempts: 1,
        message: undefined,
        durationMs: 5,
        unit: 'a@1',
        state: 'changed',
        slices: [{ ...slice, samples, causes: [{ kind: 'code' }] }],
      },
    ],
  });
  expect(html).not.toContain('<script');
  expect(html).not.toMatch(/(?:src|href)=/);
  expect(html).toContain('n=&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).toContain('<p>Why it changed: the code of the task changed.</p>');
  expect(html).toContain('<td class="number">3</td>');
});
