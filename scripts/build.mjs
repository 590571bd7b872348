// Bundles the command line. Drivers, SQL dialects and the embedded database are loaded by `import()`, so that each
// becomes a chunk that is read only when it is used.
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { pgliteInitial } from './pglite-initial.mjs';

const { version } = JSON.parse(await readFile('package.json', 'utf8'));

await rm('dist', { recursive: true, force: true });
await mkdir('dist/chunks', { recursive: true });
await build({
  entryPoints: { cli: 'src/cli/main.ts' },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  minify: true,
  keepNames: true,
  sourcemap: 'linked',
  legalComments: 'none',
  logLevel: 'warning',
  define: { BACKFILL_VERSION: JSON.stringify(version) },
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);",
  },
});
// The embedded engine runs in a thread of its own and finds its files beside it.
await build({
  entryPoints: { 'pglite-worker': 'src/warehouses/pglite/pglite-worker.mjs' },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  banner: {
    js: "import { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);",
  },
});
for (const file of ['pglite.wasm', 'pglite.data', 'initdb.wasm']) {
  await cp(`node_modules/@electric-sql/pglite/dist/${file}`, `dist/${file}`);
}
await cp(await pgliteInitial(), 'dist/pglite-initial.tar.gz');
await cp('node_modules/web-tree-sitter/web-tree-sitter.wasm', 'dist/web-tree-sitter.wasm');
await cp('node_modules/tree-sitter-python/tree-sitter-python.wasm', 'dist/tree-sitter-python.wasm');
