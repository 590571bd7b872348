import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import type { Figure } from './figure.ts';
import { bundle } from './parts/bundle.ts';
import { check } from './parts/check.ts';
import { checksum } from './parts/checksum.ts';
import { editor } from './parts/editor.ts';
import { ledger } from './parts/ledger.ts';
import { memory } from './parts/memory.ts';
import { peers } from './parts/peers.ts';
import { plan } from './parts/plan.ts';
import { protocol } from './parts/protocol.ts';
import { rerun } from './parts/rerun.ts';
import { slices } from './parts/slices.ts';
import { sqlfluff } from './parts/sqlfluff.ts';
import { figureTable } from './table.ts';

/** Each part in the order it is shown; a part measures by itself and leaves nothing behind. */
const parts: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  plan,
  rerun,
  protocol,
  slices,
  peers,
  ledger,
  memory,
  checksum,
  check,
  sqlfluff,
  editor,
  bundle,
};
const file = 'test-results/bench.json';

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => parts[name] === undefined);
if (unknown.length > 0) {
  console.error(`There is no part ${unknown.join(', ')}; the parts are ${Object.keys(parts).join(', ')}.`);
  process.exit(2);
}

const machine = {
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  node: process.version,
  system: process.platform,
};
const figures: Figure[] = [];
mkdirSync('test-results', { recursive: true });
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  console.error(`measuring ${name} …`);
  figures.push(...(await measure()));
  // After every part, so that one that fails or is stopped loses nothing of the others.
  const at = new Date().toISOString();
  writeFileSync(file, `${JSON.stringify({ version: 1, at, machine, figures }, undefined, 2)}\n`);
}
console.log(`${figureTable(figures)}\n\nwritten to ${file}`);
