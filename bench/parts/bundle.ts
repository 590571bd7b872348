import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { builtFolder } from '../built-folder.ts';
import type { Figure } from '../figure.ts';

/** What is loaded when a shell starts: its entry and everything that it imports at once; a command with the command line. */
export async function bundle(): Promise<readonly Figure[]> {
  const part = 'bundle';
  const entries = [
    ['extension.cjs'],
    ['cli.js'],
    ...['check', 'plan', 'run'].map((command) => ['cli.js', chunkOf(command)]),
    ['workspace-thread.js'],
    ['run-thread.js'],
    ['webview/assistant.js'],
  ];
  const figures = entries
    .filter((entry) => entry.every((file) => existsSync(join(builtFolder, file))))
    .map((entry): Figure => {
      const files = closure(entry.map((file) => join(builtFolder, file)));
      const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
      return {
        part,
        what: `${entry.map(plainName).join(' and ')} as loaded`,
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

/** `import … from "./x.js"`, `import "./x.js"` and `x = require("./x.cjs")`; what `import()` names is loaded later. */
const staticImport = /(?:\b(?:import|from)\s*|\w=require\()"(\.{1,2}\/[^"]+)"/g;

/** The chunk of a command that the command line loads when it is called. */
const chunkOf = (command: string): string =>
  join('chunks', readdirSync(join(builtFolder, 'chunks')).find((file) => isChunkOf(file, command)) ?? command);
const isChunkOf = (file: string, command: string): boolean =>
  file.startsWith(`${command}-`) && file.endsWith('.js') && !file.slice(command.length + 1).includes('-');
const plainName = (file: string): string => file.replace(/^chunks\/(.*)-[^-]*\.js$/, '$1');

function closure(entries: readonly string[]): readonly string[] {
  const found = new Set(entries);
  for (const file of found) {
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(staticImport)) {
      const imported = join(dirname(file), path);
      if (existsSync(imported)) found.add(imported);
    }
  }
  return [...found];
}
