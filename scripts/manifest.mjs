// Writes what `src/vscode/contributions.ts` contributes into package.json; `--check` fails when that is stale.
import { readFile, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const { outputFiles } = await build({
  entryPoints: ['src/vscode/contributions.ts'],
  bundle: true,
  format: 'esm',
  platform: 'node',
  write: false,
});
const source = Buffer.from(outputFiles[0].contents).toString('base64');
const { manifestContributions } = await import(`data:text/javascript;base64,${source}`);
const manifest = { ...JSON.parse(await readFile('package.json', 'utf8')), ...manifestContributions() };
const before = await readFile('package.json', 'utf8');
if (process.argv.includes('--check')) {
  if (JSON.stringify(JSON.parse(before)) !== JSON.stringify(manifest)) {
    console.error('package.json is stale: run `npm run manifest`');
    process.exit(1);
  }
} else {
  await writeFile('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`);
}
