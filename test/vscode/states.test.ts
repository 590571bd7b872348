import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dagText } from '../../bench/generated-workspace.ts';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, until } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { sideBar } from './support/side-bar.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

const day = 86_400_000;
const dateIn = (days: number): string => new Date(Date.now() + days * day).toISOString().slice(0, 10);
const lens = 'shop_daily.orders_clean: choose intervals and what runs behind them';

let kit: TestKit;
let window: EditorWindow;

beforeAll(async () => {
  kit = await startKit('current');
  window = await kit.window();
});
afterAll(() => kit?.stop());
picturesOfFailures(() => window);

describe('what people type', () => {
  beforeAll(async () => {
    const shop = await kit.shop();
    const config = `${shop}/backfill.yaml`;
    const text = await readFile(config, 'utf8');
    await writeFile(config, text.replace('engine: pglite', 'engine: pglite\n    protected: true'));
    await window.open(shop, `${shop}/dags/shop_daily.py`);
    await window.useLens(lens, window.tab('Backfill: shop_daily.orders_clean'));
    await window.assistant.button('Preview').waitFor();
  });

  test('a date that is none is said, with how it is written, and nothing can be started', async () => {
    const { assistant } = window;
    await assistant.setRange('2026-02-30', '2026-03-02');
    await eventually(() => assistant.text()).toContain('“2026-02-30” is not a date or time; write it like 2026-11-01');
    await eventually(() => assistant.text()).toContain('No slice lies in this range');
    expect(await assistant.button('Preview').isDisabled()).toBe(true);
    await window.picture('mistyped-date');
    expect(await assistant.faults()).toEqual([]);
    await assistant.setRange(dateIn(-4), dateIn(-2));
    await eventually(() => assistant.text()).toContain(`2 intervals, ${dateIn(-4)} to ${dateIn(-3)}`);
  });

  test('an end in the future is cut at what has ended, and the page says so', async () => {
    const { assistant } = window;
    await assistant.setRange(dateIn(-4), dateIn(30));
    await eventually(() => assistant.text()).toMatch(
      /\d intervals, .* and later are left out: they have not ended yet\./,
    );
    expect(await assistant.button('Preview').isDisabled()).toBe(false);
    await window.picture('future-end');
    await assistant.setRange(dateIn(10), dateIn(30));
    await eventually(() => assistant.text()).toMatch(/No slice lies in this range[\s\S]*is not finished/);
    expect(await assistant.button('Preview').isDisabled()).toBe(true);
  });

  test('a protected target asks for its name, and another name starts nothing', async () => {
    const { assistant, page } = window;
    await assistant.setRange('2026-10-10', '2026-10-11');
    await eventually(() => assistant.text()).toContain('1 interval, 2026-10-10');
    const asks = window.question('sandbox is protected');
    await assistant.choose('Run without preview…', asks);
    await eventually(() => asks.allInnerTexts().then((texts) => texts.join())).toContain('Type sandbox to start it.');
    await window.picture('protected');
    await page.keyboard.type('shop');
    await eventually(() => asks.allInnerTexts().then((texts) => texts.join())).toContain('That is not sandbox.');
    await page.keyboard.press('Escape');
    await asks.waitFor({ state: 'hidden' });
    expect(await assistant.text()).toContain('will be compared and replaced on sandbox');
    expect(await assistant.cellsIn('changed').count()).toBe(0);
    await assistant.choose('Run without preview…', asks);
    await window.answer('sandbox is protected', 'sandbox');
    await eventually(() => assistant.text()).toMatch(/slices changed[\s\S]*Done at/);
  });
});

describe('how a run ends', () => {
  test('nothing changed, out of date and failed are said, each with what can be done', async () => {
    const { assistant } = window;
    const shop = await kit.shop();
    await window.open(shop, `${shop}/dags/shop_daily.py`);
    await window.useLens(lens, window.tab('Backfill: shop_daily.orders_clean'));
    await assistant.button('Preview').waitFor();
    await assistant.setRange('2026-10-05', '2026-10-06');
    await eventually(() => assistant.text()).toContain('1 interval, 2026-10-05');
    await assistant.choose('Run without preview…', /All \d+ slices are as they were/);
    await window.picture('nothing-changed');
    expect(await assistant.faults()).toEqual([]);

    await assistant.setRange('2026-10-06', '2026-10-07');
    await eventually(() => assistant.text()).toContain('1 interval, 2026-10-06');
    await assistant.press('Preview', assistant.button(/^Run \d+ slices/));
    const file = `${shop}/dags/sql/orders_clean.sql`;
    const sql = await readFile(file, 'utf8');
    await writeFile(file, sql.replace('coalesce(o.voucher, 0)', 'coalesce(o.voucher, 0) / 0'));
    await eventually(() => assistant.text()).toMatch(/orders_clean changed since the preview/);
    await window.picture('out-of-date');
    expect(await assistant.faults()).toEqual([]);

    await assistant.choose('Run without preview…', /1 slice failed · \d+ wait behind/);
    await eventually(() => assistant.text()).toMatch(/division by zero/);
    await window.picture('failed');
    expect(await assistant.faults()).toEqual([]);
    await assistant.button('Resume').waitFor();
  });
});

describe('large workspaces', () => {
  test('of 1,500 DAGs the open one has its lenses, all are listed, and one is found', async () => {
    const folder = await kit.emptyFolder();
    await mkdir(`${folder}/dags`);
    await writeFile(`${folder}/requirements.txt`, 'apache-airflow==2.10.4\n');
    for (let n = 0; n < 1500; n++) await writeFile(`${folder}/dags/dag_${n}.py`, dagText(n, 1));
    await window.open(folder, `${folder}/dags/dag_4.py`);
    await eventually(() => window.lenses()).toContainEqual(expect.stringMatching(/^Rerun this interval \(\d{4}-/));
    const bar = sideBar(window);
    await bar.show();
    await eventually(() => bar.rows('Pipelines')).toContainEqual(expect.stringMatching(/^dag_0\s+3 tasks/));
    await until(
      () => window.question('Filter pipelines').isVisible(),
      () => bar.press('Pipelines', 'Filter Pipelines…'),
    );
    await window.answer('Filter pipelines', 'dag_1499');
    await eventually(() => bar.rows('Pipelines')).toContainEqual(expect.stringMatching(/^dag_1499\s+3 tasks/));
    await window.picture('many-dags');
    await bar.press('Pipelines', 'Clear Filter');
  });

  test('a file of 20,000 lines has its lenses, and typing in it is followed', async () => {
    const folder = await kit.emptyFolder();
    await mkdir(`${folder}/dags`);
    await writeFile(`${folder}/requirements.txt`, 'apache-airflow==2.10.4\n');
    await writeFile(`${folder}/dags/long.py`, dagText(0, 1330));
    await window.open(folder, `${folder}/dags/long.py`);
    await eventually(() => window.lenses()).toContainEqual(expect.stringMatching(/^Rerun this interval \(\d{4}-/));
    // Without the table being emptied, its rows are added again: said some lines below, at the INSERT.
    const line = (await readFile(`${folder}/dags/long.py`, 'utf8'))
      .split('\n')
      .findIndex((text) => text.endsWith('.step_0_9'));
    await window.goToLine(line + 1, 1);
    await window.page.keyboard.press('End');
    await window.page.keyboard.type('x');
    await eventually(() => window.page.locator('.squiggly-error').count()).toBeGreaterThan(0);
    await window.page.keyboard.press('Backspace');
    await eventually(() => window.page.locator('.squiggly-error').count()).toBe(0);
    await window.picture('long-file');
  });
});
