// Everything there is to run, one suite after the other but for the last two: `npm test` with whole laws, the long suites of the warehouses, the
// demo, real VS Codes, a real Spark, real Airflows. A suite that fails does not stop the next one; the last line counts all of them.
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { countResults } from './count-results.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const results = `${root}test-results/all`;
rmSync(results, { recursive: true, force: true });
mkdirSync(results, { recursive: true });

/** The suites in the order of how soon they tell of a fault: npm script, what it is given. */
const suites = [
  ['npm', ['test']],
  ['warehouses', ['run', 'test:warehouses']],
  ['vscode', ['run', 'test:vscode']],
  ['engines', ['run', 'test:engines']],
];
/** Runs beside the last of them: that one waits for schedulers most of the while. */
const beside = ['spark', ['run', 'test:spark']];
/** Those that need nothing but what `npm ci` has brought. */
const ownInstall = new Set(['npm', 'warehouses']);
const env = { LAWS_TIMES: '1', ...process.env };

/**
 * What later suites install is fetched while the first ones run: minutes of waiting for a network. Each of them sees to it again
 * itself, so what goes wrong here is said there.
 */
function fetchAhead() {
  const log = openSync(`${results}/fetched.log`, 'w');
  const setups = ['vscode', 'spark', 'airflow'].map((name) => `npm run --silent setup:${name}`).join('; ');
  const child = spawn('sh', ['-c', setups], { cwd: root, env, stdio: ['ignore', log, log] });
  return new Promise((resolve) => child.on('close', resolve));
}

/** Runs npm with its output shown; whether it ended well. */
const npm = (...words) => spawnSync('npm', words, { cwd: root, env, stdio: 'inherit' }).status === 0;

const reportersOf = (name) => ['--reporter=default', '--reporter=json', `--outputFile.json=${results}/${name}.json`];

/** Begins the suite beside; once it has ended its output is shown, and whether it ended well is told. */
function beginBeside([name, words]) {
  const file = `${results}/${name}.log`;
  const log = openSync(file, 'w');
  const child = spawn('npm', [...words, '--', ...reportersOf(name)], { cwd: root, env, stdio: ['ignore', log, log] });
  return new Promise((resolve) => {
    child.on('close', (status) => {
      process.stdout.write(readFileSync(file));
      resolve(status === 0);
    });
  });
}

/** The demo is a test of its own: a second pass over what it ran must find nothing to do. */
function demoHolds() {
  const { stdout, status } = spawnSync('npm', ['run', '--silent', 'demo'], { cwd: root, env, encoding: 'utf8' });
  writeFileSync(`${results}/demo.log`, stdout);
  if (status === 0 && /^second pass: [1-9]\d* unchanged, [1-9]\d* skipped, 0 changed$/m.test(stdout)) return true;
  process.stdout.write(`${stdout.split('\n').slice(-60).join('\n')}\nthe demo failed\n`);
  return false;
}

let well = npm('run', 'manifest', '--', '--check');
const fetched = fetchAhead();
let besideEnded;
for (const [name, words] of suites) {
  if (!ownInstall.has(name)) await fetched;
  if (name === suites.at(-1)[0]) besideEnded = beginBeside(beside);
  well = npm(...words, '--', ...reportersOf(name)) && well;
}
well = (await besideEnded) && well;
well = demoHolds() && well;
const { failures, line } = countResults(
  results,
  [...suites, beside].map(([name]) => name),
  well,
);
for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
process.stdout.write(`${line}\n`);
process.exit(failures.length > 0 ? 1 : 0);
