import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EditorWindow, eventually } from './support/editor-window.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { wrongDays } from './support/shop-database.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

let kit: TestKit;
let window: EditorWindow;

beforeAll(async () => {
  kit = await startKit('current');
});
afterAll(() => kit?.stop());
picturesOfFailures(() => window);

test('a window that is reloaded in the middle of a run finds it again, and resumes it to the same rows', async () => {
  window = await kit.window();
  const { assistant } = window;
  const shop = await kit.shop();
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  await window.lens('shop_daily.orders_clean: choose intervals and what runs behind them').click();
  await assistant.button('Show Plan').waitFor();
  await assistant.setRange('2026-10-05', '2026-11-02');
  await eventually(() => assistant.text()).toContain('28 intervals: 2026-10-05 to 2026-11-01');
  await assistant.button('Show Plan').click();
  await assistant.button(/^Run \d+ units$/).click();
  const done = async (): Promise<number> =>
    (await assistant.cellsIn('changed').count()) + (await assistant.cellsIn('unchanged').count());
  await eventually(done).toBeGreaterThan(3);

  // A browser that is torn away may lose the editor's layout, so the lens asks for the page; the run is found by itself.
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  await window.lens('shop_daily.orders_clean: choose intervals and what runs behind them').click();
  await window.page.locator('.tab.active', { hasText: 'Backfill: shop_daily.orders_clean' }).waitFor();
  await eventually(() => assistant.text()).toMatch(
    /was interrupted with \d+ units left\. Resume goes on where it stopped\./,
  );
  expect(await done()).toBeGreaterThan(3);
  await window.picture('interrupted');
  await assistant.button('Resume').click();
  await assistant.button('Cancel').waitFor();
  await eventually(() => assistant.text()).toMatch(/Done: \d+ changed, \d+ unchanged\./);
  expect(await assistant.cellsIn('waiting').count()).toBe(0);

  const database = await PGlite.create(`${shop}/.backfill/warehouse`);
  try {
    expect(
      await wrongDays(
        async (sql) => (await database.query<Record<string, unknown>>(sql)).rows,
        '2026-10-05',
        '2026-11-02',
      ),
    ).toEqual([]);
  } finally {
    await database.close();
  }
});
