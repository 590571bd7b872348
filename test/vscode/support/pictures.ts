import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import type { EditorWindow } from './editor-window.ts';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

const results = fileURLToPath(new URL('../../../test-results/vscode/', import.meta.url));

/** The pictures of README and guide are taken by the tests, so that they show what there is: `UPDATE_PICTURES=1`. */
export async function documentPicture({ page }: EditorWindow, name: string): Promise<void> {
  if (process.env.UPDATE_PICTURES === '1') await page.screenshot({ path: `${folder}${name}.png` });
}

/** Keeps what the window showed when a test failed: `test-results/vscode/failed-<test>.png`. */
export function picturesOfFailures(window: () => EditorWindow | undefined): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    const name = task.name.replace(/\W+/g, '-').slice(0, 60);
    await window()?.page.screenshot({ path: `${results}failed-${name}.png` });
  });
}
