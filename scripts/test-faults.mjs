// Plays random pipelines under random faults on a server of its own, a thousand and others each time; says the seed.
import { spawnSync } from 'node:child_process';

const { FAULTS_SEED = String(Math.floor(Math.random() * 1_000_000)), FAULTS_PIPELINES = '1000' } = process.env;
process.stdout.write(`faults: FAULTS_SEED=${FAULTS_SEED} FAULTS_PIPELINES=${FAULTS_PIPELINES}\n`);
const words = ['run', '--disable-console-intercept', '--project', 'warehouses', 'test/warehouses/faults.test.ts'];
const { status } = spawnSync('npx', ['vitest', ...words], {
  stdio: 'inherit',
  env: { ...process.env, FAULTS_SEED, FAULTS_PIPELINES },
});
process.exit(status ?? 1);
