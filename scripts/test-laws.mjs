// Draws every law's cases anew, many times as many as the gate does; arguments narrow it as they do vitest.
import { spawnSync } from 'node:child_process';

const { LAWS_SEED = String(Math.floor(Math.random() * 2 ** 31)), LAWS_TIMES = '20' } = process.env;
process.stdout.write(`laws: LAWS_SEED=${LAWS_SEED} LAWS_TIMES=${LAWS_TIMES}\n`);
const { status } = spawnSync('npx', ['vitest', 'run', '--testTimeout', '7200000', ...process.argv.slice(2)], {
  stdio: 'inherit',
  env: { ...process.env, LAWS_SEED, LAWS_TIMES },
});
process.exit(status ?? 1);
