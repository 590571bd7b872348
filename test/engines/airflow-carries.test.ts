import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadSampleTables } from '../../scripts/sample-warehouse.mjs';
import { isUnsettled, runNote, unsettledNote } from '../../src/core/run/carried/runs/run-note.ts';
import type { Scheduler } from '../../src/core/scheduler/port/scheduler.ts';
import { instant } from '../../src/core/time/zones/instant.ts';
import { openScheduler } from '../../src/orchestrators/open.ts';
import { type AirflowServer, startAirflow } from '../support/airflow-server.ts';
import { madeRun } from '../support/made-run.ts';
import { asSuperuser, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { drawStorm, type StormDag } from './storm/draw-storm.ts';
import { rowsOf, storm as runStorm, runsThere, type StormPlace } from './storm/run-storm.ts';
import {
  cleanDay,
  cleanRun,
  stormFile,
  stormLoad,
  stormSettings,
  stormSource,
  stormTables,
} from './storm/storm-files.ts';

/** What the tests look at of a run as JSON. */
interface Ran {
  readonly outcome: string;
  readonly runId: string;
  readonly units: readonly {
    readonly id: string;
    readonly state: string;
    readonly cause: string | null;
    readonly error: { readonly message: string; readonly remedy: string | null } | null;
    readonly slices: readonly Readonly<Record<string, unknown>>[];
  }[];
}

const examples = fileURLToPath(new URL('../../examples', import.meta.url));
/** In the past, so that nothing of it is scheduled while the tests run. */
const quiet = 'catchup=False,\n    end_date=datetime(2026, 11, 20),';
const dayMs = 86_400_000;
const noon = '2026-11-29T12:00Z';
/** Small DAGs that run at once while all kinds of things befall them; as many more as somebody asks for. */
const atOnce = 4;
const storm = drawStorm(Number(process.env.AIRFLOW_STORM_SEED ?? 1), Number(process.env.AIRFLOW_STORM ?? atOnce));
/** A DAG that is given away as a whole, and has no runs yet. */
const whole: StormDag = {
  id: 'whole',
  tasks: [
    { name: 't0', kind: 'python', parents: [], retries: false },
    { name: 't1', kind: 'bash', parents: [0], retries: false },
    { name: 't2', kind: 'python', parents: [0, 1], retries: false },
  ],
  strikes: [],
  there: 0,
  delays: [],
};
const wholeDays = ['2026-10-20', '2026-10-21', '2026-10-22'];
let server: PostgresServer;
let root = '';
let bundle = '';

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'backfill-carries-'));
  bundle = join(root, 'cli');
  execFileSync(process.execPath, ['scripts/build.mjs', bundle], { cwd: join(examples, '..'), stdio: 'inherit' });
  server = await startPostgres(['max_connections=200', 'fsync=off']);
  await asSuperuser(server, 'postgres', 'create database sample');
  await loadSampleTables((script: string) => asSuperuser(server, 'sample', script));
  await asSuperuser(server, 'sample', readFileSync(join(examples, 'shop-with-airflow/warehouse/tables.sql'), 'utf8'));
  // Something that a rerun changes, in every table.
  await asSuperuser(
    server,
    'sample',
    "update staging.orders set quantity = quantity + 1 where ordered_at >= '2026-10-20' and ordered_at < '2026-10-21' and order_id % 7 = 0",
  );
});
afterAll(async () => {
  await server?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe.each([2, 3] as const)('Airflow %i', (version) => {
  let airflow: AirflowServer;
  let workspace = '';
  const database = (name: string) => `${name}${version}`;
  const openAirflow = (): Promise<Scheduler> => {
    const login = { kind: 'password', user: airflow.user, password: airflow.password } as const;
    return openScheduler({ name: 'real', url: airflow.url, login });
  };
  const rows = async (name: string, query: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
    const { host, port, user, password } = server;
    const client = new pg.Client({ host, port, user, password, database: database(name) });
    await client.connect();
    try {
      return (await client.query(query)).rows;
    } finally {
      await client.end();
    }
  };
  const env = () => ({ PGPASSWORD: server.password, AIRFLOW_PASSWORD: airflow.password });
  const cli = (...words: readonly string[]): Promise<CliResult> =>
    airflow.during(runCli([...words, ...(words[0] === 'undo' ? [] : ['--now', noon])], workspace, { env: env() }));
  const run = async (...words: readonly string[]): Promise<Ran> => {
    const { out, err } = await cli('run', ...words, '--yes', '--format', 'json');
    try {
      return JSON.parse(out) as Ran;
    } catch {
      throw new Error(`${out}\n${err}`);
    }
  };

  beforeAll(async () => {
    for (const name of ['here', 'there'])
      await asSuperuser(server, 'postgres', `create database ${database(name)} template sample`);
    for (const statement of stormSource) await asSuperuser(server, database('there'), statement);
    await asSuperuser(server, 'postgres', `create database airflow${version}`);
    workspace = join(root, `workspace${version}`);
    cpSync(join(examples, 'shop'), workspace, { recursive: true });
    cpSync(join(examples, 'shop-with-airflow/dags'), join(workspace, 'dags'), { recursive: true });
    for (const name of readdirSync(join(workspace, 'dags')).filter((file) => file.endsWith('.py'))) {
      const file = join(workspace, 'dags', name);
      writeFileSync(file, readFileSync(file, 'utf8').replace('catchup=True,', quiet));
    }
    writeFileSync(
      join(workspace, 'dags/flaky.py'),
      `from datetime import datetime\nfrom airflow import DAG\nfrom airflow.operators.bash import BashOperator\n
with DAG(dag_id="flaky", schedule="@daily", start_date=datetime(2026, 9, 9), ${quiet}):
    BashOperator(task_id="fails", bash_command="echo about to fail; exit 3")\n`,
    );
    // Nobody can tell from the file what it writes: its SQL is known when it runs.
    writeFileSync(
      join(workspace, 'dags/opaque.py'),
      `import importlib, json, os\nfrom datetime import datetime\nfrom airflow import DAG\nfrom airflow.operators.python import PythonOperator\n
def load(ds=None, **context):
    hooks = importlib.import_module("airflow.providers.postgres.hooks.postgres")
    statements = [text.replace("DAY", ds) for text in json.loads(os.environ["OPAQUE"])]
    getattr(hooks, "PostgresHook")("warehouse").run(statements, autocommit=False)

with DAG(dag_id="opaque", schedule="@daily", start_date=datetime(2026, 9, 9), ${quiet}):
    PythonOperator(task_id="load", python_callable=load)\n`,
    );
    // Two that only mark a place, of which one writes, as somebody says, and a task that does something.
    writeFileSync(
      join(workspace, 'dags/marks.py'),
      `from datetime import datetime\nfrom airflow import DAG\nfrom airflow.operators.bash import BashOperator\nfrom airflow.operators.empty import EmptyOperator\n
with DAG(dag_id="marks", schedule="@daily", start_date=datetime(2026, 9, 9), ${quiet}):
    EmptyOperator(task_id="place") >> EmptyOperator(task_id="other") >> BashOperator(task_id="says", bash_command="echo here")\n`,
    );
    await asSuperuser(server, database('there'), 'create table mart.marked (day date)');
    // A task says of itself that it is to be skipped, and what follows it is skipped with it.
    writeFileSync(
      join(workspace, 'dags/ways.py'),
      `from datetime import datetime\nfrom airflow import DAG\nfrom airflow.exceptions import AirflowSkipException\nfrom airflow.operators.bash import BashOperator\nfrom airflow.operators.python import PythonOperator\n
def nothing_new():
    raise AirflowSkipException("nothing new")

with DAG(dag_id="ways", schedule="@daily", start_date=datetime(2026, 9, 9), ${quiet}):
    PythonOperator(task_id="says", python_callable=nothing_new) >> BashOperator(task_id="after", bash_command="echo after")\n`,
    );
    for (const dag of [...storm, whole]) writeFileSync(join(workspace, 'dags', `${dag.id}.py`), stormFile(dag));
    const plugins = join(root, `plugins${version}`);
    mkdirSync(plugins, { recursive: true });
    writeFileSync(join(plugins, 'storm_load.py'), stormLoad);
    const warehouse = `postgresql://${server.user}:${encodeURIComponent(server.password)}@${server.host}:${server.port}/${database('there')}`;
    airflow = await startAirflow({
      version,
      dags: join(workspace, 'dags'),
      server,
      database: `airflow${version}`,
      connections: {
        warehouse,
      },
      environment: {
        EXPORT_FOLDER: join(root, `export${version}`),
        OPAQUE: JSON.stringify([
          "delete from mart.opaque where day = 'DAY'",
          "insert into mart.opaque select 'DAY'::date, n, now() from generate_series(1, 5) n",
        ]),
        AIRFLOW__SCHEDULER__CREATE_CRON_DATA_INTERVALS: 'True',
        PYTHONPATH: plugins,
        STORM_URL: warehouse,
        STORM_LOAD: join(plugins, 'storm_load.py'),
        STORM_PYTHON: fileURLToPath(new URL(`../../.venv-airflow${version}/bin/python`, import.meta.url)),
      },
    });
    const connection = (name: string) =>
      `  ${name}: { engine: postgres, host: 127.0.0.1, port: ${server.port}, database: ${database(name)}, user: postgres, password: '\${env:PGPASSWORD}', sslmode: disable, settings: { timezone: UTC } }\n`;
    const settings = readFileSync(join(workspace, 'backfill.yaml'), 'utf8');
    writeFileSync(
      join(workspace, 'backfill.yaml'),
      `version: 1
connections:
${connection('here')}${connection('there')}defaultConnection: here
schedulers:
  real: { url: '${airflow.url}', user: admin, password: '\${env:AIRFLOW_PASSWORD}' }
airflow: { version: ${version}, create_cron_data_intervals: true }
${settings.slice(settings.indexOf('tasks:')).trimEnd()}
  marks.place: { reads: [], writes: [{ table: mart.marked, column: day }] }
${[...storm, whole].map(stormSettings).join('')}`,
    );
    mkdirSync(join(root, `export${version}`), { recursive: true });
    // Its DAGs are read, and have the runs that a scheduler would have made.
    const scheduler = await openAirflow();
    for (let tries = 0; ; tries++) {
      const found = await Promise.all(
        ['shop_daily', 'shop_report', 'flaky', 'opaque', 'marks', 'ways', whole.id, ...storm.map(({ id }) => id)].map(
          (dag) => scheduler.dag(dag),
        ),
      );
      if (found.every((dag) => dag !== undefined && dag.tasks.length > 0)) break;
      if (tries > 300) throw new Error('its DAGs were not read');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const first = Date.parse('2026-10-20T00:00:00Z');
    for (const [dag, days] of [
      ['shop_daily', 7],
      ['flaky', 1],
    ] as const)
      for (let day = 0; day < days; day++) {
        const [start, end] = [instant(first + day * dayMs), instant(first + (day + 1) * dayMs)];
        await madeRun(scheduler, dag, {
          id: `before__${day}`,
          logicalDate: start,
          interval: { start, end },
          note: 'by hand',
        });
      }
  });
  afterAll(() => airflow?.stop());

  test('is asked whether it is well, and has the DAGs of the workspace', async () => {
    const { out, code } = await runCli(['scheduler'], workspace, { env: env() });
    expect(out).toContain(`real: Airflow ${version}.`);
    const dags = 9 + storm.length;
    expect(out).toContain(`${dags} of ${dags} DAGs as deployed`);
    expect(code).toBe(0);
    expect(out).not.toContain(airflow.password);
  });

  test('carries out the same backfill with the same tables and the same differences', async () => {
    // The one run of the monthly DAG is its schedule's own, and comes first.
    const quietly = ['--downstream', '--without', 'shop_monthly.revenue_monthly'];
    const range = ['shop_daily.orders_clean', '--from', '2026-10-20', '--to', '2026-10-21', ...quietly];
    const here = await run(
      ...range,
      '--without',
      'shop_report.basket_daily',
      '--without',
      'shop_report.export',
      '--connection',
      'here',
    );
    expect(here.units.filter(({ state }) => state !== 'changed' && state !== 'unchanged')).toEqual([]);
    const there = await run(...range, '--connection', 'there', '--on', 'airflow', '--compare', 'rows');
    expect(there.units.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(there.outcome).toBe('done');
    const told = (ran: Ran) =>
      ran.units
        .filter(({ id }) => !id.startsWith('shop_report'))
        .map(({ id, state, slices }) => ({
          id,
          state,
          slices: slices.map(({ causes: _, surrogates: __, ...slice }) => slice),
        }));
    expect(told(there)).toEqual(told(here));
    expect(there.units.map(({ id }) => id.split('@')[0])).toContain('shop_report.basket_daily');
    const tables = `select (select sum(hashtext((o.order_id, o.net_amount, o.tax)::text)) from mart.orders_clean o) as clean,
      (select sum(hashtext(r::text)) from mart.revenue_daily r) as daily,
      (select sum(hashtext(r::text)) from mart.revenue_rolling7 r) as rolling`;
    expect(await rows('there', tables)).toEqual(await rows('here', tables));
    const baskets = `select count(*)::int as n, bool_and(b.basket = c.basket) as same from mart.basket_daily b
      join (select day, shop_id, round(avg(net_amount), 2) as basket from mart.orders_clean group by day, shop_id) c using (day, shop_id)`;
    expect(await rows('there', baskets)).toEqual([{ n: expect.any(Number), same: true }]);
    expect(readdirSync(join(root, `export${version}`))).toEqual(['2026-10-20']);
  }, 600_000);

  test('is left what cannot be run from here, between units of ours', async () => {
    const range = ['shop_report', '--from', '2026-10-22', '--to', '2026-10-23', '--connection', 'there'];
    const ran = await run(...range);
    expect(ran.units.map(({ id, state }) => [id.split('@')[0], state])).toEqual([
      ['shop_report.basket_daily', 'changed'],
      ['shop_report.export', 'done'],
    ]);
    expect(existsSync(join(root, `export${version}`, '2026-10-22'))).toBe(true);
    expect(await cli('undo', ran.runId, '--connection', 'there', '--yes')).toMatchObject({ code: 0 });
    expect(await rows('there', "select * from mart.basket_daily where day = '2026-10-22'")).toEqual([]);
  });

  test('has run what its scheduler ends in the moment in which it begins', async () => {
    const range = ['--from', '2026-10-20', '--to', '2026-10-21', '--connection', 'there'];
    const ran = await run('marks', ...range);
    expect(ran.units.map(({ id, state, error }) => [id.split('@')[0], state, error])).toEqual([
      ['marks.place', 'unchanged', null],
      ['marks.says', 'done', null],
    ]);
  }, 600_000);

  test('says what it was left out of, and goes on behind it as its scheduler does', async () => {
    const range = ['--from', '2026-10-20', '--to', '2026-10-21', '--connection', 'there'];
    const ran = await run('ways', ...range);
    expect(Object.fromEntries(ran.units.map(({ id, state, cause }) => [id.split('@')[0], [state, cause]]))).toEqual({
      'ways.says': [
        'skipped',
        expect.stringMatching(/^real began it, and the task said that it is to be skipped; not compared: /),
      ],
      'ways.after': [
        'skipped',
        expect.stringMatching(
          /^real skipped it and did not run it, by a branch, .* \(skipped in its run too: says\); not compared: /,
        ),
      ],
    });
    expect(await rows('there', `select distinct state from backfill_ledger.units where run = '${ran.runId}'`)).toEqual([
      { state: 'skipped' },
    ]);
  }, 600_000);

  test('sets aside what a process that died had begun to make a run of', async () => {
    const scheduler = await openAirflow();
    const [start, end] = ['2026-10-24', '2026-10-25'].map((day) => instant(Date.parse(`${day}T00:00:00Z`))) as [
      never,
      never,
    ];
    const id = 'backfill_assistant__2026-10-24T00:00:00Z';
    const note = unsettledNote(runNote('of somebody', 'who died'));
    expect(
      isUnsettled(await scheduler.createRun('marks', { id, logicalDate: start, interval: { start, end }, note })),
    ).toBe(true);
    await scheduler.endRun('marks', id, 'success');
    const ran = await run('marks', '--from', '2026-10-24', '--to', '2026-10-25', '--connection', 'there');
    expect(ran.units.map(({ id: unit, state }) => [unit.split('@')[0], state])).toEqual([
      ['marks.place', 'unchanged'],
      ['marks.says', 'done'],
    ]);
    expect((await scheduler.instances('marks', id)).map(({ state }) => state)).toEqual([
      'success',
      'success',
      'success',
    ]);
    const said = (await scheduler.run('marks', id))?.note;
    expect(said?.split('\n')[0]).toMatch(
      /^Backfill Assistant, run of somebody, by who died(; it began by itself .*)?$/,
    );
    expect(said).toContain(`run ${ran.runId}, by`);
  }, 600_000);

  test('says the last lines of a task that fails, and refuses a paused DAG before anything runs', async () => {
    const range = ['flaky.fails', '--from', '2026-10-20', '--to', '2026-10-21', '--connection', 'there'];
    const [unit] = (await run(...range)).units;
    expect(unit?.state).toBe('failed');
    expect(unit?.error?.message).toContain('it failed in real');
    expect(unit?.error?.message).toMatch(/exit code 3/);
    expect(unit?.error?.remedy).toContain(airflow.url);
    await airflow.airflow('dags', 'pause', 'flaky');
    const { out, err } = await cli('run', ...range, '--yes');
    expect(`${out}${err}`).toContain('flaky is paused there');
  });

  test('is watched while it runs a task whose tables no file says, until they are clear', async () => {
    await asSuperuser(server, database('there'), 'create table mart.opaque (day date, n int, loaded_at timestamptz)');
    const observe = (...words: readonly string[]) =>
      runCli(['observe', 'opaque.load', '--connection', 'there', ...words], workspace, { env: env() });
    // A busy machine hides short sessions, and a run that may not have been alone does not count.
    for (const [first, end] of [
      [20, 22],
      [22, 24],
      [24, 26],
    ] as const) {
      const days = ['--from', `2026-10-${first}`, '--to', `2026-10-${end}`];
      const ran = await run('opaque.load', ...days, '--connection', 'there', '--concurrency', '1');
      expect(ran.units.map(({ state }) => state)).toEqual(['done', 'done']);
      if ((await observe()).code === 0) break;
    }
    const { out, err } = await observe('--declare');
    expect(`${out}${err}`).toMatch(
      /mart\.opaque: in \d runs all \d+ written rows had day inside of the interval \(insert\)/,
    );
    // From now on it is a task like any other.
    const range = ['--from', '2026-10-20', '--to', '2026-10-22', '--connection', 'there'];
    const again = await run('opaque.load', ...range, '--concurrency', '1');
    expect(again.units.map(({ state, slices }) => [state, slices[0]?.table])).toEqual([
      ['changed', 'mart.opaque'],
      ['changed', 'mart.opaque'],
    ]);
  });

  test('makes the runs of whole dates in one go where it makes backfills, and one by one where it makes none', async () => {
    for (const statement of stormTables(whole)) await asSuperuser(server, database('there'), statement);
    const range = ['whole', '--from', '2026-10-20', '--to', '2026-10-23', '--connection', 'there'];
    const { out } = await cli('plan', ...range);
    const told = 'real has no run of whole for 3 dates of the plan: made';
    expect(out).toContain(
      version === 3 ? `${told} as one backfill, 3 runs at a time` : `${told} before their first task`,
    );
    const ran = await run(...range);
    expect(ran.units.map(({ state }) => state)).toEqual(Array.from({ length: 9 }, () => 'changed'));
    const scheduler = await openAirflow();
    const first = instant(Date.parse('2026-10-20T00:00:00Z'));
    const runs = await scheduler.runs('whole', first, instant(first + 2 * dayMs));
    expect(runs.map(({ id }) => id.split('__')[0])).toEqual(
      Array.from({ length: 3 }, () => (version === 3 ? 'backfill' : 'backfill_assistant')),
    );
    for (const { note } of runs) expect(note).toContain(`run ${ran.runId}`);
    // Airflow 2 starts a run as soon as it is made, and what began then is ended before it is its turn.
    for (const { id } of runs)
      for (const { name } of whole.tasks)
        expect(await scheduler.instances('whole', id, name)).toMatchObject([
          version === 3 ? { state: 'success', tryNumber: 1 } : { state: 'success' },
        ]);
    const rowsThere = await rows('there', 'select count(*)::int as n, sum(v)::int as v from storm.whole_t2');
    for (const statement of wholeDays.flatMap((day) => cleanDay(whole, day)))
      await asSuperuser(server, database('there'), statement);
    expect(rowsThere).toEqual(await rows('there', 'select count(*)::int as n, sum(v)::int as v from storm.whole_t2'));
    expect(await rows('there', 'select * from backfill_ledger.claims')).toEqual([]);
  }, 600_000);

  test('whatever befalls it, ends with the tables of one clean run, and nothing is left at work', async () => {
    for (const statement of storm.flatMap(stormTables)) await asSuperuser(server, database('there'), statement);
    await asSuperuser(server, 'postgres', `create database ${database('clean')} template ${database('there')}`);
    for (const statement of storm.flatMap(cleanRun)) await asSuperuser(server, database('clean'), statement);
    const place: StormPlace = {
      airflow,
      scheduler: await openAirflow(),
      bundle,
      root: workspace,
      env: env(),
      connection: 'there',
      query: (text) => rows('there', text),
    };
    for (const dag of storm) await runsThere(place, dag);
    for (let first = 0; first < storm.length; first += atOnce) {
      await airflow.during(runStorm(place, storm.slice(first, first + atOnce), first));
    }
    for (const dag of storm)
      expect(await rowsOf(place, dag), `${dag.id}: ${dag.strikes.join(', ')}`).toEqual(
        await rowsOf({ query: (text) => rows('clean', text) }, dag),
      );
  }, 3_600_000);

  test('makes a run by the command that is printed for a date without one', async () => {
    const { out } = await cli('plan', 'marks', '--from', '2026-10-22', '--to', '2026-10-23', '--commands', '--offline');
    const [, command] = /^#.* of 2026-10-22T00:00:00\+00:00, with [^:]*: airflow (.*)$/m.exec(out) ?? [];
    const words = command?.split(' ').map((word) => word.replace(/^'|'$/g, '')) ?? [];
    const said = await airflow.airflow(...words);
    const scheduler = await openAirflow();
    const start = instant(Date.parse('2026-10-22T00:00:00Z'));
    for (let tries = 0; ; tries++) {
      const runs = await scheduler.runs('marks', start, start);
      if (runs.length === 1 && runs[0]?.state === 'success') {
        expect(runs[0].interval).toEqual({ start, end: instant(start + dayMs) });
        const [says] = await scheduler.instances('marks', runs[0].id, 'says');
        expect(says).toMatchObject({ state: 'success', tryNumber: 1 });
        break;
      }
      if (tries > 120) throw new Error(`it was not made: ${JSON.stringify(runs)}\n${out}\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  });

  test('takes the commands of a plan as they are printed', async () => {
    const { out } = await cli(
      'plan',
      'shop_daily.customer_latest',
      '--from',
      '2026-10-25',
      '--to',
      '2026-10-26',
      '--commands',
      '--offline',
    );
    const command = out.split('\n').find((line) => line.startsWith('airflow tasks clear'));
    const words = command?.split(' ').map((word) => word.replace(/^'|'$/g, '')) ?? [];
    expect(words).toContain('2026-10-25T00:00:00+00:00');
    const said = await airflow.airflow(...words.slice(1));
    const scheduler = await openAirflow();
    for (let tries = 0; ; tries++) {
      const [latest] = await scheduler.instances('shop_daily', 'before__5', 'customer_latest');
      if (latest?.state === 'success' && latest.tryNumber > 0) break;
      if (tries > 120) throw new Error(`it was not run: ${JSON.stringify(latest)}\n${said}`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    const [other] = await scheduler.instances('shop_daily', 'before__5', 'orders_clean');
    expect(other?.tryNumber).toBe(0);
    // By which the next run tells how long it is going to take.
    expect((await scheduler.durations('shop_daily')).get('customer_latest')?.[0]).toBeGreaterThan(0);
  });
});
