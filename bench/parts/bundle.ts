import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtFolder } from '../built-folder.ts';
import type { Figure } from '../figure.ts';

/** What is loaded when a shell starts: its entry and everything that it imports at once. */
export async function bundle(): Promise<readonly Figure[]> {
  const part = 'bundle';
  const entries = ['extension.cjs', 'cli.js', 'workspace-thread.js', 'run-thread.js', 'webview/assistant.js'];
  const figures = entries
    .filter((entry) => existsSync(join(builtFolder, entry)))
    .map((entry): Figure => {
      const files = closure(join(builtFolder, entry));
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      return {
        part,
        what: `${entry} as loaded`,
        value: bytes / 1000,
        unit: 'KB',
        atMost: 1000,
        detail: named(files.length),
      };
    });
  const vsix = 'dist/backfill-assistant.vsix';
  if (existsSync(vsix)) {
    const value = statSync(vsix).size / 1e6;
    figures.push({ part, what: 'the packaged extension', value, unit: 'MB', atMost: undefined, detail: '' });
  }
  return figures;
}

const named = (count: number): string => (count === 1 ? 'one file' : `${count} files`);

/** `import … from "./x.js"` and `import "./x.js"`; what `import()` names is loaded later. */
const staticImport = /\b(?:import|from)\s*"(\.{1,2}\/[^"]+)"/g;

function closure(entry: string): readonly string[] {
  const found = new Set([entry]);
  for (const file of found) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(staticImport)) {
      const imported = join(dirname(file), path);
      if (existsSync(imported)) found.add(imported);
    }
  }
  return [...found];
}
