// Bundles the shells: the command line, the editor's extension with its threads and its page. Drivers, SQL dialects
// and the embedded database are loaded by `import()`, so that each becomes a chunk that is read only when it is used.
// `vscode` is external in the extension's bundle alone: a stray import breaks the others. Usage: build.mjs [folder]
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build, transform } from 'esbuild';
import { pgliteInitial } from './pglite-initial.mjs';

const outdir = process.argv[2] ?? 'dist';
const { version } = JSON.parse(await readFile('package.json', 'utf8'));

const common = { bundle: true, minify: true, legalComments: 'none', logLevel: 'warning' };
const node = { ...common, platform: 'node', target: 'node20' };
// Bundled CommonJS packages call `require`, which an ES module does not have.
const withRequire =
  "import { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);";

await rm(outdir, { recursive: true, force: true });
await mkdir(`${outdir}/chunks`, { recursive: true });
await build({
  ...node,
  entryPoints: {
    cli: 'src/cli/main.ts',
    'workspace-thread': 'src/vscode/host/workspace/workspace-thread.ts',
    'run-thread': 'src/vscode/host/run-thread.ts',
  },
  outdir,
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  // Names stay as they are written: errors are told by theirs, and keeping them otherwise costs a call for each closure.
  minify: false,
  minifyWhitespace: true,
  minifySyntax: true,
  sourcemap: 'linked',
  define: { BACKFILL_VERSION: JSON.stringify(version) },
  banner: { js: withRequire },
});
await addShebang(`${outdir}/cli.js`);
// The embedded engine runs in a thread of its own and finds its files beside it.
await build({
  ...node,
  entryPoints: { 'pglite-worker': 'src/warehouses/pglite/pglite-worker.mjs' },
  outdir,
  format: 'esm',
  banner: { js: withRequire },
});
await buildExtension();
await build({
  ...common,
  entryPoints: { assistant: 'webview/main.ts' },
  outdir: `${outdir}/webview`,
  platform: 'browser',
  target: 'chrome120',
  format: 'iife',
});
await build({ ...common, entryPoints: { assistant: 'webview/styles/assistant.css' }, outdir: `${outdir}/webview` });
for (const file of ['pglite.wasm', 'pglite.data', 'initdb.wasm']) {
  await cp(`node_modules/@electric-sql/pglite/dist/${file}`, `${outdir}/${file}`);
}
await cp(await pgliteInitial(), `${outdir}/pglite-initial.tar.gz`);
await cp('src/node/airflow/ask-airflow.py', `${outdir}/ask-airflow.py`);
await cp('node_modules/web-tree-sitter/web-tree-sitter.wasm', `${outdir}/web-tree-sitter.wasm`);
await cp('node_modules/tree-sitter-python/tree-sitter-python.wasm', `${outdir}/tree-sitter-python.wasm`);
for (const file of await readdir('src/core/lint/rules', { recursive: true })) {
  if (file.endsWith('.md')) await cp(`src/core/lint/rules/${file}`, `${outdir}/rules/${basename(file)}`);
}

/**
 * The editor loads CommonJS, which esbuild does not split: it is split as ES modules, and each of those made CommonJS. What is
 * not needed beside the code is not read before the editor is at rest.
 */
async function buildExtension() {
  const { outputFiles } = await build({
    ...node,
    entryPoints: { extension: 'src/vscode/extension.ts' },
    outdir,
    outExtension: { '.js': '.cjs' },
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    splitting: true,
    external: ['vscode'],
    sourcemap: 'inline',
    write: false,
  });
  for (const { path, text } of outputFiles) {
    const sourcefile = basename(path);
    const { code, map } = await transform(text, {
      format: 'cjs',
      platform: 'node',
      target: 'node20',
      minify: true,
      supported: { 'dynamic-import': false },
      sourcefile,
      sourcemap: 'external',
    });
    // The editor's own module is taken as it is: copying its hundreds of names for each file that imports it takes longer than
    // loading those files.
    const direct = code.replaceAll(/\w+\(require\("vscode"\)\)/g, 'require("vscode")');
    await writeFile(path, `${direct}//# sourceMappingURL=${sourcefile}.map\n`);
    await writeFile(`${path}.map`, map);
  }
}

async function addShebang(file) {
  await writeFile(file, `#!/usr/bin/env node\n${await readFile(file, 'utf8')}`);
  await chmod(file, 0o755);
}
