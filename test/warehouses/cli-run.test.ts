import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { startCli } from '../support/running-cli.ts';
import { type ShopWorkspace, shopWorkspace } from '../support/shop-workspace.ts';
import { type Engine, engines, freshDatabase } from '../support/warehouse-fixture.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const now = ['--now', '2026-11-29T12:00Z'];
const range = ['--from', '2026-11-10', '--to', '2026-11-15', ...now];

let parent = '';
let bundle = '';
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'backfill-cli-'));
  bundle = join(parent, 'dist');
  execFileSync(process.execPath, ['scripts/build.mjs', bundle], { cwd: repository, stdio: 'inherit' });
});
afterAll(() => rmSync(parent, { recursive: true, force: true }));

// Each command opens the embedded database anew, as it would for a user.
describe.each(engines)('a backfill on %s', (engine: Engine) => {
  let root = '';
  let env: ShopWorkspace['env'] = {};
  let onDatabase: ShopWorkspace['onDatabase'];

  const read = (path: string): string => readFileSync(join(root, path), 'utf8');
  const edit = (path: string, from: string, to: string): void =>
    writeFileSync(join(root, path), read(path).replace(from, to));
  const contents = async (): Promise<unknown> => [
    (await onDatabase('select * from mart.daily order by 1, 2')).rows,
    (await onDatabase('select * from mart.rolling3 order by 1')).rows,
  ];
  const cli = (...words: readonly string[]) => runCli(words, root, { env });
  const states = (json: string): Record<string, string> =>
    Object.fromEntries(JSON.parse(json).units.map(({ id, state }: { id: string; state: string }) => [id, state]));

  beforeEach(async () => {
    ({ root, env, onDatabase } = await shopWorkspace(engine, parent));
  });

  test('plan, preview, run, a second run that changes nothing, and a run after a bug is fixed', async () => {
    const planned = await cli('plan', 'shop.daily', ...range, '--downstream', '--format', 'json');
    expect(planned).toMatchObject({ code: 0, err: '' });
    const plan = JSON.parse(planned.out);
    expect(plan.units).toHaveLength(5 + 7);
    expect(plan.units[0]).toMatchObject({
      id: 'shop.daily@2026-11-10T00:00:00Z',
      start: '2026-11-10T00:00:00Z',
      end: '2026-11-11T00:00:00Z',
    });

    const preview = await cli('run', 'shop.daily', ...range, '--downstream', '--preview', '--format', 'json');
    expect(preview).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(preview.out)).toMatchObject({ preview: true, outcome: 'done' });
    expect(await contents()).toEqual([[], []]);
    // What is previewed is what then runs, and the plan's units are the executed ones.
    const refused = await cli('run', 'shop.daily', ...range, '--downstream');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') });
    expect(await contents()).toEqual([[], []]);

    const first = await cli('run', 'shop.daily', ...range, '--downstream', '--yes', '--format', 'json');
    expect(first).toMatchObject({ code: 0, err: '' });
    expect(states(first.out)).toEqual(states(preview.out));
    expect(Object.keys(states(first.out))).toEqual(plan.units.map(({ id }: { id: string }) => id));
    expect(Object.values(states(first.out))).toEqual(Array(12).fill('changed'));
    const [unit] = JSON.parse(first.out).units;
    expect(unit.slices).toMatchObject([
      { table: 'mart.daily', rowsBefore: 0, rowsAfter: 3, added: 3, removed: 0, changed: 0 },
    ]);
    const after = await contents();

    const second = await cli('run', 'shop.daily', ...range, '--downstream', '--yes');
    expect(second.code).toBe(0);
    expect(second.out).toContain('5 unchanged, 0 changed, 7 skipped');
    expect(second.err).not.toContain('\u001b');
    expect(await contents()).toEqual(after);

    const target = /^target .*$/m.exec(second.out)?.[0];
    expect((await cli('plan', 'shop.daily', ...range)).out).toContain(`${target}\n`);

    expect((await cli('show', '--stale')).out).toBe(
      'no slice is stale, of 12 (by what the ledger knows; tables that no task of the workspace writes are not looked at)\n',
    );
    edit('dags/sql/daily.sql', 'sum(amount)', 'sum(amount) + 1');
    const { stale } = JSON.parse((await cli('show', '--stale', '--format', 'json')).out);
    const kinds = stale.map(({ task, reasons }: { task: string; reasons: { kind: string }[] }) => [
      task,
      ...reasons.map(({ kind }) => kind),
    ]);
    expect(kinds.slice(0, 5)).toEqual(Array(5).fill(['shop.daily', 'code']));
    expect(new Set(kinds.slice(5).map(([, kind]: string[]) => kind))).toEqual(new Set(['behind']));
    expect(kinds).toHaveLength(12);
    const third = await cli('run', 'shop.daily', ...range, '--downstream', '--yes', '--samples', '1');
    expect(third).toMatchObject({ code: 0, out: expect.stringContaining('0 unchanged, 12 changed') });
    expect(third.out).toContain('+0 −0 ~3 amount 3');
    expect(third.out).toContain('why 5 slices of mart.daily: the code of the task changed');

    const history = await cli('history', '--format', 'json');
    const { runs } = JSON.parse(history.out);
    expect(runs).toHaveLength(3);
    expect(runs[0]).toMatchObject({
      title: 'shop.daily 2026-11-10 to 2026-11-15 with downstream',
      counts: { changed: 12 },
    });
    expect((await cli('history', runs[0].run, '--report', 'changes.html')).code).toBe(0);
    expect(readFileSync(join(root, 'changes.html'), 'utf8')).toContain('Why it changed: the code of the task changed.');
    expect(await cli('history', runs[0].run, '--report', 'changes.doc')).toMatchObject({
      code: 2,
      err: expect.stringContaining('.md, .html, .json'),
    });
    const undone = await cli('undo', runs[0].run, '--yes');
    expect(undone).toMatchObject({ code: 0 });
    expect(await contents()).toEqual(after);
    expect(await cli('undo', runs[0].run, '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('was undone already, by run'),
    });
    const one = await cli('history', runs[1].run);
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining('5 unchanged, 0 changed, 7 skipped') });
  });

  test('an undo that meets rows changed by hand names the commands that go on', async () => {
    await cli('run', 'shop.daily', ...range, '--yes');
    edit('dags/sql/daily.sql', 'sum(amount)', 'sum(amount) + 1');
    await cli('run', 'shop.daily', ...range, '--yes');
    const run = JSON.parse((await cli('history', '--format', 'json')).out).runs[0].run;
    await onDatabase("update mart.daily set amount = 0 where day = '2026-11-13'");
    const undone = await cli('undo', run, '--yes');
    expect(undone.code).toBe(1);
    expect(undone.out).not.toContain('backfill resume');
    const commands = [...undone.out.matchAll(/: backfill (.*)$/gm)].map(([, words = '']) => words.split(' '));
    expect(commands.map(([name]) => name)).toEqual(['run', 'undo']);
    for (const words of commands) {
      const followed = await cli(...words, '--yes', ...(words[0] === 'run' ? now : []));
      expect(followed, followed.err + followed.out).toMatchObject({ code: 0 });
    }
    const { rows } = await onDatabase(
      "select count(*) from mart.daily where amount = 0 or day not between '2026-11-10' and '2026-11-14'",
    );
    expect(rows).toEqual([['0']]);
  });

  test('a task is proven safe, and not, with the rows that differ', async () => {
    const date = ['--logical-dates', '2026-11-12..2026-11-12', ...now];
    const safe = await cli('prove', 'shop.daily', ...date);
    expect(safe).toMatchObject({ code: 0, out: expect.stringContaining('1 without a difference; nothing was kept') });
    edit('dags/sql/daily.sql', 'sum(amount)', 'sum(amount) + extract(epoch from now())::int % 1000');
    const unsafe = await cli('prove', 'shop.daily', ...date, '--format', 'json');
    expect(unsafe.code).toBe(1);
    expect(JSON.parse(unsafe.out).units).toMatchObject([
      {
        id: 'shop.daily@2026-11-12T00:00:00Z',
        verdict: 'different',
        slices: [{ table: 'mart.daily', changed: 3, columns: [{ column: 'amount', rows: 3 }] }],
        statements: [{ file: 'dags/sql/daily.sql' }, { file: 'dags/sql/daily.sql' }],
      },
    ]);
    expect(await contents()).toEqual([[], []]);
  });

  test('a failing task blocks what is behind it; mended in the data, resume runs the rest', async () => {
    await onDatabase("alter table mart.daily add constraint positive check (amount < 60 or day <> date '2026-11-11')");
    const failed = await cli('run', 'shop.daily', ...range, '--downstream', '--yes', '--format', 'json');
    expect(failed.code).toBe(1);
    const { runId, units } = JSON.parse(failed.out);
    expect(units.find(({ id }: { id: string }) => id === 'shop.daily@2026-11-11T00:00:00Z')).toMatchObject({
      state: 'failed',
      error: { kind: 'constraint', message: expect.stringContaining('positive') },
    });
    expect(Object.values(states(failed.out)).filter((state) => state === 'blocked')).toHaveLength(3);
    await onDatabase('alter table mart.daily drop constraint positive');
    const resumed = await cli('resume', runId, '--format', 'json');
    expect(resumed).toMatchObject({ code: 0, err: '' });
    expect(Object.values(states(resumed.out))).toEqual(Array(12).fill('changed'));
    const attempts = JSON.parse(resumed.out).units.map((unit: { attempts: number }) => unit.attempts);
    expect(attempts.filter((count: number) => count === 2)).toHaveLength(1);

    edit('dags/sql/daily.sql', 'GROUP BY 1, 2', 'GROUP BY 1, 2 ORDER BY 1');
    const stale = await cli('resume', runId);
    expect(stale).toMatchObject({
      code: 1,
      out: expect.stringContaining('out of date: the code of shop.daily has changed'),
    });
    expect(await cli('resume', 'nothing')).toMatchObject({
      code: 2,
      out: expect.stringContaining('there is no run nothing'),
    });
  });

  test('an emptied slice is held until it is accepted', async () => {
    await cli('run', 'shop.daily', ...range, '--yes');
    await onDatabase("delete from raw.orders where ordered_at::date = date '2026-11-12'");
    const held = await cli('run', 'shop.daily', ...range, '--yes', '--format', 'json');
    expect(held.code).toBe(3);
    expect(states(held.out)['shop.daily@2026-11-12T00:00:00Z']).toBe('held');
    expect((await onDatabase("select count(*) from mart.daily where day = '2026-11-12'")).rows).toEqual([['3']]);
    const accepted = await cli('resume', JSON.parse(held.out).runId, '--accept-held');
    expect(accepted.code).toBe(0);
    expect((await onDatabase("select count(*) from mart.daily where day = '2026-11-12'")).rows).toEqual([['0']]);
    await onDatabase("delete from raw.orders where ordered_at::date = date '2026-11-13'");
    edit('backfill.yaml', '\nconnections:', '\ntasks: { shop.daily: { hold: false } }\nconnections:');
    expect((await cli('run', 'shop.daily', ...range, '--yes')).code).toBe(0);
    expect((await onDatabase("select count(*) from mart.daily where day = '2026-11-13'")).rows).toEqual([['0']]);
  });

  test('a task that only adds rows is refused unless asked, and the record says what it did', async () => {
    edit('dags/sql/daily.sql', "DELETE FROM mart.daily WHERE day = '{{ ds }}';", '');
    await onDatabase('alter table mart.daily drop constraint daily_pkey');
    const day = ['--from', '2026-11-10', '--to', '2026-11-11', ...now];
    const refused = await cli('run', 'shop.daily', ...day, '--yes');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('shop.daily only adds rows to mart.daily');
    expect(refused.err).toContain('--allow-append');
    const asJson = JSON.parse((await cli('run', 'shop.daily', ...day, '--yes', '--format', 'json')).out);
    expect(asJson.error.messages.join()).toContain('append-in-plan');
    expect((await onDatabase('select count(*) from mart.daily')).rows).toEqual([['0']]);
    expect((await cli('run', 'shop.daily', ...day, '--yes', '--allow-append')).code).toBe(0);
    const again = await cli('run', 'shop.daily', ...day, '--yes', '--allow-append', '--format', 'json');
    const note =
      'mart.daily had 3 rows of this interval and has 6 now: the task only adds rows, and each run adds them again.';
    expect(JSON.parse(again.out)).toMatchObject({ outcome: 'done', units: [{ state: 'changed', notes: [note] }] });
    const kept = await cli('history', JSON.parse(again.out).runId, '--format', 'json');
    expect(JSON.parse(kept.out)).toMatchObject({ units: [{ state: 'changed', cause: note }] });
    expect((await cli('history', JSON.parse(again.out).runId)).out).toContain(note);
  });

  test('killed in the middle and resumed, nothing is doubled and nothing lost', async () => {
    await cli('run', 'shop.daily', ...range, '--downstream', '--yes');
    const whole = await contents();
    await onDatabase('truncate mart.daily, mart.rolling3');
    edit('dags/sql/daily.sql', 'DELETE FROM', 'SELECT pg_sleep(0.2);\nDELETE FROM');

    const child = startCli(
      bundle,
      { root, env },
      'run',
      'shop.daily',
      ...range,
      '--downstream',
      '--yes',
      '--concurrency',
      '1',
    );
    const run = await child.until(/run (\S+): 12 of 12[\s\S]*?changed[\s\S]*?changed[\s\S]*?changed/);
    child.kill('SIGKILL');
    await child.ended();
    const resumed = await cli('resume', run, '--format', 'json');
    expect(resumed).toMatchObject({ code: 0 });
    expect(Object.values(states(resumed.out))).toEqual(Array(12).fill('changed'));
    expect(await contents()).toEqual(whole);
  });

  test('a second process on the same slices is refused with the owner named', async () => {
    edit('dags/sql/daily.sql', 'DELETE FROM', 'SELECT pg_sleep(1);\nDELETE FROM');
    const child = startCli(
      bundle,
      { root, env },
      'run',
      'shop.daily',
      ...range,
      '--yes',
      '--concurrency',
      '1',
      '--units',
    );
    const run = await child.until(/run (\S+): 5 of 5[\s\S]*changed/);
    const second = await cli('run', 'shop.daily', ...range, '--yes');
    expect(second.code).toBe(1);
    const owner = String(child.pid);
    expect(second.out + second.err).toContain(engine === 'pglite' ? owner : `${run} (`);
    expect(second.out + second.err).toContain(owner);
    // An embedded database is not asked: its lock has named the owner.
    if (engine === 'postgres') {
      const plan = await cli('plan', 'shop.daily', ...range, '--format', 'json');
      const rows = 'on mart.daily from 2026-11-10T00:00:00Z to 2026-11-15T00:00:00Z';
      expect(plan.code).toBe(1);
      expect(JSON.parse(plan.out).findings[0]).toMatchObject({
        code: 'overlapping-plan',
        severity: 'error',
        message: expect.stringMatching(new RegExp(`${run} \\(.*${owner}, since 2026-.*Z\\) ${rows}`)),
      });
      const preview = await cli('run', 'shop.daily', ...range, '--preview', '--format', 'json');
      expect(preview.code).toBe(1);
      expect(JSON.parse(preview.out)).toMatchObject({ preview: true, units: [], refusal: { code: 'overlapping-run' } });
      expect((await cli('plan', 'shop.daily', ...range, '--offline')).code).toBe(0);
      const before = ['--from', '2026-11-05', '--to', '2026-11-10', ...now];
      expect(await cli('plan', 'shop.daily', ...before)).toMatchObject({ code: 0, err: '' });
    }
    expect(await child.ended()).toMatchObject({ code: 0, output: expect.stringContaining('0 unchanged, 5 changed') });
  });

  test('Ctrl-C stops the statement on the server, and a resume ends the rest', async () => {
    edit(
      'dags/sql/daily.sql',
      'DELETE FROM',
      "SELECT pg_sleep(CASE WHEN DATE '{{ ds }}' > '2026-11-11' THEN 60 ELSE 0 END);\nDELETE FROM",
    );
    const child = startCli(
      bundle,
      { root, env },
      'run',
      'shop.daily',
      ...range,
      '--yes',
      '--concurrency',
      '1',
      '--units',
    );
    await child.until(/changed[\s\S]*changed()/);
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    const { code, output } = await child.ended();
    expect(output).toContain('cancelling: waiting until the server has stopped shop.daily@2026-11-12');
    expect(output).toContain('2 changed, 1 cancelled, 2 not started');
    expect(output).toContain('the server confirmed');
    expect(code).toBe(130);
  });
});

describe('what goes wrong before anything runs', () => {
  const password = 'hunter2-is-a-secret';
  const workspace = (yaml: string): string => {
    const root = mkdtempSync(join(parent, 'wrong-'));
    cpSync(join(repository, 'test/fixtures/cli/shop'), root, { recursive: true });
    writeFileSync(join(root, 'backfill.yaml'), yaml);
    return root;
  };

  test('a connection that fails is said with what to do, and no secret is shown', async () => {
    const { host, port, user } = (await freshDatabase()) as { host: string; port: number; user: string };
    const secret = `password: "\${env:SHOP_PASSWORD}"`;
    const connections = {
      closed: `{ host: 127.0.0.1, port: 1, user: ann, database: shop, ${secret} }`,
      wrong: `{ host: ${host}, port: ${port}, user: ${user}, database: postgres, sslmode: disable, ${secret} }`,
      nowhere: `{ host: no-such-host.invalid, user: ann, database: shop, ${secret} }`,
    };
    const lines = Object.entries(connections).map(([name, text]) => `  ${name}: ${text}`);
    const root = workspace(`version: 1\ndefaultConnection: closed\nconnections:\n${lines.join('\n')}\n`);
    for (const name of Object.keys(connections)) {
      for (const format of ['text', 'json']) {
        for (const words of [['run', 'shop.daily', ...range, '--yes'], ['history'], ['resume', 'r1']]) {
          const result = await runCli([...words, '--connection', name, '--format', format], root, {
            env: { SHOP_PASSWORD: password },
          });
          expect(result.code).toBe(1);
          expect(result.err).toContain('error');
          expect(result.out + result.err).not.toContain(password);
        }
      }
    }
  });

  test('no connection, an unknown one, a missing variable', async () => {
    const none = workspace('version: 1\n');
    expect(await runCli(['run', 'shop.daily', ...range, '--yes'], none)).toMatchObject({
      code: 2,
      err: expect.stringContaining('no connection'),
    });
    const one = workspace(`version: 1\nconnections: { prod: { host: "\${env:SHOP_HOST}" } }\n`);
    expect(await runCli(['history', '--connection', 'pord'], one)).toMatchObject({
      code: 2,
      err: expect.stringContaining('did you mean prod?'),
    });
    expect(await runCli(['history'], one)).toMatchObject({
      code: 2,
      err: expect.stringContaining('SHOP_HOST, which is not set'),
    });
  });
});
