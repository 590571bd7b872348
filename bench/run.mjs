// Builds the product and the measurements in a folder of their own and starts them. Usage: run.mjs [part…]; without a part all of them.
import { execFileSync, spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
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
// The measurements inside of VS Code are an extension of their own, as VS Code runs those under development.
await build({
  absWorkingDir: root,
  entryPoints: { probe: 'bench/editor/host-probe.ts' },
  outdir: `${outdir}/editor-probe`,
  outExtension: { '.js': '.cjs' },
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  external: ['vscode'],
  logLevel: 'warning',
});
const manifest = { name: 'probe', publisher: 'bench', version: '0.0.1', engines: { vscode: '^1.100.0' } };
await writeFile(`${outdir}/editor-probe/package.json`, JSON.stringify(manifest));
const done = spawnSync(process.execPath, [`${outdir}/main.mjs`, ...process.argv.slice(2)], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, BACKFILL_VSCODE_SERVERS: `${root}test/vscode/servers/` },
});
process.exit(done.status ?? 1);
