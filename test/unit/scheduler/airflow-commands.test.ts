import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shellWord } from '../../../src/core/text/shell-word.ts';
import { runCli } from '../../support/run-cli.ts';

const shop = (imports: string, clean: string) => `
from datetime import datetime
from airflow import DAG
${imports}
with DAG("shop.in", schedule="30 5 * * *", start_date=datetime(2026, 1, 1)):
    BashOperator(task_id="pull", bash_command="pull '{{ ds }}'")
with DAG("shop", schedule="@daily", start_date=datetime(2026, 1, 1)):
    clean = BashOperator(task_id="${clean}", bash_command="clean '{{ ds }}'")
    total = BashOperator(task_id="total", bash_command="total '{{ ds }}'")
    clean >> total
`;
const config = `version: 1
airflow: { version: VERSION, create_cron_data_intervals: true }
tasks:
  shop.in.pull: { reads: [], writes: [{ table: raw, column: day, slice: day of start }] }
  shop.clean.v1: &clean
    reads: [{ table: raw, column: day, from: start - 1 day, to: end }]
    writes: [{ table: clean, column: day, slice: day of start }]
  shop.total:
    reads: [{ table: clean, column: day, from: start, to: end }]
    writes: [{ table: total, column: day, slice: day of start }]
`;

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'backfill-commands-'));
  for (const [version, imports] of [
    ['2', 'from airflow.operators.bash import BashOperator'],
    ['3', 'from airflow.providers.standard.operators.bash import BashOperator'],
  ] as const) {
    mkdirSync(join(root, version, 'dags'), { recursive: true });
    writeFileSync(join(root, version, 'dags/shop.py'), shop(imports, 'clean.v1'));
    writeFileSync(join(root, version, 'backfill.yaml'), config.replace('VERSION', version));
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const plan = (version: string, ...more: readonly string[]) =>
  runCli(
    [
      'plan',
      'shop.in.pull',
      '--from',
      '2026-11-01',
      '--to',
      '2026-11-02',
      '--downstream',
      '--commands',
      '--now',
      '2026-11-09',
      ...more,
    ],
    join(root, version),
  );

test.each(['2', '3'])(
  'a plan as commands of Airflow %s: exactly its tasks in exactly its runs, waits in between',
  async (version) => {
    const { out, code } = await plan(version);
    expect(code).toBe(0);
    const day = (n: number) => `2026-11-0${n}T00:00:00+00:00`;
    const clear = (n: number, tasks: string) => `airflow tasks clear shop -s ${day(n)} -e ${day(n)} -t ${tasks} -y`;
    // Airflow 3 takes what it calls a regex for a part of a name.
    const both = (n: number) =>
      version === '2' ? [clear(n, "'^(clean\\.v1|total)$'")] : [clear(n, 'clean.v1'), clear(n, 'total')];
    const pull = version === '2' ? "'^pull$'" : 'pull';
    const commands = out.split('\n').filter((line) => !line.startsWith('#') && line !== '');
    expect(commands).toEqual([
      `airflow tasks clear shop.in -s 2026-11-01T05:30:00+00:00 -e 2026-11-01T05:30:00+00:00 -t ${pull} -y`,
      ...both(1),
      ...both(2),
    ]);
    expect(out).toContain('# step 2 of 2: 4 units, when all of step 1 have ended\n');
    expect(out).toContain(
      version === '3'
        ? `with all tasks of the DAG: airflow backfill create --dag-id shop --from-date ${day(1)} --to-date ${day(1)}\n`
        : `with these tasks: airflow dags backfill shop -s ${day(1)} -e ${day(1)} -t '^(clean\\.v1|total)$' -i -y\n`,
    );
  },
);

test('as JSON each step has its commands, and each command its units', async () => {
  const { out } = await plan('2', '--format', 'json');
  const { units, commands } = JSON.parse(out) as {
    units: { id: string }[];
    commands: { text: string; units: string[] }[][];
  };
  expect(commands.flat().flatMap((command) => command.units)).toEqual(units.map(({ id }) => id));
  expect(commands.map((step) => step.length)).toEqual([1, 2]);
});

test('what tasks of one run do not order by an edge waits in a step of its own', async () => {
  const file = join(root, '2/dags/shop.py');
  writeFileSync(
    file,
    shop('from airflow.operators.bash import BashOperator', 'clean.v1').replace('    clean >> total\n', ''),
  );
  const { out } = await plan('2');
  expect(out).toContain('# step 3 of 3: 2 units, when all of step 2 have ended\n');
});

test('a task whose name is a part of another one is not cleared by a command of Airflow 3, which would clear both', async () => {
  const file = join(root, '3/dags/shop.py');
  const imports = 'from airflow.providers.standard.operators.bash import BashOperator';
  writeFileSync(
    file,
    shop(imports, 'clean.v1')
      .replace('"total"', '"total_old"')
      .replace('    clean >> total', '    other = BashOperator(task_id="total", bash_command="x")\n    clean >> other'),
  );
  const { out } = await plan('3');
  expect(out).not.toMatch(/-t total -y/);
  expect(out).toContain(
    '# shop.total@2026-11-01T00:00:00Z cannot be cleared alone by a command: -t of Airflow 3 would clear total_old too; clear it on its page\n',
  );
  // A run that is made there has all tasks.
  expect(out).toContain(
    'with all tasks of the DAG, so also total_old, which the plan does not have for it: airflow backfill',
  );
});

test('a word of the shell is one word again, whatever is in it', () => {
  for (const text of ['plain', "it's", '$(rm -rf /)', 'a b', '`x`', '^(a|b)$', '', '-n', '{{ ds }}', 'ü'])
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
});
