import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../../support/run-cli.ts';

const insert = (table: string): string => `INSERT INTO ${table} SELECT * FROM raw.t WHERE day = '{{ ds }}';\n`;

let root = '';
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const rules = async (...args: readonly string[]): Promise<readonly string[]> => {
  const { out } = await runCli(['check', '--format', 'json', ...args], root);
  return JSON.parse(out).findings.map((one: { rule: string; severity: string; file: string }) =>
    [one.file, one.rule, one.severity].join(' '),
  );
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'check-options-'));
  write('sql/a.sql', insert('m.a'));
  write('sql/old/b.sql', `${insert('m.b')}DELETE FROM m.c WHERE day = current_date;\n`);
});
afterEach(() => rmSync(root, { recursive: true }));

describe('check', () => {
  test('several rules with commas between them', async () => {
    expect(await rules('--rule', 'wall-clock,plain-insert')).toHaveLength(3);
    expect(await rules('--rule', 'wall-clock')).toEqual(['sql/old/b.sql wall-clock error']);
    expect((await runCli(['check', '--rule', 'wall-clock,nope'], root)).code).toBe(2);
  });

  test('the dags of a project are read with what stands beside them', async () => {
    write('include/__init__.py', '');
    write('include/queries.py', `ADD = """${insert('m.d')}"""\n`);
    write(
      'dags/d.py',
      `from datetime import datetime
from airflow import DAG
from airflow.providers.postgres.operators.postgres import PostgresOperator
from include.queries import ADD

with DAG("d", schedule="@daily", start_date=datetime(2026, 1, 1), catchup=True):
    PostgresOperator(task_id="add", sql=ADD)
`,
    );
    const found = ['include/queries.py plain-insert error'];
    expect(await rules('--rule', 'plain-insert', 'dags')).toEqual(found);
    expect(await rules('--rule', 'plain-insert', join(root, 'dags/'))).toEqual(found);
  });

  test('warnings up to a number are no failure, errors always are', async () => {
    const code = async (...args: readonly string[]) => (await runCli(['check', ...args], root)).code;
    expect(await code('--rule', 'plain-insert')).toBe(1);
    expect(await code('--rule', 'plain-insert', '--max-warnings', '1')).toBe(1);
    expect(await code('--rule', 'plain-insert', '--max-warnings', '2')).toBe(0);
    expect(await code('--max-warnings', '2')).toBe(1);
    expect(await code('--max-warnings', 'many')).toBe(2);
  });

  test('a severity of a folder counts for what lies below it, the deepest first', async () => {
    write(
      'backfill.yaml',
      'version: 1\nrules: { plain-insert: error }\nfolders:\n  sql/old/: { rules: { plain-insert: hint, wall-clock: off } }\n  sql: { rules: { plain-insert: info } }\n',
    );
    expect(await rules()).toEqual(['sql/a.sql plain-insert info', 'sql/old/b.sql plain-insert hint']);
  });

  test('a rule of a folder that is none is said with its place', async () => {
    write('backfill.yaml', 'version: 1\nfolders:\n  sql: { rules: { plain-inserts: off } }\n');
    const { out } = await runCli(['check', '--format', 'json'], root);
    const [problem] = JSON.parse(out).problems;
    expect(problem.message).toContain('there is no rule plain-inserts');
    expect(problem.range.start).toEqual({ line: 3, column: 19 });
  });
});

describe('a baseline', () => {
  const accepted = ['--baseline', 'known.json'];
  test('accepts what is there, wherever edits move it to', async () => {
    const written = await runCli(['check', ...accepted, '--write-baseline'], root);
    expect(written).toMatchObject({ code: 0, err: 'known.json accepts 3 findings.\n' });
    expect(await runCli(['check', ...accepted], root)).toMatchObject({ code: 0 });
    write('sql/a.sql', `-- moved down\n\n${insert('m.a')}`);
    expect(await rules(...accepted)).toEqual([]);
  });

  test('reports what is new, equal findings by their number, and what is changed', async () => {
    await runCli(['check', ...accepted, '--write-baseline'], root);
    write('sql/a.sql', insert('m.a') + insert('m.a'));
    write('sql/new.sql', insert('m.n'));
    write('sql/old/b.sql', insert('m.changed'));
    expect(await rules(...accepted, '--rule', 'plain-insert')).toEqual([
      'sql/a.sql plain-insert warning',
      'sql/new.sql plain-insert warning',
      'sql/old/b.sql plain-insert warning',
    ]);
  });

  test('says what is gone, and only of what was checked', async () => {
    await runCli(['check', ...accepted, '--write-baseline'], root);
    write('sql/old/b.sql', insert('m.b'));
    expect((await runCli(['check', ...accepted], root)).err).toBe(
      '1 finding of known.json is gone; write it anew with --write-baseline.\n',
    );
    expect((await runCli(['check', ...accepted, '--rule', 'plain-insert'], root)).err).toBe('');
    expect((await runCli(['check', ...accepted, 'sql/a.sql'], root)).err).toBe('');
  });

  test('is written in an order of its own, without lines', async () => {
    await runCli(['check', ...accepted, '--write-baseline'], root);
    const { version, findings } = JSON.parse(readFileSync(join(root, 'known.json'), 'utf8'));
    expect(version).toBe(1);
    expect(findings[0]).toEqual({ rule: 'plain-insert', file: 'sql/a.sql', text: 'INSERT INTO m.a', count: 1 });
  });

  test.each([
    ['is not there', undefined],
    ['is no JSON', 'x'],
    ['is of another version', '{"version": 2, "findings": []}'],
    ['is not what it should be', '{"version": 1, "findings": [{"rule": 1}]}'],
  ])('a file that %s is a wrong call', async (_, text) => {
    if (text !== undefined) write('known.json', text);
    const { code, err } = await runCli(['check', ...accepted], root);
    expect(code).toBe(2);
    expect(err).toContain('--write-baseline');
  });

  test('has to be named to be written', async () => {
    expect((await runCli(['check', '--write-baseline'], root)).code).toBe(2);
  });
});
