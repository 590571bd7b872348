// Bundles the command line. Drivers, SQL dialects and the embedded database are loaded by `import()`, so that each
// becomes a chunk that is read only when it is used. Usage: build.mjs [output folder]
import { chmod, cp, mkdir, readFile, rm } from 'node:fs/promises';
import { build } from 'esbuild';
import { pgliteInitial } from './pglite-initial.mjs';

const outdir = process.argv[2] ?? 'dist';
const { version } = JSON.parse(await readFile('package.json', 'utf8'));

await rm(outdir, { recursive: true, force: true });
await mkdir(`${outdir}/chunks`, { recursive: true });
await build({
  entryPoints: { cli: 'src/cli/main.ts' },
  outdir,
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
await chmod(`${outdir}/cli.js`, 0o755);
// The embedded engine runs in a thread of its own and finds its files beside it.
await build({
  entryPoints: { 'pglite-worker': 'src/warehouses/pglite/pglite-worker.mjs' },
  outdir,
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
  await cp(`node_modules/@electric-sql/pglite/dist/${file}`, `${outdir}/${file}`);
}
await cp(await pgliteInitial(), `${outdir}/pglite-initial.tar.gz`);
await cp('node_modules/web-tree-sitter/web-tree-sitter.wasm', `${outdir}/web-tree-sitter.wasm`);
await cp('node_modules/tree-sitter-python/tree-sitter-python.wasm', `${outdir}/tree-sitter-python.wasm`);
