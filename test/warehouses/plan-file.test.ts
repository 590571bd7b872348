import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { startCli } from '../support/running-cli.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';
import { engines } from '../support/warehouse-fixture.ts';

const selection = [
  'shop.daily',
  '--from',
  '2026-11-10',
  '--to',
  '2026-11-15',
  '--downstream',
  '--now',
  '2026-11-29T12:00Z',
];

let parent = '';
let bundle = '';
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-plan-file-'));
  bundle = join(parent, 'dist');
  const repository = fileURLToPath(new URL('../..', import.meta.url));
  execFileSync(process.execPath, ['scripts/build.mjs', bundle], { cwd: repository, stdio: 'inherit' });
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

describe.each(engines)('a plan as a file on %s', (engine) => {
  // Each command opens the embedded database anew: there one way through is enough.
  const onServer = test.skipIf(engine === 'pglite');
  let workspace: ShopWorkspace;
  const file = (name: string): string => join(workspace.root, name);
  const edit = (name: string, from: string, to: string): void => {
    const text = readFileSync(file(name), 'utf8');
    expect(text).toContain(from);
    writeFileSync(file(name), text.replace(from, to));
  };
  const cli = (...words: readonly string[]) => runCli(words, workspace.root, { env: workspace.env });
  const planned = async (...words: readonly string[]) => {
    const { code, err } = await cli('plan', ...selection, '--out', 'plan.json', ...words);
    expect(err).toContain('backfill run --plan plan.json');
    expect(code).toBe(0);
    return readFileSync(file('plan.json'), 'utf8');
  };
  const contents = async (): Promise<unknown> =>
    (await workspace.onDatabase('select * from mart.daily order by 1, 2')).rows;
  const reasons = async (...words: readonly string[]): Promise<readonly string[]> => {
    const { code, out } = await cli('run', '--plan', 'plan.json', '--yes', '--format', 'json', ...words);
    expect(code).toBe(1);
    const { refusal, units } = JSON.parse(out);
    expect(refusal).toMatchObject({ code: 'plan-moved-on', remedy: expect.stringContaining('--out plan.json') });
    expect(units).toEqual([]);
    return refusal.reasons;
  };

  beforeEach(async () => {
    workspace = await shopWorkspace(engine, parent);
  });

  test('is written the same each time, without a secret, and runs as it was reviewed', async () => {
    const text = await planned();
    expect(await planned()).toBe(text);
    for (const secret of Object.values(workspace.env)) expect(text).not.toContain(secret);
    expect(text).not.toContain('INSERT');
    expect(text.split('\n').filter((line) => line.includes('"unit":'))).toHaveLength(12);
    const preview = await cli('run', '--plan', 'plan.json', '--preview', '--format', 'json');
    expect(JSON.parse(preview.out)).toMatchObject({ preview: true, outcome: 'done' });
    const run = await cli('run', '--plan', 'plan.json', '--yes');
    expect(run).toMatchObject({ code: 0 });
    expect(run.out).toContain('12 units of 2 tasks, as reviewed');
    expect(run.out).toContain('12 changed');
    const units = JSON.parse(text).units.map(({ unit }: { unit: string }) => unit);
    const { runs } = JSON.parse((await cli('history', '--format', 'json')).out);
    expect(runs[0].title).toMatch(/^shop\.daily 2026-11-10 to 2026-11-15 with downstream \(plan [0-9a-f]{12}\)$/);
    const ran = JSON.parse((await cli('history', runs[0].run, '--format', 'json')).out).units;
    expect(ran.map(({ id }: { id: string }) => id)).toEqual(units);
    if (engine === 'pglite') return;
    const twice = await reasons();
    expect(twice[0]).toContain(
      'rows of mart.daily were changed: 2026-11-10T00:00:00Z to 2026-11-11T00:00:00Z had 0 rows and has 3',
    );
    expect(twice.at(-1)).toContain(`run ${runs[0].run} has run it already`);
  });

  onServer('is refused with each reason where code, settings, rows or columns have moved on', async () => {
    await planned();
    edit('dags/sql/daily.sql', 'sum(amount)', 'sum(amount) + 1');
    expect(await reasons()).toEqual(['the code of shop.daily was changed in dags/sql/daily.sql']);
    edit('dags/sql/daily.sql', 'sum(amount) + 1', 'sum(amount)');
    edit('backfill.yaml', 'lease: 5s', 'lease: 5s, shrinkPercent: 80');
    expect(await reasons()).toEqual(['run.shrinkPercent in backfill.yaml was 50 and is 80']);
    await planned();
    await workspace.onDatabase(
      "insert into mart.daily values ('2026-11-12', 's9', 1)",
      'alter table mart.rolling3 add column note text',
    );
    expect(await reasons()).toEqual([
      'the table mart.rolling3 has note text',
      'rows of mart.daily were changed: 2026-11-12T00:00:00Z to 2026-11-13T00:00:00Z had 0 rows and has 1',
    ]);
    expect(await contents()).toEqual([['2026-11-12', 's9', '1']]);
    await planned();
    await workspace.onDatabase("update mart.daily set amount = 2 where shop = 's9'");
    expect(await reasons()).toEqual([
      'rows of mart.daily were changed: 2026-11-12T00:00:00Z to 2026-11-13T00:00:00Z has other values in its 1 row',
    ]);
  });

  onServer('is refused where its DAG was edited in between, and runs where that touched nothing of it', async () => {
    await planned();
    edit('dags/shop.py', 'from ', '# a comment\nfrom ');
    const preview = await cli('run', '--plan', 'plan.json', '--preview');
    expect(preview).toMatchObject({
      code: 0,
      err: expect.stringContaining('dags/shop.py was changed since the plan was reviewed'),
    });
    edit('dags/shop.py', '@daily', '@weekly');
    const moved = await reasons();
    expect(moved.join('\n')).toContain('shop.daily@2026-11-10T00:00:00Z');
    expect(moved.join('\n')).toContain(
      'would not run any more: schedule, dates or dependencies are others (changed since: dags/shop.py)',
    );
    expect(await contents()).toEqual([]);
  });

  onServer('is refused where it was edited, is cut off, newer, or something else', async () => {
    const text = await planned();
    const refused = async (changed: string, ...words: readonly string[]): Promise<string> => {
      writeFileSync(file('plan.json'), changed);
      const { code, err } = await cli('run', '--plan', 'plan.json', '--yes', ...words);
      expect(code).toBe(2);
      return err;
    };
    expect(await refused(text.replace('2026-11-14T00:00:00Z', '2026-11-15T00:00:00Z'))).toContain(
      'was changed after it was written',
    );
    expect(await refused(text.slice(0, -200))).toContain('is cut off');
    expect(await refused(text.replace('"backfillPlan": 1', '"backfillPlan": 2'))).toContain(
      'is a plan file of version 2, and this program reads version 1',
    );
    expect(await refused((await cli('plan', ...selection, '--format', 'json')).out)).toContain('is no plan file');
    expect(await refused(text, '--to', '2026-12-01')).toContain('--to: the plan file says what runs');
    expect((await cli('run', '--yes')).err).toContain('no task is named');
    // Laid out otherwise it says the same.
    writeFileSync(file('plan.json'), JSON.stringify(JSON.parse(text)));
    expect((await cli('run', '--plan', 'plan.json', '--yes')).code).toBe(0);
  });

  onServer('killed in the middle is not begun again, but resumed to the same end', async () => {
    await cli('run', ...selection, '--yes');
    const whole = await contents();
    await workspace.onDatabase('truncate mart.daily, mart.rolling3');
    edit('dags/sql/daily.sql', 'DELETE FROM', 'SELECT pg_sleep(0.2);\nDELETE FROM');
    await planned();
    const child = startCli(bundle, workspace, 'run', '--plan', 'plan.json', '--yes', '--concurrency', '1', '--units');
    const run = await child.until(/run (\S+): 12 of 12[\s\S]*?changed[\s\S]*?changed[\s\S]*?changed/);
    child.kill('SIGKILL');
    await child.ended();
    const again = await cli('run', '--plan', 'plan.json', '--yes');
    expect(again).toMatchObject({ code: 1, out: expect.stringContaining(`run ${run} has begun plan.json`) });
    expect(again.out).toContain(`go on with: backfill resume ${run}`);
    const resumed = await cli('resume', run, '--format', 'json');
    expect(resumed.code).toBe(0);
    expect(JSON.parse(resumed.out).units).toHaveLength(12);
    expect(await contents()).toEqual(whole);
  });
});
