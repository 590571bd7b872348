// Bundles the shells. `vscode` is external only in the extension's bundle, so a stray import breaks the others.
import { cp, mkdir } from 'node:fs/promises';
import { build } from 'esbuild';

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  logLevel: 'warning',
  legalComments: 'none',
};

await mkdir('dist', { recursive: true });
await build({
  ...common,
  entryPoints: { cli: 'src/cli/main.ts' },
  outdir: 'dist',
  format: 'esm',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  minify: true,
  keepNames: true,
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as $createRequire } from 'node:module'; const require = $createRequire(import.meta.url);",
  },
});
await cp('node_modules/web-tree-sitter/web-tree-sitter.wasm', 'dist/web-tree-sitter.wasm');
await cp('node_modules/tree-sitter-python/tree-sitter-python.wasm', 'dist/tree-sitter-python.wasm');
