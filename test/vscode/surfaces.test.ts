import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, momentMs, until } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

describe.each(['current', 'oldest'] as const)('tests, walkthrough and lenses of the %s VS Code', (version) => {
  let kit: TestKit;
  let window: EditorWindow;
  let shop: string;

  beforeAll(async () => {
    kit = await startKit(version);
    window = await kit.window({ width: 1280, height: 900 });
    shop = await kit.shop();
  });
  afterAll(() => kit?.stop());
  picturesOfFailures(() => window);

  const rows = () => window.page.locator('.test-explorer .monaco-list-row');
  const row = (text: string) => rows().filter({ hasText: text }).first();
  const icons = async (text: string): Promise<string> =>
    (await row(text).locator('.computed-state').first().getAttribute('class')) ?? '';

  test('a task is a test: running it twice changes nothing, or it shows which rows do', async () => {
    const dag = `${shop}/dags/shop_daily.py`;
    await window.open(shop, dag);
    await window.statusBar(/\d{4}-\d\d-\d\d/).waitFor();
    await window.selectInterval('2026-10-07');
    await until(
      () => row('shop_daily').isVisible(),
      () => window.command('Testing: Focus on Test Explorer View'),
    );
    await until(
      () => row('revenue_daily').isVisible(),
      () => row('shop_daily').click({ timeout: momentMs }),
    );
    const prove = async (name: string, state: RegExp): Promise<void> =>
      until(
        async () => state.test(await icons(name)),
        async () => {
          await row(name).hover({ timeout: momentMs });
          await row(name).locator('.action-label[aria-label^="Run Test"]').first().click({ timeout: momentMs });
        },
      );
    await prove('revenue_daily', /passed/);
    await window.picture(`${version}-test-passed`);

    await window.goToLine(38);
    const before = await readFile(dag, 'utf8');
    await writeFile(dag, before.replace('sum(net_amount)', 'sum(net_amount) + extract(epoch FROM now())::int % 1000'));
    await eventually(() => window.lines()).toContainEqual(expect.stringContaining('extract(epoch FROM now())'));
    await prove('revenue_daily', /failed/);
    await eventually(async () => (await window.page.locator('.monaco-workbench').allInnerTexts()).join('\n')).toContain(
      'leaves other rows in mart.revenue_daily',
    );
    await window.picture(`${version}-test-failed`);
    await writeFile(dag, before);
  });

  test('the walkthrough is opened by its command alone, and its steps are done by doing them', async () => {
    expect(await window.page.locator('.gettingStartedContainer').count()).toBe(0);
    const title = window.page.locator('.gettingStartedContainer', { hasText: 'Make your tasks safe to run twice' });
    await until(
      () => title.first().isVisible(),
      () => window.command('Backfill: Get Started'),
    );
    for (const step of ['Look at your pipelines', 'Connect a database', 'Preview a rerun', 'Run it, and see what'])
      await title.first().getByText(step).first().waitFor();
    await window.picture(`${version}-walkthrough`);
  });

  test('after a run the lens says what it made of the interval', async () => {
    const { assistant } = window;
    await window.open(shop, `${shop}/dags/shop_daily.py`);
    await window.statusBar(/\d{4}-\d\d-\d\d/).waitFor();
    await window.selectInterval('2026-10-10');
    await window.goToLine(30);
    await window.useLens(
      'shop_daily.orders_clean: plan this interval again with what is downstream; one press on its page goes on',
      window.tab('Backfill: shop_daily.orders_clean'),
    );
    await assistant.choose('Run without preview…', /\d+ of \d+ slices changed[\s\S]*Done at/);
    await until(
      () => window.tab('shop_daily.py').isVisible(),
      () => window.page.locator('.tab', { hasText: 'shop_daily.py' }).click({ timeout: momentMs }),
    );
    await eventually(() => window.lenses()).toContainEqual(
      expect.stringMatching(/^~ 123 rows, (just now|\d+ min ago)$/),
    );
    await window.picture(`${version}-lens-outcome`);
  });

  test('the hints go away with one click, and come back with the command', async () => {
    const hinted = expect.stringMatching(/→ mart\.revenue_daily · day/);
    await window.goToLine(33);
    await eventually(() => window.lines()).toContainEqual(hinted);
    await window.command('Backfill: Show or Hide Interval Hints');
    await eventually(() => window.lines()).not.toContainEqual(hinted);
    await window.command('Backfill: Show or Hide Interval Hints');
    await eventually(() => window.lines()).toContainEqual(hinted);
  });
});
