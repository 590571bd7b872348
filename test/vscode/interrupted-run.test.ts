import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually } from './support/patience.ts';
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
  await window.told('A run of shop_daily.orders_clean was cut off');
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
