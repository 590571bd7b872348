import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, until } from './support/patience.ts';
import { documentPicture, picturesOfFailures } from './support/pictures.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

describe.each(['current', 'oldest'] as const)('the editor of the %s VS Code', (version) => {
  let kit: TestKit;
  let window: EditorWindow;

  beforeAll(async () => {
    kit = await startKit(version);
    window = await kit.window();
  });
  afterAll(() => kit?.stop());
  picturesOfFailures(() => window);

  const problems = async (): Promise<readonly string[]> => {
    const rows = await window.page.locator('.markers-panel .monaco-list-row').allInnerTexts();
    return rows.flatMap((row) => {
      const found = /backfill\s*\(?([a-z-]+)\)?\s*\[Ln (\d+), Col (\d+)\]/.exec(row.replaceAll('\n', ' '));
      return found === null ? [] : [`${found[1]} ${found[2]}:${found[3]}`];
    });
  };
  const finds = async (problem: string): Promise<boolean> => (await problems()).includes(problem);

  test('a DAG shows its interval, its slices and what a task does', async () => {
    const shop = await kit.shop();
    await window.open(shop, `${shop}/dags/shop_daily.py`);
    await window.statusBar(/\d{4}-\d\d-\d\d/).waitFor();
    await window.selectInterval('2026-10-07');
    await window.goToLine(33);
    await eventually(() => window.lenses()).toEqual(
      expect.arrayContaining([
        'Rerun this interval (2026-10-07, +4 downstream)',
        'Rerun this interval (2026-10-07, +2 downstream)',
        'Backfill…',
        'Prove',
      ]),
    );
    // Where nothing can be done is no lens: the hover of the name says why.
    expect((await window.lenses()).join()).not.toContain('Not run from here');
    await eventually(() => window.lines()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^DELETE FROM mart\.revenue_daily WHERE day = '\{\{ ds \}\}\W*2026-10-07/),
        expect.stringMatching(/^INSERT INTO mart\.revenue_daily .*→ mart\.revenue_daily · day 2026-10-07$/),
      ]),
    );
    await window.picture(`${version}-editor`);
    if (version === 'current') await documentPicture(window, 'editor');

    const said = await window.hover(
      window.page.locator('.view-line', { hasText: 'task_id="revenue_daily"' }).getByText('"revenue_daily"'),
      'shop_daily.revenue_daily',
    );
    expect(said).toContain('Interval 2026-10-07 (UTC) — UTC 2026-10-07T00:00:00Z to 2026-10-08T00:00:00Z');
    expect(said).toContain('Writes mart.revenue_daily — delete+insert, day 2026-10-07');
    expect(said).toContain('Reads mart.orders_clean');
    expect(said).toContain("DELETE FROM mart.revenue_daily WHERE day = '2026-10-07';");
    await window.picture(`${version}-hover`);

    await window.command('Backfill: Select Previous Interval');
    await window.statusBar('2026-10-06').waitFor();
    await eventually(() => window.lenses()).toContain('Rerun this interval (2026-10-06, +4 downstream)');
  });

  test('findings are listed where they stand; the fix and a suppression take them away', async () => {
    const workspace = await kit.copyOf('examples/shop-as-it-was');
    await window.open(workspace, `${workspace}/dags/shop_daily.py`);
    await window.page.locator('.squiggly-error').first().waitFor();
    await window.command('Problems: Focus on Problems View');
    await eventually(problems).toEqual([
      'dynamic-start-date 12:16',
      'plain-insert 24:13',
      'wall-clock 27:25',
      'delete-insert-range-mismatch 35:13',
      'additive-update 49:17',
    ]);
    await window.picture(`${version}-findings`);

    await window.codeAction(
      35,
      15,
      'Delete by the bound of the INSERT',
      async () => !(await finds('delete-insert-range-mismatch 35:13')),
    );
    await window.codeAction(
      24,
      15,
      'Suppress plain-insert on this line',
      async () => !(await finds('plain-insert 24:13')) && (await finds('wall-clock 28:25')),
    );
    await eventually(problems).toEqual(['dynamic-start-date 12:16', 'wall-clock 28:25', 'additive-update 50:17']);
    const saved = async (): Promise<boolean> =>
      /^ +-- backfill-disable-next-line plain-insert.*\n +INSERT INTO mart\.revenue_daily/m.test(
        await readFile(`${workspace}/dags/shop_daily.py`, 'utf8'),
      );
    await until(saved, async () => {
      await window.command('View: Focus Active Editor Group');
      await window.page.keyboard.press('Control+s');
    });
  });
});
