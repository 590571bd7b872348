import { execFile } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { freePort } from './support/free-port.ts';
import { eventually, until } from './support/patience.ts';
import { documentPicture, picturesOfFailures } from './support/pictures.ts';
import { sideBar } from './support/side-bar.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

describe('the side bar', () => {
  let kit: TestKit;
  let window: EditorWindow;

  beforeAll(async () => {
    kit = await startKit('current');
    window = await kit.window({ width: 1280, height: 900 });
  });
  afterAll(() => kit?.stop());
  picturesOfFailures(() => window);

  test('says what to do where no folder is open, and where one has no pipeline', async () => {
    const bar = sideBar(window);
    await window.open(undefined);
    await bar.show();
    await eventually(() => bar.text()).toContain('Open a folder with Airflow DAGs or SQL files');
    await bar.button('Open Folder').waitFor();
    await window.picture('home-no-folder');

    const folder = await kit.emptyFolder();
    await writeFile(`${folder}/tool.py`, 'print("hello")\n');
    await window.open(folder);
    await bar.show();
    await eventually(() => bar.text()).toContain('No pipeline was found in this folder');
    await eventually(() => bar.text()).toContain('No warehouse is connected.');
    await window.picture('home-no-pipelines');
  });

  test('lists pipelines with the state of their slices, runs of every window, and what needs somebody', async () => {
    const bar = sideBar(window);
    const { assistant } = window;
    const shop = await kit.shop();
    await window.open(shop);
    await bar.show();
    await eventually(() => bar.rows('Pipelines')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^shop_daily\s+4 tasks/)]),
    );
    await eventually(() => bar.text()).toContain('No run was made on this database yet.');
    await eventually(() => bar.text()).toContain('Nothing is held, failed, cut off or stale.');
    await bar.open('Pipelines', 'shop_daily', 'orders_clean');
    await bar.open('Pipelines', 'orders_clean', 'never run from here');
    await window.picture('home-first');

    // A slice leads to the plan of its interval alone.
    await bar.click('Pipelines', /^\d{4}-\d\d-\d\d\s+never/, window.tab('Backfill: shop_daily.orders_clean'));
    await eventually(() => assistant.text()).toMatch(/1 interval, picked one by one/);
    // Vouchers were forgotten on the weekend: there rows change.
    await assistant.setRange('2026-10-10', '2026-10-12');
    await eventually(() => assistant.text()).toContain('2 intervals, 2026-10-10 to 2026-10-11');
    await assistant.choose('Run without preview…', /\d+ of \d+ slices changed[\s\S]*Done at/);
    await eventually(() => bar.rows('Runs')).toEqual([
      expect.stringMatching(/^orders_clean\s+\d+ changed .*with downstream/),
    ]);

    await bar.action('Runs', /with downstream/, 'Undo Run…', assistant.button(/^Put back/));
    await assistant.press(/^Put back/, /slices? put back[\s\S]*Done at/);
    await eventually(() => bar.rows('Needs Attention')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^Stale\s+\d+/)]),
    );
    await bar.open('Needs Attention', 'shop_daily.orders_clean', 'was undone');
    await window.picture('home');
    await documentPicture(window, 'home');

    // Two of them at once are one plan of exactly these two.
    await bar.select('Needs Attention', ['2026-10-10', '2026-10-11']);
    await bar.action('Needs Attention', /^2026-10-11/, 'Plan Rerun', window.tab('Backfill: shop_daily.orders_clean'));
    await eventually(() => assistant.text()).toContain(
      '2 intervals, picked one by one: the first is 2026-10-10, the last 2026-10-11',
    );
    await window.picture('home-two-picked');
  });

  test('filters, and shows only what is not current', async () => {
    const bar = sideBar(window);
    await bar.press('Pipelines', 'Show Only Stale, Held and Failed');
    await eventually(() => bar.rows('Pipelines')).not.toContainEqual(expect.stringMatching(/never run/));
    await eventually(() => bar.rows('Pipelines')).toContainEqual(expect.stringMatching(/orders_clean\s+\d+ stale/));
    await bar.press('Pipelines', 'Show All Slices');
    await until(
      () => window.question('Filter pipelines').isVisible(),
      () => bar.press('Pipelines', 'Filter Pipelines…'),
    );
    await window.answer('Filter pipelines', 'monthly');
    await eventually(() => bar.rows('Pipelines')).toEqual([
      expect.stringMatching(/^shop_monthly/),
      expect.stringMatching(/^revenue_monthly/),
    ]);
    await eventually(() => bar.text()).toContain('Filter: monthly');
    await window.picture('home-filtered');
    await bar.press('Pipelines', 'Clear Filter');
  });

  test('lists the ledger of each connection, and leads from a line to its own database', async () => {
    const bar = sideBar(window);
    const { assistant } = window;
    const shop = await kit.shop();
    await cp(`${shop}/.backfill/warehouse`, `${shop}/.backfill/other`, { recursive: true });
    await writeFile(
      `${shop}/backfill.yaml`,
      `version: 1
defaultConnection: sandbox
connections:
  sandbox: { engine: pglite, directory: .backfill/warehouse }
  office: { engine: postgres, host: 127.0.0.1, port: ${await freePort()}, database: shop, user: me }
  other: { engine: pglite, directory: .backfill/other }
airflow: { version: 2 }
`,
    );
    const run = ['run', 'shop_daily.orders_clean', '--from', '2026-10-10', '--to', '2026-10-11', '--downstream'];
    const where = ['--workspace', shop, '--connection', 'other', '--yes'];
    await promisify(execFile)(process.execPath, [cli, ...run, ...where]);
    await window.open(shop);
    await bar.show();
    await eventually(() => bar.rows('Runs')).toEqual([
      expect.stringMatching(/^sandbox\s+no run yet/),
      expect.stringMatching(/^office\s+.*ECONNREFUSED/),
      expect.stringMatching(/^other\s+1 run/),
      expect.stringMatching(/^orders_clean\s+\d+ changed/),
    ]);
    // The tables of the other database hold the days too: what it knows is told with its name.
    await bar.open('Pipelines', 'shop_daily', 'orders_clean');
    await window.picture('home-connections');
    await bar.action('Runs', /^orders_clean/, 'Undo Run…', assistant.button(/^Put back/));
    await eventually(() => assistant.text()).toMatch(/other\s+embedded database/);
    await assistant.press(/^Put back/, /slices? put back[\s\S]*Done at/);
    await eventually(() => bar.rows('Needs Attention')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^other\s+\d+ stale/)]),
    );
    await bar.open('Needs Attention', 'shop_daily.orders_clean', 'was undone');
    await bar.action('Needs Attention', /^2026-10-10/, 'Plan Rerun', window.tab('Backfill: shop_daily.orders_clean'));
    await eventually(() => assistant.text()).toContain('1 interval, picked one by one: 2026-10-10');
    expect(await assistant.text()).toMatch(/other\s+embedded database/);
    await window.picture('home-connections-plan');
  });
});
