import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, momentMs, until } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { wrongDays } from './support/shop-database.ts';
import { sideBar } from './support/side-bar.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

let kit: TestKit;
let window: EditorWindow;

beforeAll(async () => {
  // A window that is gone has lost its runs after as long as this, in seconds; of itself a server waits for hours.
  kit = await startKit('current', { extraArguments: ['--reconnection-grace-time', '5'] });
});
afterAll(() => kit?.stop());
picturesOfFailures(() => window);

test('a window that is reloaded in the middle of a run finds it again, and resumes it to the same rows', async () => {
  window = await kit.window();
  const { assistant } = window;
  const lens = 'shop_daily.orders_clean: choose intervals and what runs behind them';
  const tab = () => window.tab('Backfill: shop_daily.orders_clean');
  const shop = await kit.shop();
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  await window.useLens(lens, tab());
  await assistant.button('Preview').waitFor();
  await assistant.setRange('2026-10-05', '2026-11-02');
  await eventually(() => assistant.text()).toContain('28 intervals, 2026-10-05 to 2026-11-01');
  await assistant.choose('Run without preview…', assistant.button('Stop'));
  const done = async (): Promise<number> =>
    (await assistant.cellsIn('changed').count()) + (await assistant.cellsIn('unchanged').count());
  await eventually(done).toBeGreaterThan(3);

  // A browser that is torn away may lose the editor's layout, so the lens asks for the page; the run is found by itself.
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  await window.told('A run of shop_daily.orders_clean had not ended');
  await window.useLens(lens, tab());
  await eventually(() => assistant.text()).toMatch(
    /Cut off · \d+ changed · \d+ not run[\s\S]*Resume runs only what is left\./,
  );
  expect(await done()).toBeGreaterThan(3);
  await window.picture('interrupted');
  expect(await assistant.faults()).toEqual([]);
  await assistant.press('Resume', assistant.button('Stop'));
  await eventually(() => assistant.text()).toMatch(/\d+ of \d+ slices changed · 0 held[\s\S]*Done at/);
  expect(await assistant.cellsIn('waiting').count()).toBe(0);

  await expectWhole(shop);
});

test('a window that is closed in the middle of a run leaves it to the next one, which offers it', async () => {
  const shop = await kit.shop();
  const tab = 'Backfill: shop_daily.orders_clean';
  window = await kit.windowAgain();
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  await window.useLens('shop_daily.orders_clean: choose intervals and what runs behind them', window.tab(tab));
  await window.assistant.button('Preview').waitFor();
  await window.assistant.setRange('2026-10-05', '2026-11-02');
  await eventually(() => window.assistant.text()).toContain('28 intervals, 2026-10-05 to 2026-11-01');
  await window.assistant.choose('Run without preview…', window.assistant.button('Stop'));
  await eventually(() => window.assistant.cellsIn('changed').count()).toBeGreaterThan(1);
  await window.close();

  window = await kit.windowAgain();
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  const notice = 'A run of shop_daily.orders_clean had not ended when its window was closed.';
  await window.told(notice);
  const bar = sideBar(window);
  await bar.show();
  await until(
    async () => (await bar.rows('Runs')).some((row) => /^orders_clean\s+cut off · \d+ changed/.test(row)),
    () => bar.press('Runs', 'Ask the Ledger Again'),
  );
  await eventually(() => bar.rows('Needs Attention')).toContainEqual(expect.stringMatching(/^Cut off\s*1/));
  await window.picture('closed-in-a-run');
  const show = window.page
    .locator('.notification-list-item', { hasText: notice })
    .locator('.monaco-button', { hasText: 'Show' });
  await until(
    () => window.tab(tab).isVisible(),
    async () => {
      if (!(await show.first().isVisible())) await window.command('Notifications: Show Notifications');
      await show.first().click({ timeout: momentMs });
    },
  );
  await eventually(() => window.assistant.text()).toMatch(/Cut off · \d+ changed · \d+ not run/);
  await window.assistant.press('Resume', window.assistant.button('Stop'));
  await eventually(() => window.assistant.text()).toMatch(/slices changed · 0 held[\s\S]*Done at/);
  expect(await window.assistant.cellsIn('waiting').count()).toBe(0);
  await window.close();
  await expectWhole(shop);
});

/** Every day of the runs has the rows that its sources give, once. */
async function expectWhole(shop: string): Promise<void> {
  const database = await PGlite.create(`${shop}/.backfill/warehouse`);
  const query = async (sql: string) => (await database.query<Record<string, unknown>>(sql)).rows;
  try {
    expect(await wrongDays(query, '2026-10-05', '2026-11-02')).toEqual([]);
  } finally {
    await database.close();
  }
}
