import { execFile, spawn } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSampleTables } from '../../scripts/sample-warehouse.mjs';
import { asSuperuser, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, momentMs, until } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { wrongDays } from './support/shop-database.ts';
import { sideBar } from './support/side-bar.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

const wrongPassword = 'wrong-horse-battery';
const password = /Password of .* on office/;

let kit: TestKit;
let window: EditorWindow;
let postgres: PostgresServer;
let database: pg.Client;
let shop: string;

beforeAll(async () => {
  postgres = await startPostgres();
  await asSuperuser(postgres, 'postgres', 'CREATE DATABASE shop');
  const { host, port, user, password } = postgres;
  database = new pg.Client({ host, port, user, password, database: 'shop' });
  await database.connect();
  await loadSampleTables((script) => database.query(script));
  kit = await startKit('current');
  window = await kit.window();
  shop = await kit.copyOf('examples/shop');
  // Runs wait for locks that other sessions hold here, for as long as a busy machine takes to open another window.
  await writeFile(
    `${shop}/backfill.yaml`,
    'version: 1\nrun:\n  lockTimeout: 1h\nairflow:\n  version: 2\ntasks:\n  shop_daily.orders_clean:\n    writes:\n      - table: mart.orders_clean\n        column: day\n        volatile: [loaded_at]\n',
  );
});
afterAll(async () => {
  await kit?.stop();
  await database?.end();
  await postgres?.stop();
});
picturesOfFailures(() => window);

const openPlan = async (from: string, to: string, slices: number): Promise<void> => {
  const { assistant } = window;
  await assistant.setRange(from, to);
  await eventually(() => assistant.text()).toContain(
    `${slices} slices of 5 tasks will be compared and replaced on office`,
  );
};

test('a server is connected from the page, and a wrong password asks again', async () => {
  const { assistant, page } = window;
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  await window.useLens(
    'shop_daily.orders_clean: choose intervals and what runs behind them',
    window.tab('Backfill: shop_daily.orders_clean'),
  );
  await eventually(() => assistant.text()).toContain('no warehouse is connected');
  await window.picture('no-connection');
  expect(await assistant.faults()).toEqual([]);
  const kind = page.locator('.quick-input-list .monaco-list-row', { hasText: 'PostgreSQL' }).first();
  await assistant.press('Connect…', kind);
  await until(
    () => window.question('(1 of 5)').isVisible(),
    () => kind.click({ timeout: momentMs }),
  );
  // The window is a remote one: its database is reached from where its files are.
  const asksHost = window.question('Host, as the machine with the files reaches it');
  for (const [step, text] of ['office', postgres.host, String(postgres.port), 'shop', postgres.user].entries()) {
    if (step === 1) await asksHost.waitFor();
    await window.answer(`(${step + 1} of 5)`, text);
  }
  // Whoever connects is there to be asked; until they know it, the page offers to ask again.
  await window.question(password).waitFor();
  await page.keyboard.press('Escape');
  await eventually(() => assistant.text()).toContain('asks for a password and none is set');
  await window.picture('wants-password');
  expect(await assistant.faults()).toEqual([]);
  await eventually(() => assistant.text()).toMatch(
    new RegExp(`office\\s+postgres · shop@127\\.0\\.0\\.1:${postgres.port}`),
  );

  // The side bar asks nobody by itself: it says what is missing, and what was wrong.
  const bar = sideBar(window);
  await bar.show();
  await eventually(() => bar.text()).toContain('The server asks for a password.');
  await until(
    () => window.question(password).isVisible(),
    () => bar.button('Enter Password…').click({ timeout: momentMs }),
  );
  await window.answer(password, wrongPassword);
  await eventually(() => bar.text()).toMatch(/password authentication failed/i);
  await bar.button('Enter Password…').waitFor();
  await window.picture('home-wrong-password');
  await bar.press('Runs', 'Ask the Ledger Again');

  await openPlan('2026-10-10', '2026-10-12', 15);
  await assistant.choose('Run without preview…', window.question(password));
  await window.picture('password');
  expect(await page.locator('.quick-input-box input[type="password"]').count()).toBe(1);
  await window.answer(password, wrongPassword);
  await eventually(() => assistant.text()).toMatch(/password authentication failed/i);
  // Nobody was there to be asked when the side bar asked again: it stays said there too.
  expect(await bar.text()).toMatch(/password authentication failed/i);
  await assistant.choose('Run without preview…', window.question(password));
  await window.answer(password, postgres.password);
  await eventually(() => assistant.text()).toMatch(/Done at \d\d:\d\d, in .*, on office\./);
  await assistant.selectCell('shop_daily.orders_clean, 2026-10-10: changed', '~123 changed');
  expect(await wrongDays(async (sql) => (await database.query(sql)).rows, '2026-10-10', '2026-10-12')).toEqual([]);
});

test('days that are missing are seen before any run, and exactly these are planned and filled; then all that is stale', async () => {
  const { assistant } = window;
  const others = `SELECT day::text, min(xmin::text) AS by FROM mart.orders_clean WHERE day BETWEEN '2026-09-14' AND '2026-09-22'
    AND day NOT IN ('2026-09-15', '2026-09-20', '2026-09-21') GROUP BY day ORDER BY day`;
  await database.query("DELETE FROM mart.orders_clean WHERE day IN ('2026-09-15', '2026-09-20', '2026-09-21')");
  const before = (await database.query(others)).rows;
  const again = async (): Promise<void> => {
    await window.open(shop, `${shop}/dags/shop_daily.py`);
    await window.useLens(
      'shop_daily.orders_clean: choose intervals and what runs behind them',
      window.tab('Backfill: shop_daily.orders_clean'),
    );
  };
  const plannedDays = async (): Promise<readonly string[]> => {
    const labels: string[] = [];
    const cells = assistant.frame.locator('.grid .c[aria-label^="shop_daily.orders_clean, "]');
    for (let index = 0, count = await cells.count(); index < count; index++)
      labels.push((await cells.nth(index).getAttribute('aria-label')) ?? '');
    return labels.flatMap((label) => /\d{4}-\d\d-\d\d/.exec(label) ?? []);
  };
  await again();
  await assistant.button(/^Fill what is missing · 3/).waitFor();
  await window.picture('missing');
  expect(await assistant.faults()).toEqual([]);
  await assistant.button(/^Fill what is missing · 3/).click();
  await eventually(plannedDays).toEqual(['2026-09-15', '2026-09-20', '2026-09-21']);
  // What the tables of the other tasks hold is told too; only a table without a column that tells its days apart is not known.
  await eventually(async () => (await assistant.text()).split('not known').length - 1).toBeLessThan(2);
  await window.picture('fill-missing');
  expect(await assistant.faults()).toEqual([]);
  await assistant.choose('Run without preview…', /Done at/);
  expect((await database.query(others)).rows).toEqual(before);
  for (const [from, to] of [
    ['2026-09-15', '2026-09-16'],
    ['2026-09-20', '2026-09-22'],
  ] as const)
    expect(await wrongDays(async (sql) => (await database.query(sql)).rows, from, to)).toEqual([]);

  const task = `${shop}/dags/sql/orders_clean.sql`;
  const text = await readFile(task, 'utf8');
  await writeFile(task, `${text.trimEnd().replace(/;$/, '')} AND 1 = 1;\n`);
  try {
    // The page sees by itself that the code is another one, also of the days of the run that it shows, and below that it
    // is the one of before.
    await assistant.button(/^All stale · 5/).click();
    await eventually(plannedDays).toEqual(['2026-09-15', '2026-09-20', '2026-09-21', '2026-10-10', '2026-10-11']);
    await window.picture('all-stale');
  } finally {
    await writeFile(task, text);
  }
  await assistant.button(/^All stale/).waitFor({ state: 'hidden' });
});

test('a run that waits for somebody else is cancelled, confirmed, and resumed', async () => {
  const { assistant } = window;
  await openPlan('2026-10-17', '2026-10-19', 15);
  const { host, port, user, password } = postgres;
  const other = new pg.Client({ host, port, user, password, database: 'shop' });
  await other.connect();
  await other.query('BEGIN; LOCK TABLE mart.revenue_daily IN SHARE MODE');
  await assistant.choose('Run without preview…', assistant.button('Stop'));
  await eventually(() => assistant.cellsIn('changed').count()).toBeGreaterThan(0);
  await eventually(async () => {
    const { rows } = await database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    return rows.length;
  }).toBeGreaterThan(0);
  await window.statusBar(/backfill shop_daily\.orders_clean: \d+ of 15/).waitFor();
  await assistant.press('Stop', 'The server confirmed that it stopped.');
  expect(await assistant.text()).toMatch(/Stopped · \d+ changed · \d+ not run/);
  await window.picture('cancelled');
  expect(await assistant.faults()).toEqual([]);
  await other.query('ROLLBACK');
  await other.end();
  await assistant.press('Resume', /Done at/);
  expect(await wrongDays(async (sql) => (await database.query(sql)).rows, '2026-10-17', '2026-10-19')).toEqual([]);
});

test('a server that dies under a run is red in page and status bar, and the run goes on when it is back', async () => {
  const { assistant } = window;
  await openPlan('2026-09-26', '2026-09-28', 16);
  const { host, port, user, password } = postgres;
  const other = new pg.Client({ host, port, user, password, database: 'shop' });
  other.on('error', () => {});
  await other.connect();
  await other.query('BEGIN; LOCK TABLE mart.revenue_daily IN SHARE MODE');
  await assistant.choose('Run without preview…', assistant.button('Stop'));
  await eventually(() => assistant.cellsIn('changed').count()).toBeGreaterThan(0);
  await database.end();
  process.kill(postgres.pid, 'SIGQUIT');
  await eventually(() => assistant.text()).toMatch(/The server is away since \d\d:\d\d/);
  await window.statusBar(/the server is away since/).waitFor();
  await window.picture('server-away');
  expect(await assistant.faults()).toEqual([]);
  await postgres.restart();
  await eventually(() => assistant.text()).toMatch(/Done at/);
  database = new pg.Client({ host, port, user, password, database: 'shop' });
  await database.connect();
  expect(await wrongDays(async (sql) => (await database.query(sql)).rows, '2026-09-26', '2026-09-28')).toEqual([]);
});

test('two windows share one ledger: the second sees who is at work, and is refused the same slices', async () => {
  await openPlan('2026-10-03', '2026-10-05', 15);
  const { host, port, user, password: secret } = postgres;
  const other = new pg.Client({ host, port, user, password: secret, database: 'shop' });
  await other.connect();
  await other.query('BEGIN; LOCK TABLE mart.revenue_daily IN SHARE MODE');
  await window.assistant.choose('Run without preview…', window.assistant.button('Stop'));
  await eventually(() => window.assistant.cellsIn('running').count()).toBeGreaterThan(0);
  const second = await kit.window();
  try {
    await second.open(shop, `${shop}/dags/shop_daily.py`);
    const bar = sideBar(second);
    await bar.show();
    await until(
      async () => (await bar.rows('Runs')).some((row) => /is at work on it/.test(row)),
      async () => {
        if (await bar.button('Enter Password…').isVisible()) {
          await bar.button('Enter Password…').click({ timeout: momentMs });
          await second.answer(password, secret);
        } else await bar.press('Runs', 'Ask the Ledger Again');
      },
    );
    await second.useLens(
      'shop_daily.orders_clean: choose intervals and what runs behind them',
      second.tab('Backfill: shop_daily.orders_clean'),
    );
    await second.assistant.setRange('2026-10-03', '2026-10-05');
    await eventually(() => second.assistant.text()).toContain('15 slices of 5 tasks will be compared and replaced');
    await second.assistant.choose('Run without preview…', /another run is working on the same slices/i);
    await second.picture('two-windows');
  } finally {
    await second.close();
    await other.query('ROLLBACK');
    await other.end();
  }
  await eventually(() => window.assistant.text()).toMatch(/Done at/);
});

test('the side bar lists runs of the command line too; one that was killed is resumed from there', async () => {
  const { assistant } = window;
  const bar = sideBar(window);
  const command = (...more: readonly string[]): readonly string[] => [
    `${root}dist/cli.js`,
    ...[
      'run',
      'shop_daily.orders_clean',
      '--downstream',
      '--yes',
      '--workspace',
      shop,
      '--connection',
      'office',
      ...more,
    ],
  ];
  const env = { ...process.env, PGPASSWORD: postgres.password };
  await promisify(execFile)(process.execPath, command('--from', '2026-10-24', '--to', '2026-10-25'), { env });
  await bar.show();
  await eventually(() => bar.rows('Runs')).toContainEqual(
    expect.stringMatching(/^orders_clean\s.* 2026-10-24 to 2026-10-25/),
  );

  // Somebody holds a table, so that the run is still at work when it is killed.
  const { host, port, user, password } = postgres;
  const other = new pg.Client({ host, port, user, password, database: 'shop' });
  await other.connect();
  await other.query('BEGIN; LOCK TABLE mart.revenue_daily IN SHARE MODE');
  const killed = spawn(process.execPath, command('--from', '2026-10-26', '--to', '2026-10-28'), {
    env,
    stdio: 'ignore',
  });
  await eventually(async () => {
    const { rows } = await database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    return rows.length;
  }).toBeGreaterThan(0);
  await until(
    async () => (await bar.rows('Runs')).some((row) => /is at work on it/.test(row)),
    () => bar.press('Runs', 'Ask the Ledger Again'),
  );
  await window.picture('home-live-run');
  killed.kill('SIGKILL');
  await other.query('ROLLBACK');
  await other.end();
  // Its lease has to run out: until then it may still be at work.
  await until(
    async () => (await bar.rows('Runs')).some((row) => /cut off .*2026-10-28/.test(row)),
    () => bar.press('Runs', 'Ask the Ledger Again'),
  );
  await eventually(() => bar.rows('Needs Attention')).toContainEqual(expect.stringMatching(/^Cut off\s*1/));
  await window.picture('home-cut-off');
  await bar.action('Runs', /2026-10-26 to 2026-10-28/, 'Resume Run…', assistant.button('Stop'));
  await eventually(() => assistant.text()).toMatch(/Done at/);
  expect(await wrongDays(async (sql) => (await database.query(sql)).rows, '2026-10-26', '2026-10-28')).toEqual([]);
});

test('no password is in any file of the profile or the workspace, on the page, or in the ledger', async () => {
  const tables = await database.query(
    "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = 'backfill_ledger'",
  );
  expect(tables.rows.length).toBeGreaterThan(3);
  const kept: string[] = [await window.assistant.text()];
  for (const { name } of tables.rows) {
    const { rows } = await database.query(`SELECT string_agg(t::text, '') AS all FROM ${name} AS t`);
    kept.push(String(rows[0]?.all));
  }
  expect(kept.join('')).toContain('shop_daily.orders_clean');
  for (const secret of [postgres.password, wrongPassword]) expect(kept.join('')).not.toContain(secret);
  expect(await filesWith('office', shop)).toEqual(['backfill.yaml']);
  for (const secret of [postgres.password, wrongPassword]) {
    expect(await filesWith(secret, shop)).toEqual([]);
    expect(await filesWith(secret, kit.server.home)).toEqual([]);
  }
});

test('the page runs nothing but its own script, and reaches nobody', async () => {
  // In a turn of its own: what a debugger evaluates may do what the page may not.
  const tried = await window.assistant.frame
    .locator('html')
    .evaluate<readonly string[]>(`new Promise((resolve) => setTimeout(async () => {
    const said = [];
    try { (0, eval)('1'); said.push('eval ran'); } catch { said.push('eval refused'); }
    const script = document.createElement('script');
    script.textContent = 'globalThis.foreign = true';
    document.head.append(script);
    said.push(globalThis.foreign === true ? 'script ran' : 'script refused');
    const style = document.createElement('div');
    style.setAttribute('style', 'color: red');
    said.push(style.style.color === 'red' ? 'style taken' : 'style refused');
    said.push(await fetch('http://127.0.0.1:${kit.server.port}/healthz').then(() => 'fetch answered', () => 'fetch refused'));
    resolve(said);
  }))`);
  expect(tried).toEqual(['eval refused', 'script refused', 'style refused', 'fetch refused']);
});

async function filesWith(text: string, folder: string): Promise<readonly string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    if ((await readFile(path)).includes(text)) found.push(path.slice(folder.length + 1));
  }
  return found;
}
