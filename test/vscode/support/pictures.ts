import { fileURLToPath } from 'node:url';
import type { EditorWindow } from './editor-window.ts';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));

/** The pictures of README and guide are taken by the tests, so that they show what there is: `UPDATE_PICTURES=1`. */
export async function documentPicture({ page }: EditorWindow, name: string): Promise<void> {
  if (process.env.UPDATE_PICTURES === '1') await page.screenshot({ path: `${folder}${name}.png` });
}
