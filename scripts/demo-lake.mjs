// The whole job on the sample lake, in one go, on a real Spark: check, preview, run, run again, late rows, prove, undo. Everything is
// done by the same commands that a user types; this script only starts Spark and loads the sample data.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lakeNow, lateEvents, sampleLake } from './sample-lake.mjs';
import { startSpark } from './spark-server.mjs';
import { sparkSql } from './spark-sql.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const bold = (text) => (process.stdout.isTTY && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[22m` : text);
const heading = (text) => console.log(`\n${bold(`── ${text} `.padEnd(100, '─'))}`);

const folder = await mkdtemp(join(tmpdir(), 'backfill-demo-lake-'));
let spark;
let client;
const stop = async (code) => {
  await client?.close();
  await spark?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code);
};
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop(130));

/** Runs one command of the product and shows it as it would be typed; gives what it said. */
async function backfill(args, { expect = 0, cwd = join(folder, 'lake') } = {}) {
  console.log(bold(`\n$ backfill ${args.join(' ')}`));
  const child = spawn(process.execPath, [`${root}dist/cli.js`, ...args], {
    cwd,
    env: { ...process.env, SPARK_REMOTE: spark?.url ?? '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    out += text;
    process.stdout.write(text);
  });
  const [code] = await once(child, 'close');
  if (code !== expect) throw new Error(`demo stopped: that command ended with exit code ${code}, expected ${expect}`);
  return out;
}

const days = (from, to) => ['--from', `2026-11-${from}`, '--to', `2026-11-${to}`, '--downstream', '--now', lakeNow];

try {
  heading('The pipeline as it was: what a second run would have done');
  await backfill(['check', '.'], { expect: 1, cwd: `${root}examples/lake-as-it-was` });

  heading('Starting Spark, and loading 50,000 events of ten days');
  await cp(join(root, 'examples/lake'), join(folder, 'lake'), { recursive: true });
  await mkdir(join(folder, 'spark'));
  spark = await startSpark(join(folder, 'spark'));
  client = await sparkSql(spark.url);
  await client.sql(...sampleLake());

  heading('The pipeline as it is now');
  await backfill(['check', '.']);

  heading('Two days, with everything downstream: what it would do, then done');
  await backfill(['run', 'lake_daily.visits', ...days('09', '11'), '--preview']);
  await backfill(['run', 'lake_daily.visits', ...days('09', '11'), '--yes']);

  heading('The same again: nothing differs, so nothing is published');
  await backfill(['run', 'lake_daily.visits', ...days('09', '11'), '--yes']);

  heading('Forty events of 9 November came late: which rows they change, and why');
  await client.sql(lateEvents);
  const late = await backfill(['run', 'lake_daily.visits', ...days('09', '10'), '--samples', '3', '--yes']);

  heading('Would a second run leave the same rows? Staged several times, compared, nothing kept');
  await backfill(['prove', 'lake_daily.pages_daily', '--from', '2026-11-09', '--to', '2026-11-10', '--now', lakeNow]);

  heading('And back to what was there before the late events');
  await backfill(['undo', /^run (\S+):/m.exec(late)?.[1] ?? '', '--yes']);
  await stop(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  await stop(1);
}
