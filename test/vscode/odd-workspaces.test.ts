import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { sideBar } from './support/side-bar.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

describe('where there is nothing to run', () => {
  let kit: TestKit;
  let window: EditorWindow;

  beforeAll(async () => {
    kit = await startKit('current');
    window = await kit.window();
  });
  afterAll(() => kit?.stop());
  picturesOfFailures(() => window);

  test('a window without a folder says what to open', async () => {
    await window.open(undefined);
    await window.commandSays('Backfill: Backfill Intervals…', 'Open a folder with DAGs or SQL files first.');
    await window.commandSays('Backfill: Check All Pipelines', 'Open a folder with pipelines to check them.');
    await window.commandSays(
      'Backfill: Connect Warehouse…',
      'Open a folder first: connections live in its backfill.yaml.',
    );
    await window.picture('no-folder');
  });

  test('a folder without pipelines, and files that are none', async () => {
    const folder = await kit.emptyFolder();
    await writeFile(`${folder}/notes.txt`, 'DELETE FROM t;\n');
    await writeFile(`${folder}/tool.py`, 'print("hello")\n');
    await window.open(folder, `${folder}/tool.py`);
    await window.commandSays('Backfill: Backfill Intervals…', 'No task was found in this workspace.');
    await window.commandSays('Backfill: Check All Pipelines', 'No pipeline was found in this workspace');
    await window.commandSays(
      'Backfill: Select Interval…',
      'Open a DAG or one of its SQL files to select an interval of it.',
    );
    await window.open(folder, `${folder}/notes.txt`);
    await window.commandSays('Backfill: Backfill Intervals…', 'No task was found in this workspace.');
    expect(await window.lenses()).toEqual([]);
    expect(await window.page.locator('.squiggly-error').count()).toBe(0);
  });
});

describe('an untrusted workspace', () => {
  let kit: TestKit;
  let window: EditorWindow;

  beforeAll(async () => {
    kit = await startKit('current', { asksForTrust: true });
    window = await kit.window();
  });
  afterAll(() => kit?.stop());
  picturesOfFailures(() => window);

  test('is read and checked, and nothing is run', async () => {
    const shop = await kit.shop();
    await window.open(shop, `${shop}/dags/shop_daily.py`);
    await window.statusBar('Restricted Mode').waitFor();
    await eventually(() => window.lenses()).toContainEqual(expect.stringContaining('+4 downstream)'));
    expect(await window.offers('Backfill: Check All Pipelines')).toBe(true);
    expect(await window.offers('Backfill: Rerun This Interval')).toBe(false);
    expect(await window.offers('Backfill: Connect Warehouse…')).toBe(false);
    await window.useLens(
      'shop_daily.orders_clean: choose intervals and what runs behind them',
      window.notification('This workspace is not trusted: it is read and checked, nothing is run.'),
    );
    const bar = sideBar(window);
    await bar.show();
    await eventually(() => bar.rows('Pipelines')).toContainEqual(expect.stringMatching(/^shop_daily\s/));
    await eventually(() => bar.text()).toContain('nothing is asked and nothing is run');
    await bar.button('Manage Workspace Trust').waitFor();
    await window.picture('untrusted');
  });
});
