import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresConnection } from '../../src/core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../src/core/warehouse/port/ports.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { freshDatabase, sql } from '../support/warehouse-fixture.ts';

const day = ['--from', '2026-11-10', '--to', '2026-11-11', '--now', '2026-11-11T12:00'];
const replace = (table: string, more = ''): string =>
  `DELETE FROM ${table} WHERE day = '{{ ds }}'; INSERT INTO ${table} SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'${more};`;
const tables = [
  'create table raw.ev (day date, id int, v int)',
  "insert into raw.ev select date '2026-11-10' + g % 3, g, g from generate_series(1, 30) g",
  'create table mart.f (day date, id int primary key, v int)',
];

/** A DAG with these tasks, one after the other. */
const dag = (tasks: Readonly<Record<string, string>>): string =>
  [
    'import pendulum',
    'from airflow import DAG',
    'from airflow.operators.python import PythonOperator',
    'from airflow.providers.postgres.hooks.postgres import PostgresHook',
    'from airflow.providers.postgres.operators.postgres import PostgresOperator',
    'def pull(ds=None):',
    '    PostgresHook("wh").run("insert into raw.ev values (%s, 99, 1)", parameters=(ds,))',
    'with DAG("d", schedule="@daily", start_date=pendulum.datetime(2026, 11, 1, tz="UTC"), catchup=True, max_active_runs=1) as dag:',
    ...Object.entries(tasks).map(([name, text]) =>
      text === 'python'
        ? `    ${name} = PythonOperator(task_id="${name}", python_callable=pull)`
        : `    ${name} = PostgresOperator(task_id="${name}", postgres_conn_id="wh", sql="""${text}""")`,
    ),
    `    ${Object.keys(tasks).join(' >> ')}`,
  ].join('\n');

/** A refusal, a hold or a failure; then its own advice is followed, as often as there is some. */
interface Case {
  readonly ddl?: readonly string[];
  readonly tasks: Readonly<Record<string, string>>;
  /** Runs that go well before `change`. */
  readonly before?: boolean;
  readonly change?: readonly string[];
  /** What is asked for in the end; a run of the whole DAG where it is left out. */
  readonly command?: readonly string[];
  /** What each answer names, and what is done about it, in order. */
  readonly steps: readonly (readonly [named: RegExp, cure: 'yaml' | 'command' | 'option'])[];
  /** What the last answer says. */
  readonly finally?: RegExp;
}

const cases: Readonly<Record<string, Case>> = {
  'a trigger that keeps a journal': {
    ddl: [
      'create table mart.audit (what text, id int)',
      `create function mart.aud() returns trigger language plpgsql as
       $$ begin insert into mart.audit values (tg_op, new.id); return new; end $$`,
      'create trigger aud after insert on mart.f for each row execute function mart.aud()',
    ],
    tasks: { f: replace('mart.f') },
    steps: [[/also wrote mart\.audit, which it does not declare/, 'yaml']],
  },
  'a truncation that cascades, and then empties': {
    ddl: [
      'create table mart.child (id int references mart.f)',
      "insert into mart.f values ('2026-11-10', 3, 3)",
      'insert into mart.child values (3)',
    ],
    tasks: { f: "TRUNCATE mart.f CASCADE; INSERT INTO mart.f SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'" },
    steps: [
      [/emptied, altered or locked all of mart\.child/, 'yaml'],
      [/mart\.child would lose the only row/, 'command'],
    ],
  },
  'a foreign key that cascades': {
    ddl: [
      'create table mart.child (id int references mart.f on delete cascade)',
      "insert into mart.f values ('2026-11-10', 3, 3)",
      'insert into mart.child values (3)',
    ],
    tasks: { f: replace('mart.f') },
    steps: [
      [/also wrote mart\.child/, 'yaml'],
      [/mart\.child would lose the only row/, 'command'],
    ],
  },
  'a second target that only the database knows': {
    ddl: [
      'create table mart.log (at text)',
      `create function mart.note() returns int language plpgsql as $$ begin execute format('insert into %s values (1)', (select oid::regclass from pg_class where relname = 'log')); return 1; end $$`,
    ],
    tasks: { f: `${replace('mart.f')} SELECT mart.note();` },
    steps: [[/also wrote mart\.log/, 'yaml']],
  },
  'rows outside of the slice': {
    ddl: ["insert into mart.f values ('2026-11-11', 77, 0)"],
    tasks: { f: `${replace('mart.f')} UPDATE mart.f SET v = 1 WHERE id = 77;` },
    steps: [[/wrote 1 row of mart\.f outside its slice/, 'yaml']],
  },
  'a slice that comes out empty': {
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['truncate raw.ev'],
    steps: [[/would lose all 10 rows/, 'command']],
  },
  'a slice that comes out empty, as it always may': {
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['truncate raw.ev'],
    steps: [[/would lose all 10 rows/, 'yaml']],
  },
  'a slice that shrinks': {
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['delete from raw.ev where id > 6'],
    steps: [[/would shrink from 10 to 2 rows/, 'command']],
  },
  'a key with NULL': {
    ddl: ['create table mart.k (day date, id int unique, v int)', "insert into raw.ev values ('2026-11-10', null, 1)"],
    tasks: {
      f: "INSERT INTO mart.k SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET v = excluded.v",
    },
    steps: [[/with NULL in its key \(id\)/, 'command']],
  },
  'a trigger that sees each definition counts none of ours': {
    ddl: [
      'create table mart.ddl_log (tag text)',
      'create function mart.lg() returns event_trigger language plpgsql as $$ begin insert into mart.ddl_log values (tg_tag); end $$',
      'create event trigger lg on ddl_command_end execute function mart.lg()',
    ],
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['update raw.ev set v = 0 where id = 3'],
    steps: [],
    finally: /1 changed/,
  },
  'a definition of the task’s own that such a trigger writes down': {
    ddl: [
      'create table mart.ddl_log (tag text)',
      'create function mart.lg() returns event_trigger language plpgsql as $$ begin insert into mart.ddl_log values (tg_tag); end $$',
      'create event trigger lg on ddl_command_end execute function mart.lg()',
    ],
    tasks: { f: `CREATE TEMP TABLE own (a int); ${replace('mart.f')}` },
    steps: [[/also wrote mart\.ddl_log, which it does not declare: 1 inserted/, 'yaml']],
  },
  'a chain that empties its stage': {
    ddl: ['create table mart.stage (day date, id int, v int)', "insert into mart.stage values ('2026-11-09', 1, 1)"],
    tasks: {
      empty: 'TRUNCATE mart.stage',
      fill: "INSERT INTO mart.stage SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'",
      load: "DELETE FROM mart.f WHERE day = '{{ ds }}'; INSERT INTO mart.f SELECT day, id, v FROM mart.stage WHERE day = '{{ ds }}'",
    },
    steps: [],
    finally: /0 unchanged, [3-9] changed/,
  },
  'a task that is not run from here': {
    tasks: { pull: 'python', f: replace('mart.f') },
    change: ["insert into raw.ev values ('2026-11-10', 99, 1)"],
    steps: [[/not runnable: d\.pull/, 'command']],
    finally: /1 done elsewhere/,
  },
  'a task that is no transaction': {
    tasks: { f: `${replace('mart.f')} VACUUM mart.f;` },
    steps: [[/cannot be one transaction because of VACUUM/, 'option']],
  },
  'rows that are added again': {
    ddl: ['create table mart.log (day date, id int)'],
    tasks: { f: "INSERT INTO mart.log SELECT day, id FROM raw.ev WHERE day = '{{ ds }}'" },
    steps: [[/only adds rows to mart\.log/, 'option']],
  },
  'a Variable that nobody has said': {
    tasks: { f: replace('mart.f', ' AND v < {{ var.value.most }}') },
    steps: [[/most/, 'yaml']],
  },
  'rows that the source has no more': {
    tasks: {
      f: "INSERT INTO mart.f SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET v = excluded.v",
    },
    before: true,
    change: ['delete from raw.ev where id = 3'],
    steps: [[/left over in 1 slice of mart\.f: 1 row/, 'yaml']],
    finally: /and taken away: 1 row/,
  },
  'a value that differs from run to run': {
    ddl: ['alter table mart.f add column r float8'],
    tasks: {
      f: "DELETE FROM mart.f WHERE day = '{{ ds }}'; INSERT INTO mart.f SELECT '{{ ds }}'::date, g, g, random() FROM generate_series(1, 5) g",
    },
    before: true,
    steps: [[/the task is not deterministic/, 'yaml']],
    finally: /1 unchanged, 0 changed/,
  },
  'a proof that finds it': {
    ddl: ['alter table mart.f add column r float8'],
    tasks: {
      f: "DELETE FROM mart.f WHERE day = '{{ ds }}'; INSERT INTO mart.f SELECT day, id, v, random() FROM raw.ev WHERE day = '{{ ds }}'",
    },
    command: ['prove', 'd', ...day],
    steps: [[/a second run leaves other rows/, 'yaml']],
    finally: /no difference found/,
  },
  'a proof that finds them': {
    tasks: {
      f: "INSERT INTO mart.f SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET v = excluded.v",
    },
    before: true,
    change: ['delete from raw.ev where id = 3'],
    command: ['prove', 'd', ...day],
    steps: [[/one clean run leaves other rows/, 'yaml']],
    finally: /no difference found/,
  },
  'a proof that finds a time of the first run': {
    ddl: ['alter table mart.f add column made_at timestamptz'],
    tasks: {
      f: "INSERT INTO mart.f SELECT day, id, v, '{{ ds }}'::timestamptz FROM raw.ev WHERE day = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET v = excluded.v",
    },
    before: true,
    change: ["update mart.f set made_at = '2020-01-01' where id = 3"],
    command: ['prove', 'd', ...day],
    steps: [[/rows with other values in made_at/, 'yaml']],
    finally: /no difference found/,
  },
};

describe('each advice works', () => {
  let parent = '';
  beforeAll(() => {
    parent = mkdtempSync(join(tmpdir(), 'backfill-cures-'));
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  test.each(Object.entries(cases))(
    '%s',
    async (_, { ddl = [], tasks, before, change = [], command, steps, finally: last }) => {
      const connection = await freshDatabase();
      const warehouse: Warehouse = await openWarehouse(connection);
      try {
        await sql(warehouse, 'create schema raw', 'create schema mart', ...tables, ...ddl);
        const place = workspace(parent, connection, tasks);
        const asked = command ?? ['run', 'd', ...day, '--yes'];
        if (before) expect(await place.cli(['run', 'd', ...day, '--yes'])).toMatchObject({ code: 0 });
        await sql(warehouse, 'select 1', ...change);
        let answer = await place.cli(asked);
        for (const [named, cure] of steps) {
          expect(textOf(answer)).toMatch(named);
          if (!/left over in|not deterministic/.test(answer.out)) expect(answer.code, textOf(answer)).not.toBe(0);
          answer = await place.follow(textOf(answer), cure, asked);
        }
        expect(textOf(answer)).toMatch(last ?? /changed/);
        expect(answer.code, textOf(answer)).toBe(0);
        const loops = textOf(await place.cli(['history']));
        expect(loops).not.toMatch(/running/);
      } finally {
        await warehouse.close();
      }
    },
  );
});

const textOf = ({ out, err }: CliResult): string => `${err}\n${out}`;

function workspace(parent: string, connection: PostgresConnection, tasks: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(parent, 'w-'));
  const { host, port, database, user, password } = connection;
  const config = join(root, 'backfill.yaml');
  const at = `host: ${host}, port: ${port}, database: ${database}, user: ${user}, password: "\${env:PW}", sslmode: disable`;
  const base = `version: 1\nairflow: { version: 2 }\nconnections:\n  wh: { ${at}, airflowIds: [wh], settings: { timezone: UTC } }\n`;
  writeFileSync(config, base);
  const file = join(root, 'dags/d.py');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, dag(tasks));
  const cli = (words: readonly string[]) => runCli(words, root, { env: { PW: String(password) } });
  const follow = (text: string, cure: Case['steps'][number][1], asked: readonly string[]): Promise<CliResult> => {
    switch (cure) {
      case 'yaml': {
        writeFileSync(config, `${base}${linesOf(text)}\n`);
        return cli(asked);
      }
      case 'command': {
        const said = [...text.matchAll(/backfill ((?:resume|done) \S+(?: [^\s;(]+)*)/g)].map(
          ([, words]) => words ?? '',
        );
        const best = said.find((words) => /\d{8}-/.test(words) && /done|--accept-held/.test(words)) ?? '';
        expect(best, text).not.toBe('');
        return cli(best.split(' '));
      }
      case 'option': {
        const [option = ''] = /--(?:not-atomic d\.f|allow-append)/.exec(text) ?? [];
        expect(option, text).not.toBe('');
        return cli([...asked, ...option.split(' ')]);
      }
    }
  };
  return { cli, follow };
}

/** What an advice says to write into `backfill.yaml`, from its key to the closing brace. */
function linesOf(text: string): string {
  const at = /(?:tasks|variables): \{/.exec(text);
  expect(at, text).not.toBeNull();
  const start = at?.index ?? 0;
  let depth = 0;
  for (let end = start; end < text.length; end++) {
    if (text[end] === '{') depth += 1;
    if (text[end] === '}' && --depth === 0) return text.slice(start, end + 1).replace('VALUE', '100');
  }
  return '';
}
