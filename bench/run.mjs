// Builds the product and the measurements in a folder of their own and starts them. Usage: run.mjs [part…]; without a part all of them.
import { execFileSync, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = `${root}.cache/bench`;

await rm(outdir, { recursive: true, force: true });
execFileSync(process.execPath, ['scripts/build.mjs', `${outdir}/dist`], { cwd: root, stdio: 'inherit' });
await build({
  absWorkingDir: root,
  entryPoints: { main: 'bench/main.ts', 'cold-plan': 'bench/cold-plan.ts', 'process-usage': 'bench/process-usage.ts' },
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'warning',
});
const done = spawnSync(process.execPath, [`${outdir}/main.mjs`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
});
process.exit(done.status ?? 1);
