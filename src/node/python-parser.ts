import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Language, Parser } from 'web-tree-sitter';
import type { PythonParser } from '../core/pipeline/python/syntax/python-parser.ts';

let loading: Promise<PythonParser> | undefined;

/** Loads the Python grammar once for the process; about 12 ms. Rejects when the grammar's files are missing. */
export function loadPythonParser(): Promise<PythonParser> {
  loading ??= load();
  return loading;
}

async function load(): Promise<PythonParser> {
  const runtime = grammarFile('web-tree-sitter.wasm', 'web-tree-sitter');
  await Parser.init({ locateFile: () => runtime });
  const language = await Language.load(await readFile(grammarFile('tree-sitter-python.wasm', 'tree-sitter-python')));
  const parser = new Parser();
  parser.setLanguage(language);
  return {
    parse(text) {
      const tree = parser.parse(text);
      // Only a cancelled parse or one without a language gives null.
      if (tree === null) throw new Error('the Python parser gave no tree');
      return tree;
    },
  };
}

/** Beside the bundle or its chunk when bundled, else in the nearest `node_modules`. */
function grammarFile(file: string, owner: string): string {
  const here = ownFolder();
  const beside = [join(here, file), join(here, '..', file)];
  const installed: string[] = [];
  for (let folder = here; ; folder = dirname(folder)) {
    installed.push(join(folder, 'node_modules', owner, file));
    if (dirname(folder) === folder) break;
  }
  const found = [...beside, ...installed].find((candidate) => existsSync(candidate));
  if (found === undefined) throw new Error(`${file} was not found beside ${here}; the installation is incomplete`);
  return found;
}

/** A CommonJS bundle has no `import.meta.url`, an ES module no `__dirname`. */
function ownFolder(): string {
  return typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
}
