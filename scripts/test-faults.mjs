// Plays random pipelines under random faults, a thousand and others each time, in lanes side by side with a server each:
// a lane waits most of the time, for locks, leases and servers that come back. Says the seed, and the sum in the end.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';

const { FAULTS_SEED = String(Math.floor(Math.random() * 1_000_000)), FAULTS_PIPELINES = '1000' } = process.env;
const { FAULTS_LANES = String(availableParallelism()) } = process.env;
const pipelines = Number(FAULTS_PIPELINES);
const lanes = Math.min(Number(FAULTS_LANES), pipelines);
process.stdout.write(`faults: FAULTS_SEED=${FAULTS_SEED} FAULTS_PIPELINES=${FAULTS_PIPELINES} FAULTS_LANES=${lanes}\n`);

const words = ['run', '--disable-console-intercept', '--project', 'warehouses', 'test/warehouses/faults.test.ts'];

/** One after the other, those from `first` on; what it says is told with its number. */
function lane(number) {
  const first = Number(FAULTS_SEED) + Math.floor((pipelines * number) / lanes);
  const next = Number(FAULTS_SEED) + Math.floor((pipelines * (number + 1)) / lanes);
  // The hour that no test lasts is for one that hangs: a lane of hundreds may last longer, a minute for each is more than any needs.
  const limit = `--testTimeout=${3_600_000 + (next - first) * 60_000}`;
  const child = spawn('npx', ['vitest', ...words, limit], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, FAULTS_SEED: String(first), FAULTS_PIPELINES: String(next - first) },
  });
  const prefix = lanes === 1 ? '' : `${number + 1}| `;
  createInterface({ input: child.stdout }).on('line', (line) => process.stdout.write(`${prefix}${line}\n`));
  return new Promise((resolve) => {
    child.on('close', (status) => resolve(status ?? 1));
  });
}

const results = await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
const failed = results.filter((status) => status !== 0).length;
process.stdout.write(
  failed === 0 ? `faults: ${pipelines} pipelines, none failed\n` : `faults: ${failed} of ${lanes} lanes failed\n`,
);
process.exit(failed === 0 ? 0 : 1);
