import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, momentMs, until } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import type { Locator } from './support/playwright.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

const dag = `import pendulum
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("report", schedule="@daily", start_date=pendulum.datetime(2026, 1, 1, tz="UTC"), catchup=False):
    load = SQLExecuteQueryOperator(
        task_id="load",
        conn_id="warehouse",
        sql="""
            DELETE FROM mart.report WHERE day = '{{ ds }}';
            INSERT INTO mart.report
            SELECT day, total FROM mart.sums WHERE day > '{{ var.value.since }}' AND day <= '{{ ds }}';
        """,
    )
    clean = SQLExecuteQueryOperator(task_id="clean", conn_id="warehouse", sql="sql/missing.sql")
    load >> clean
`;

describe.each(['current', 'oldest'] as const)('what is not known, in the %s VS Code', (version) => {
  let kit: TestKit;
  let window: EditorWindow;
  let folder: string;

  beforeAll(async () => {
    kit = await startKit(version);
    window = await kit.window();
    folder = await kit.emptyFolder();
    await mkdir(`${folder}/dags`);
    await writeFile(`${folder}/dags/report.py`, dag);
    await writeFile(`${folder}/backfill.yaml`, '# Ours.\nversion: 1\n');
  });
  afterAll(() => kit?.stop());
  picturesOfFailures(() => window);

  const marks = (): Promise<number> => window.page.locator('.squiggly-hint').count();
  const name = (): Locator =>
    window.page.locator('.view-line', { hasText: 'task_id="load"' }).getByText('"load"', { exact: true });

  const show = (file: string): Promise<void> =>
    until(
      () => window.tab(file).isVisible(),
      async () => {
        // A hover that is still open lies over the tabs.
        await window.page.mouse.move(0, 0);
        await window.page.locator('.tab', { hasText: file }).click({ timeout: momentMs });
      },
    );

  test('is marked without being a problem; what cannot be read is one', async () => {
    await window.open(folder, `${folder}/dags/report.py`);
    // A window of one task; what is not known of the other waits for its SQL, whose absence is the problem there.
    await eventually(marks).toBe(1);
    await window.command('Problems: Focus on Problems View');
    const rows = window.page.locator('.markers-panel .monaco-list-row');
    await eventually(async () => (await rows.allInnerTexts()).join('\n')).toContain('missing.sql');
    expect((await rows.allInnerTexts()).join('\n')).not.toContain('mart.sums');
    const said = await window.hover(name(), 'Declare in backfill.yaml');
    expect(said).toMatch(/Reads mart\.sums — unknown: .*var/);
    await window.picture(`${version}-unknown`);
  });

  test('is declared with one click, and is gone once that is saved', async () => {
    const opened = window.tab('backfill.yaml');
    if (version === 'current') {
      await until(
        () => opened.isVisible(),
        async () => {
          await window.hover(name(), 'Declare in backfill.yaml');
          await window.page
            .locator('.monaco-hover a', { hasText: 'Declare in backfill.yaml' })
            .click({ timeout: momentMs });
        },
      );
    } else {
      await window.codeAction(7, 20, 'Declare what report.load reads and writes', () => opened.isVisible());
    }
    await eventually(() => window.lines()).toEqual(
      expect.arrayContaining(['# Ours.', 'report.load:', '- table: mart.sums', 'from: start', 'to: end']),
    );
    // The first value to look at is selected.
    await window.statusBar(/\(5 selected\)/).waitFor();
    await window.picture(`${version}-declared`);
    const saved = async (): Promise<boolean> =>
      (await readFile(`${folder}/backfill.yaml`, 'utf8')).includes('report.load');
    expect(await saved()).toBe(false);
    await until(saved, () => window.page.keyboard.press('Control+s'));
    await window.page.locator('.tab.active.dirty').waitFor({ state: 'hidden' });
    await show('report.py');
    await eventually(marks).toBe(0);
    const said = await window.hover(name(), 'report.load');
    expect(said).toMatch(/Reads mart\.sums — .*\[start, end\).* — declared in backfill\.yaml/);
    expect(said).not.toContain('Declare in backfill.yaml');
  });

  test('a slip in backfill.yaml is a problem of that file', async () => {
    await writeFile(`${folder}/backfill.yaml`, '# Ours.\nversion: 1\nrules:\n  plain-inserts: warning\n');
    await show('backfill.yaml');
    await eventually(() => window.lines()).toContain('plain-inserts: warning');
    await window.command('Problems: Focus on Problems View');
    const rows = window.page.locator('.markers-panel .monaco-list-row');
    await eventually(async () => (await rows.allInnerTexts()).join('\n')).toMatch(
      /there is no rule plain-inserts[\s\S]*\[Ln 4, Col 3\]/,
    );
  });
});
