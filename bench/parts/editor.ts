import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assistantPage } from '../../test/vscode/support/assistant-page.ts';
import { probeFolder } from '../built-folder.ts';
import { type EditorSession, missingEditor, openEditor } from '../editor/editor-session.ts';
import { keyToSquiggle, pageDrawn, scrolled } from '../editor/page-measures.ts';
import { type Figure, figureOf } from '../figure.ts';
import { dagText, generatedWorkspace, writeWorkspace } from '../generated-workspace.ts';
import { median } from '../rounds.ts';

const figure = figureOf('editor');

const large = 1500;
const middle = 700;
const dag = 'dags/team_4/dag_4.py';
/** Without this table being emptied, what is written to it is written twice: a finding some lines below. */
const edit = { text: 'DELETE FROM {SCHEMA}.step_4_1', other: 'DELETE FROM {SCHEMA}.step_4_1x', edits: 8 };

/**
 * A real VS Code in a browser: what it says of the activation, and what a person waits for. Time that passed, on one
 * machine with the browser and the server, so that a busy one shows more than there is.
 */
export async function editor(): Promise<readonly Figure[]> {
  const missing = missingEditor();
  if (missing !== undefined) {
    console.error(`editor is left out: ${missing}`);
    return [];
  }
  const parent = mkdtempSync(join(tmpdir(), 'backfill-bench-editor-'));
  const place = (name: string): string => join(parent, name);
  writeWorkspace(place('large'), generatedWorkspace(large));
  writeWorkspace(place('middle'), generatedWorkspace(middle));
  writeWorkspace(place('long'), new Map([['dags/long.py', dagText(0, 6)]]));
  const session = await openEditor(probeFolder, place('server'));
  try {
    return [...(await inHost(session, place)), ...(await inBrowser(session, place))];
  } finally {
    await session.stop();
    rmSync(parent, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function inHost(session: EditorSession, place: (name: string) => string): Promise<readonly Figure[]> {
  const task = { file: dag, ...edit, watchesBlocks: false };
  const cold = await session.inHost(place('large'), task);
  const warm = [];
  for (let round = 0; round < 3; round++) warm.push(await session.inHost(place('large'), task));
  const watched = await session.inHost(place('large'), { ...task, watchesBlocks: true });
  const few = await session.inHost(place('middle'), { ...task, edits: 2 });
  const grown = few.memoryAfter - few.memoryBefore;
  return [
    figure(
      'load and activation, as VS Code says',
      median(warm.map(({ loadMs, activateMs }) => loadMs + activateMs)),
      'ms',
      30,
      warm.map(({ loadMs, activateMs }) => `${loadMs} + ${activateMs}`).join(', '),
    ),
    figure(`first lens, ${large} files, first time`, cold.firstLensMs, 'ms', 1500),
    figure(`first lens, ${large} files, read before`, median(warm.map((one) => one.firstLensMs)), 'ms', 300),
    figure(
      'edit to findings in the host',
      median(warm.flatMap((one) => one.findingsMs)),
      'ms',
      undefined,
      '100 ms of it a pause',
    ),
    figure("longest that the host's thread is kept", watched.longestBlockMs, 'ms', 50, watched.longestBlock),
    figure(
      `memory of the host, ${middle} files`,
      grown,
      'MB',
      150,
      `${few.memoryAfter.toFixed(0)} MB − ${few.memoryBefore.toFixed(0)} MB`,
    ),
  ];
}

async function inBrowser(session: EditorSession, place: (name: string) => string): Promise<readonly Figure[]> {
  const text = dagText(4, 3);
  const page = await session.window(place('large'), join(place('large'), dag));
  // Until all is read, nothing is found.
  await page.locator('.codelens-decoration a', { hasText: 'downstream' }).first().waitFor();
  // An editor draws the lines in view alone.
  await page.keyboard.press('Control+g');
  const input = page.locator('.quick-input-box input').first();
  await input.fill(`:${text.slice(0, text.indexOf(edit.text)).split('\n').length}:${edit.text.length * 2}`);
  await page.keyboard.press('Enter');
  await input.waitFor({ state: 'hidden' });
  await page.keyboard.press('End');
  const squiggles: number[] = [];
  for (let round = 0; round < 4; round++) {
    squiggles.push(await keyToSquiggle(page, 'x'), await keyToSquiggle(page, 'Backspace'));
  }
  await page.close();

  const many = await session.window(place('long'), join(place('long'), 'dags/long.py'));
  const lens = many.locator('.codelens-decoration a[title*="choose intervals"]').first();
  await lens.waitFor();
  const clickedAt = performance.now();
  await lens.click();
  const assistant = assistantPage(many);
  const drawn = await pageDrawn(assistant.frame);
  const opened = performance.now() - clickedAt;
  await assistant.setRange('2024-01-01', '2026-07-12');
  await assistant.frame.locator('.said', { hasText: /9\d\d intervals/ }).waitFor();
  await assistant.frame
    .getByText(/\d,\d\d\d slices/)
    .first()
    .waitFor();
  const { frames, longestTask } = await scrolled(assistant.frame);
  await many.close();
  const sorted = [...frames].sort((a, b) => a - b);
  return [
    figure('key to squiggle', median(squiggles), 'ms', 150, '100 ms of it a pause in typing'),
    figure('page drawn', drawn, 'ms', 300, `${opened.toFixed(0)} ms after the click`),
    figure('5,500 slices scrolled, a frame', median(frames), 'ms', 20),
    figure(
      '5,500 slices scrolled, the slowest of 20 frames',
      sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN,
      'ms',
      34,
    ),
    figure(
      '5,500 slices scrolled, longest that its thread is kept',
      longestTask,
      'ms',
      50,
      longestTask === 0 ? 'never for 50 ms' : '',
    ),
  ];
}
