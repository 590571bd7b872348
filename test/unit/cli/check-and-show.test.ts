import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkGithub } from '../../../src/cli/reporters/check/check-github.ts';
import { allRules } from '../../../src/core/lint/all-rules.ts';
import type { Finding } from '../../../src/core/lint/model/finding.ts';
import { runCli } from '../../support/run-cli.ts';

const files = {
  'dags/a.py': `# tabs,\temoji 😀
from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("a", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False, template_searchpath="sql"):
\tSQLExecuteQueryOperator(task_id="x", conn_id="dw", sql="/* 😀漢 */ INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}'")
\tSQLExecuteQueryOperator(task_id="y", conn_id="dw", sql="b.sql")
`,
  'sql/b.sql': "INSERT INTO mart.b SELECT * FROM mart.a WHERE day = '{{ ds }}'\n",
  'sql/c d.sql': 'INSERT INTO mart.c SELECT * FROM raw.c\n',
  'sql/broken.sql': "SELECT 'open\n",
};

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'check-'));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
});
afterAll(() => rmSync(root, { recursive: true }));

describe('check', () => {
  test('JSON has 1-based UTF-16 positions and files relative to the folder', async () => {
    const { code, out } = await runCli(['check', '.', '--format', 'json'], root);
    const { version, findings, problems } = JSON.parse(out);
    expect(code).toBe(1);
    expect(version).toBe(1);
    expect(Array.isArray(problems)).toBe(true);
    expect(findings.map((one: { file: string; rule: string }) => `${one.file} ${one.rule}`)).toEqual([
      'dags/a.py plain-insert',
      'sql/b.sql plain-insert',
      'sql/c d.sql plain-insert',
    ]);
    const [first] = findings;
    const line = files['dags/a.py'].split('\n')[first.range.start.line - 1] ?? '';
    expect(line.slice(first.range.start.column - 1, first.range.end.column - 1)).toBe('INSERT INTO mart.a');
    expect(first.fixes[0].edits[0].newText).toContain('DELETE FROM mart.a');
    expect(first.help).not.toBe('');
  });

  test.each([
    ['version: 99', 1],
    ['version: 1', 0],
  ])('a workspace without findings, with %s in its settings, exits with %i', async (settings, expected) => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    writeFileSync(join(folder, 'backfill.yaml'), settings);
    writeFileSync(join(folder, 'a.sql'), 'SELECT 1;');
    const { code, out } = await runCli(['check', '.'], folder);
    rmSync(folder, { recursive: true });
    expect([code, out.includes('no findings')]).toEqual([expected, true]);
  });

  test('a slip in the settings is said, and fails, whichever part of the workspace is looked at', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    mkdirSync(join(folder, 'sql'));
    writeFileSync(join(folder, 'backfill.yaml'), 'version: 1\nconections: {}\n');
    writeFileSync(join(folder, 'sql/a.sql'), 'SELECT 1;');
    const whole = 'backfill.yaml:2:1 error unknown key conections';
    const part = await runCli(['check', 'sql'], folder);
    const file = await runCli(['check', 'sql/a.sql'], folder);
    const inside = await runCli(['check'], join(folder, 'sql'));
    const shown = await runCli(['show', 'sql'], folder);
    rmSync(folder, { recursive: true });
    expect([part.code, file.code, inside.code]).toEqual([1, 1, 1]);
    for (const out of [part.out, file.out, shown.err]) expect(out).toContain(whole);
    expect(inside.out).toContain(`../${whole}`);
  });

  test('files are named from where the command is called, so that a terminal and CI find them', async () => {
    const names = async (path: string, cwd: string): Promise<readonly string[]> => {
      const { findings } = JSON.parse((await runCli(['check', path, '--format', 'json'], cwd)).out);
      return findings.map((one: { file: string }) => one.file);
    };
    expect(await names('sql', root)).toEqual(['sql/b.sql', 'sql/c d.sql']);
    expect(await names('../sql', join(root, 'dags'))).toEqual(['../sql/b.sql', '../sql/c d.sql']);
    const shown = await runCli(['show', 'dags'], root);
    expect(shown.out).toContain('dags/a.py');
    expect(shown.err).toContain('dags/a.py:');
    const { out } = await runCli(['check', 'sql', '--format', 'github'], root);
    expect(out).toContain('file=sql/b.sql,');
  });

  test('one file is checked with the SQL that it runs, resolved across its folder', async () => {
    const { out } = await runCli(['check', 'dags/a.py', '--format', 'json'], root);
    const found = JSON.parse(out).findings.map((one: { file: string }) => one.file);
    expect(found).toEqual(['dags/a.py', 'sql/b.sql']);
    const inFolder = await runCli(['check', 'a.py', '--format', 'json'], join(root, 'dags'));
    expect(JSON.parse(inFolder.out).findings.map((one: { file: string }) => one.file)).toContain('a.py');
  });

  test('a folder is checked with what stands beside it, and the files in it that tasks of others run', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'jobs-'));
    const job = `import sys
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
spark.table("raw.ev").where(f"day = '{sys.argv[1]}'").write.mode("append").saveAsTable("mart.x")
`;
    const dag = `from datetime import datetime
from airflow import DAG
from airflow.providers.apache.spark.operators.spark_submit import SparkSubmitOperator
with DAG("s", schedule="@daily", start_date=datetime(2024, 1, 1)):
    SparkSubmitOperator(task_id="x", application="/opt/jobs/x.py", application_args=["{{ ds }}"])
`;
    for (const [path, text] of [
      ['dags/s.py', dag],
      ['jobs/x.py', job],
    ] as const) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const said = async (words: readonly string[], cwd = folder) => (await runCli(['check', ...words], cwd)).out;
    const [part, file, named, elsewhere] = [
      await said(['jobs']),
      await said(['jobs/x.py']),
      await said(['--workspace', folder, 'jobs']),
      await said(['--workspace', folder], root),
    ];
    const shown = await runCli(['show', '--workspace', folder], root);
    const apart = await runCli(['check', '--workspace', folder, 'dags'], root);
    rmSync(folder, { recursive: true });
    expect(part).toMatch(/^jobs\/x\.py:4:\d+ error append-write[\s\S]*1 error, 1 file read\n$/);
    expect([file, named]).toEqual([part, part]);
    expect(elsewhere).toContain('jobs/x.py:4:');
    expect(shown.out).toContain('writes mart.x');
    expect(apart).toMatchObject({ code: 2, err: expect.stringContaining('dags is not in the workspace') });
  });

  test('a rule can be picked; a wrong one is named with the nearest', async () => {
    expect((await runCli(['check', '--rule', 'wall-clock'], root)).code).toBe(0);
    const wrong = await runCli(['check', '--rule', 'plain-inserts'], root);
    expect(wrong.code).toBe(2);
    expect(wrong.err).toContain('plain-insert');
  });

  test('what is not there, and a wrong time, are usage errors', async () => {
    expect(await runCli(['check', 'nowhere'], root)).toMatchObject({ code: 2, out: '' });
    expect(await runCli(['check', '--now', 'soon'], root)).toMatchObject({ code: 2, out: '' });
    expect((await runCli(['check', '--now', '2026-11-01'], root)).code).toBe(1);
  });

  test('text shows the line with the mark under it', async () => {
    const { out } = await runCli(['check', 'sql/c d.sql'], root);
    expect(out).toBe(`sql/c d.sql:1:1 warning plain-insert
  A second run of the same interval adds the same rows to mart.c again, unless what runs this file deletes them before: nothing else in the file deletes them, and no key or anti-join keeps them out.
     1 | INSERT INTO mart.c SELECT * FROM raw.c
       | ^^^^^^^^^^^^^^^^^^
  help Delete the slice of the interval before the INSERT, in one transaction, or make it an upsert on a key of the data; where the tables are files, overwrite the partition of the interval (INSERT OVERWRITE … PARTITION (…)).

1 warning, 1 file read
`);
  });

  test('the mark stands under its text behind tabs, emoji and wide characters', async () => {
    const { out } = await runCli(['check', 'dags/a.py'], root);
    const lines = out.split('\n');
    const at = lines.findIndex((line) => line.includes('INSERT INTO mart.a'));
    const marks = lines[at + 1] ?? '';
    // Two columns for the emoji and the ideogram: one more than code points each, and tabs stay tabs.
    const before = (lines[at] ?? '').slice(0, (lines[at] ?? '').indexOf('INSERT'));
    expect(marks.indexOf('^')).toBe([...before].length + 2);
    expect(marks.split('\t').length).toBe(before.split('\t').length);
  });

  test('SARIF names every rule and points into it', async () => {
    const { out } = await runCli(['check', '.', '--format', 'sarif'], root);
    const { version, runs } = JSON.parse(out);
    const [{ tool, results, columnKind }] = runs;
    expect(version).toBe('2.1.0');
    expect(columnKind).toBe('utf16CodeUnits');
    expect(tool.driver.rules.map((rule: { id: string }) => rule.id)).toEqual(allRules.map(({ id }) => id));
    for (const result of results) {
      expect(tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId);
      expect(['error', 'warning', 'note']).toContain(result.level);
      const { artifactLocation, region } = result.locations[0].physicalLocation;
      expect(Object.keys(files)).toContain(decodeURIComponent(artifactLocation.uri));
      expect(artifactLocation.uri).not.toContain(' ');
      expect(region.startLine).toBeGreaterThan(0);
      expect(region.startColumn).toBeGreaterThan(0);
    }
  });

  test('workflow commands escape what would end them', () => {
    const finding: Finding = {
      rule: 'plain-insert',
      severity: 'info',
      message: '100 % of\nrows: a, b::c\r',
      at: { file: 'a,b:c%.sql', start: 0, end: 3 },
      related: [],
      fixes: [],
    };
    const out = checkGithub({
      findings: [finding],
      problems: [],
      filesRead: 1,
      help: () => 'Help.',
      text: () => 'abc',
    });
    expect(out).toBe(
      '::notice file=a%2Cb%3Ac%25.sql,line=1,endLine=1,col=1,endColumn=4,title=plain-insert::100 %25 of%0Arows: a, b::c%0D Help.\n',
    );
  });
});

describe('show', () => {
  test('JSON has pipelines, tasks, reads and writes', async () => {
    const { code, out } = await runCli(['show', '.', '--format', 'json'], root);
    const { pipelines } = JSON.parse(out);
    expect(code).toBe(0);
    const [a] = pipelines;
    expect(a).toMatchObject({ id: 'a', file: 'dags/a.py', schedule: '@daily', timeZone: 'UTC' });
    expect(a.tasks.map((task: { id: string; executor: string }) => `${task.id} ${task.executor}`)).toEqual([
      'a.x warehouse',
      'a.y warehouse',
    ]);
    expect(a.tasks[1]).toMatchObject({
      writeMode: 'append',
      reads: [{ table: 'mart.a', column: 'day' }],
      writes: [{ table: 'mart.b' }],
      parents: ['a.x'],
    });
  });

  test('text tells each task in words', async () => {
    const { out } = await runCli(['show', 'dags/a.py'], root);
    expect(out).toContain('a  @daily · UTC · no catchup');
    expect(out).toMatch(/writes mart\.b +append/);
    expect(out).toContain('after  a.x');
  });

  test('statements of one file, and what could not be read', async () => {
    const { out } = await runCli(['show', 'sql/b.sql', '--statements', '--format', 'json'], root);
    expect(JSON.parse(out)).toMatchObject({
      version: 1,
      statements: [{ kind: 'insert', target: 'mart.b', reads: ['mart.a'], predicates: ['day ='] }],
    });
    const broken = await runCli(['show', 'sql/broken.sql', '--statements'], root);
    expect(broken.err).toContain('sql/broken.sql:1:');
    writeFileSync(join(root, 'sql/wide.sql'), Buffer.from('SELECT 1 FROM mart.a;', 'utf16le'));
    const wide = await runCli(['show', 'sql/wide.sql', '--statements'], root);
    rmSync(join(root, 'sql/wide.sql'));
    expect([wide.code, wide.err]).toEqual([2, expect.stringContaining('save it as UTF-8')]);
    expect((await runCli(['show', '.', '--statements'], root)).code).toBe(2);
    const both = await runCli(['show', '--declare', 'a.x', '--format', 'json'], root);
    expect(both.code).toBe(2);
    expect(JSON.parse(both.out).error.exitCode).toBe(2);
  });
});
