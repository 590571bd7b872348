import { readdir, readFile, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, momentMs, until } from './support/patience.ts';
import { documentPicture, picturesOfFailures } from './support/pictures.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

const tab = 'Backfill: shop_daily.orders_clean';

/** Something else writes to the embedded database while no run has it. */
async function onDatabase(shop: string, statement: string): Promise<void> {
  const database = await PGlite.create(`${shop}/.backfill/warehouse`);
  try {
    await database.query(statement);
  } finally {
    await database.close();
  }
}

describe.each(['current', 'oldest'] as const)('a rerun on the embedded database in the %s VS Code', (version) => {
  let kit: TestKit;
  let window: EditorWindow;
  let shop: string;

  beforeAll(async () => {
    kit = await startKit(version);
    window = await kit.window({ width: 1280, height: 1000 });
    shop = await kit.shop();
  });
  afterAll(() => kit?.stop());
  picturesOfFailures(() => window);

  const showTab = (name: string): Promise<void> =>
    until(
      () => window.tab(name).isVisible(),
      () => window.page.locator('.tab', { hasText: name }).click({ timeout: momentMs }),
    );

  test('the lens makes the plan of its interval', async () => {
    await window.open(shop, `${shop}/dags/shop_daily.py`);
    await window.statusBar(/\d{4}-\d\d-\d\d/).waitFor();
    await window.selectInterval('2026-10-07');
    await eventually(() => window.lenses()).toContain('Rerun this interval (2026-10-07, +4 downstream)');
    await window.useLens(
      'shop_daily.orders_clean: plan this interval again with what is downstream; one press on its page goes on',
      window.tab(tab),
    );
    await window.assistant.button('Preview').waitFor();
    for (const said of [
      '11 slices of 5 tasks will be compared and replaced on sandbox',
      'embedded database',
      '1 interval, 2026-10-07; 2026-10-08 is not included.',
      'it runs for 2026-10-07 to 2026-10-13, because it reads 2026-10-07 to 2026-10-13 (for 2026-10-13) of mart.revenue_daily',
    ]) {
      await eventually(() => window.assistant.text()).toContain(said);
    }
  });

  test('a week with everything downstream: reasons, SQL, and a preview that writes nothing', async () => {
    const { assistant } = window;
    await assistant.setRange('2026-10-05', '2026-10-04');
    await eventually(() => assistant.text()).toContain('The end is not after the start.');
    expect(await assistant.text()).toContain('No slice lies in this range');
    await assistant.setRange('2026-10-05', '2026-10-12');
    await eventually(() => assistant.text()).toContain('7 intervals, 2026-10-05 to 2026-10-11');
    await eventually(() => assistant.text()).toContain('35 slices of 5 tasks will be compared');
    await eventually(() => assistant.text()).toMatch(/has rows/);
    await window.picture(`${version}-choose`);
    expect(await window.assistant.faults()).toEqual([]);
    await assistant.selectCell(
      'shop_daily.revenue_rolling7, 2026-10-13',
      'runs because it reads mart.revenue_daily, which shop_daily.revenue_daily rewrites',
    );
    await eventually(() => assistant.text()).toContain("DELETE FROM mart.revenue_rolling7 WHERE day = '2026-10-13'");
    await window.picture(`${version}-plan`);
    expect(await window.assistant.faults()).toEqual([]);

    await assistant.press('Preview', assistant.button('Run 35 slices'));
    expect(await assistant.text()).toContain('12 of 35 slices would change · 0 would be held · nothing is written yet');
    expect(await assistant.cellsIn('unchanged').count()).toBe(23);
    await window.picture(`${version}-preview`);
    expect(await window.assistant.faults()).toEqual([]);
  });

  test('the run is seen live, and the changed unit shows its rows and checksums', async () => {
    const { assistant } = window;
    await assistant.press('Run 35 slices', /Running: \d+ of 35|12 of 35 slices changed/);
    await eventually(() => assistant.cellsIn('unchanged').count()).toBeGreaterThan(0);
    await eventually(() => assistant.text()).toContain('12 of 35 slices changed · 0 held');
    await assistant.selectCell('shop_daily.orders_clean, 2026-10-10: changed', /rows\s+1,111\s+1,111\s+equal/);
    const text = await assistant.text();
    expect(text).toMatch(/keys\s+…[0-9a-f]{8}\s+…[0-9a-f]{8}\s+equal/);
    expect(text).toMatch(/contents\s+…[0-9a-f]{8}\s+…[0-9a-f]{8}\s+differs/);
    expect(text).toContain('~123 changed');
    expect(text).toContain('988 equal');
    expect(text).toMatch(/loaded_at\s+not compared/);
    // A voucher of 2.50 comes off the price.
    expect(text).toMatch(/34452\s+−\s+20\.24\s[\s\S]*?\+\s+17\.74/);
    // As many rows as before, so the chart shows what moved; the slices that did not are asked for.
    const measure = `document.querySelector('vscode-dropdown.measure')?.value`;
    await eventually(() => assistant.frame.locator('body').evaluate(measure)).toBe('sum of net_amount');
    await eventually(() => assistant.text()).toMatch(/before\s+[\d,.]+\s+after\s+[\d,.]+\s+−\S+ %/);
    await eventually(() => assistant.frame.locator('.chart .col.same .is').count()).toBeGreaterThan(0);
    await window.picture(`${version}-run`);
    expect(await window.assistant.faults()).toEqual([]);
    if (version !== 'current') return;
    // With room beside it the slice stands at the side.
    const sideBar = 'View: Toggle Primary Side Bar Visibility';
    await window.command(sideBar);
    const isBeside = async (): Promise<boolean> =>
      ((await assistant.frame.locator('aside').boundingBox())?.x ?? 0) >
      ((await assistant.frame.locator('main').boundingBox())?.x ?? 0);
    await eventually(isBeside).toBe(true);
    await documentPicture(window, 'assistant');
    await window.command(sideBar);
  });

  test('the versions open as a diff, and the page comes back as it was', async () => {
    const { assistant, page } = window;
    await assistant.press('Open as diff', window.tab('before ↔ after'));
    await page.locator('.diffOverview, .monaco-diff-editor').first().waitFor();
    await eventually(async () =>
      (await page.locator('.monaco-diff-editor .view-line').allInnerTexts()).join('\n'),
    ).toMatch(/net_amount:.17\.74/);
    await window.picture(`${version}-diff`);
    await showTab(tab);
    await eventually(() => assistant.text()).toContain('123 changed');
  });

  test('the command is copied and the report exported', async () => {
    const { assistant, page } = window;
    await assistant.choose('Copy as command', window.statusBar('The command is on the clipboard'));
    // A page may read the clipboard only where the focus is.
    await page.locator('.tab.active').click();
    await eventually(() => window.clipboard()).toBe(
      'backfill run shop_daily.orders_clean --from 2026-10-05 --to 2026-10-12 --downstream --connection sandbox --concurrency 1 --compare rows',
    );
    const markdown = page.locator('.quick-input-list .monaco-list-row', { hasText: 'Markdown' }).first();
    await assistant.press('Export report…', markdown);
    await until(
      () => page.locator('.quick-input-action .monaco-button', { hasText: 'OK' }).isVisible(),
      () => markdown.click({ timeout: momentMs }),
    );
    await window.acceptPath(window.tab('.md'));
    const name = (await readdir(shop)).find((file) => /^backfill-.*\.md$/.test(file)) ?? '';
    const report = await readFile(`${shop}/${name}`, 'utf8');
    expect(report).toContain('shop_daily.orders_clean');
    expect(report).toContain('12 changed');
  });

  // The oldest VS Code draws the same page; what follows asks no more of the editor than what it has shown by now.
  if (version === 'oldest') return;

  test('the run is undone, as a plan that is looked at first; its slices are stale then', async () => {
    const { assistant, page } = window;
    await showTab(tab);
    await assistant.choose('Undo run…', assistant.button('Put back 12 slices'));
    await eventually(() => assistant.text()).toMatch(
      /12 slices of 3 tasks will be put back[\s\S]*run \d{8}-\S+ changed it/,
    );
    // The range of the page is not that of the run.
    expect(await assistant.text()).not.toContain('is not included');
    await window.picture('undo');
    expect(await window.assistant.faults()).toEqual([]);
    await assistant.press('Put back 12 slices', /12 slices put back[\s\S]*Done at/);
    await assistant.selectCell('shop_daily.orders_clean, 2026-10-10: put back', /Run \S+ was undone/);

    const stale = page.locator('.quick-input-list .monaco-list-row', { hasText: 'was undone' }).first();
    await until(
      () => stale.isVisible(),
      () => window.command('Backfill: Show Stale Slices'),
    );
    await window.picture('stale');
    await until(
      async () => /slices? of \d tasks? will be compared/.test(await assistant.text()),
      () => stale.click({ timeout: momentMs }),
    );
  });

  test('a slice that comes out empty is held, looked at and approved', async () => {
    const { assistant } = window;
    await onDatabase(shop, `DELETE FROM staging.orders WHERE ordered_at::date = '2026-10-10'`);
    await showTab(tab);
    await assistant.setRange('2026-10-10', '2026-10-11');
    await eventually(() => assistant.text()).toContain('1 interval, 2026-10-10; 2026-10-11 is not included.');
    await assistant.choose('Run without preview…', /1 slice held · \d+ wait behind/);
    expect(await assistant.text()).toContain('The old rows are still there; nothing behind them has run.');
    await assistant.selectCell('shop_daily.orders_clean, 2026-10-10: held', 'would lose all');
    await window.picture('held');
    expect(await window.assistant.faults()).toEqual([]);
    await assistant.press('Approve', assistant.cell('shop_daily.orders_clean, 2026-10-10: changed'));
  });

  test('a proof confirms a finding where it stands', async () => {
    const { assistant, page } = window;
    await showTab('shop_daily.py');
    const dag = `${shop}/dags/shop_daily.py`;
    const before = await readFile(dag, 'utf8');
    await writeFile(dag, before.replace('sum(net_amount)', 'sum(net_amount) + extract(epoch FROM now())::int % 1000'));
    await eventually(() => window.lines()).toContainEqual(expect.stringContaining('extract(epoch FROM now())'));
    await window.useLens(
      'shop_daily.revenue_daily: run this interval twice, compare, and keep nothing',
      window.tab('Backfill: shop_daily.revenue_daily'),
    );
    await eventually(() => assistant.text()).toContain('A second run leaves other rows in 1 slice. Nothing was kept.');
    expect(await assistant.text()).toContain('1 of 1 slice differs when run twice');
    await assistant.selectCell('differs when run twice', /net_amount/);
    await window.picture('proof');
    expect(await window.assistant.faults()).toEqual([]);
    await showTab('shop_daily.py');
    await window.command('Problems: Focus on Problems View');
    await eventually(async () =>
      (await page.locator('.markers-panel .monaco-list-row').allInnerTexts()).join('\n'),
    ).toMatch(/Confirmed for 2026-10-07: a second run left other rows/);
    await window.picture('confirmed');
  });
});
