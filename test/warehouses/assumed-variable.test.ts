import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type DagWorkspace, dagWorkspace } from '../support/dag-workspace.ts';
import { patienceMs } from '../support/patience.ts';

const setup = `create schema raw; create schema mart;
  create table raw.o (day date, region text);
  insert into raw.o values ('2026-11-09', 'eu'), ('2026-11-09', 'us'), ('2026-11-09', 'us');
  create table mart.a (day date, region text)`;
const task = `a = SQLExecuteQueryOperator(task_id="a", conn_id="wh", sql="""delete from mart.a where day = '{{ ds }}';
  insert into mart.a select * from raw.o where day = '{{ ds }}' and region = '{{ var.value.get('region', 'eu') }}'""")`;
const range = ['--from', '2026-11-09', '--to', '2026-11-10'];

let folder: DagWorkspace | undefined;
afterEach(() => folder?.close());

test('a default in place of a Variable is said by plan, run and proof, and by none once it is given as they advise', {
  timeout: patienceMs,
}, async () => {
  folder = await dagWorkspace(setup, task);
  const said = /takes the default "eu" of the Variable "region".* Give it under variables in backfill\.yaml/s;
  for (const words of [
    ['plan', 'd', ...range],
    ['run', 'd', ...range, '--yes'],
    ['prove', 'd', ...range],
  ]) {
    const { code, out, err } = await folder.cli(words);
    expect([words[0], code], out + err).toEqual([words[0], 0]);
    expect(out.replace(/\s+/g, ' ')).toMatch(said);
  }
  expect(await folder.rows('select region, count(*) from mart.a group by 1')).toEqual([['eu', '1']]);
  const file = join(folder.root, 'backfill.yaml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}variables: { region: us }\n`);
  for (const words of [
    ['plan', 'd', ...range],
    ['run', 'd', ...range, '--yes'],
    ['prove', 'd', ...range],
  ]) {
    const { code, out, err } = await folder.cli(words);
    expect([words[0], code], out + err).toEqual([words[0], 0]);
    expect(out).not.toContain('takes the default');
  }
  expect(await folder.rows('select region, count(*) from mart.a group by 1')).toEqual([['us', '2']]);
});
