import { type CureCase, day, replace } from './cure-case.ts';

const refuses = 'alter table mart.f add constraint few check (id < 20)';
const takesAll = 'alter table mart.f drop constraint few';
const longAgo = ['--from', '2026-11-05', '--to', '2026-11-06', '--now', '2026-11-11T12:00', '--yes'];
const rowsOfThen = "insert into raw.ev select date '2026-11-05', g, g from generate_series(50, 55) g";
const staged = {
  fill: "TRUNCATE mart.stage; INSERT INTO mart.stage SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'",
  load: "DELETE FROM mart.f WHERE day = '{{ ds }}'; INSERT INTO mart.f SELECT day, id, v FROM mart.stage",
};

const circle = {
  g: `${replace('mart.g').replace('raw.ev', 'mart.f')} INSERT INTO mart.g SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'`,
  f: replace('mart.f').replace('raw.ev', 'mart.g'),
};

/** Plans that are not started, runs that are not gone on with, units that fail. */
export const stoppedCases: Readonly<Record<string, CureCase>> = {
  'rows that are added again': {
    codes: ['append-in-plan', 'plan-errors'],
    ddl: ['create table mart.log (day date, id int)'],
    tasks: { f: "INSERT INTO mart.log SELECT day, id FROM raw.ev WHERE day = '{{ ds }}'" },
    steps: [[/only adds rows to mart\.log/, 'option']],
  },
  'a number that is added again': {
    codes: ['append-in-plan'],
    ddl: ["insert into mart.f values ('2026-11-10', 3, 1)"],
    tasks: { f: "UPDATE mart.f SET v = v + 1 WHERE day = '{{ ds }}'" },
    yaml: 'tasks: { d.f: { writes: [{ table: mart.f, volatile: [id] }] } }',
    steps: [[/adds to v of mart\.f/, 'option']],
  },
  'a number that a function of the database adds to': {
    codes: ['append-in-plan'],
    ddl: [
      "insert into mart.f values ('2026-11-10', 3, 1)",
      'create function mart.bump(n int) returns int language sql immutable as $$ select n + 1 $$',
    ],
    tasks: { f: "UPDATE mart.f SET v = mart.bump(v) WHERE day = '{{ ds }}'" },
    steps: [[/adds to v of mart\.f/, 'option']],
  },
  'a number that a block of PL/pgSQL adds to': {
    codes: ['append-in-plan'],
    ddl: [
      "insert into mart.f values ('2026-11-10', 3, 1)",
      'create function mart.bump(n int) returns int language plpgsql as $$ begin if n is null then return 0; end if; return n + 1; end $$',
    ],
    tasks: { f: "UPDATE mart.f SET v = mart.bump(v) WHERE day = '{{ ds }}'" },
    steps: [[/adds to v of mart\.f/, 'option']],
  },
  'a value that a function of the database only cleans': {
    ddl: [
      "insert into mart.f values ('2026-11-10', 3, -1)",
      'create function mart.clean(n int) returns int language plpgsql as $$ begin return greatest(n, 0); end $$',
    ],
    tasks: { f: "UPDATE mart.f SET v = mart.clean(v) WHERE day = '{{ ds }}'" },
    steps: [],
  },
  'a range without a run': {
    codes: ['empty-selection'],
    ddl: ["insert into raw.ev values ('2026-11-01', 70, 1)"],
    tasks: { f: replace('mart.f') },
    command: ['run', 'd', '--from', '2026-10-20', '--to', '2026-10-21', '--now', '2026-11-11T12:00', '--yes'],
    steps: [
      [
        /nearest: the run of 2026-11-01T00:00:00Z/,
        { ask: ['run', 'd', '--logical-dates', '2026-11-01..2026-11-01', '--now', '2026-11-11T12:00', '--yes'] },
      ],
    ],
  },
  'a view that shows no table as it is': {
    codes: ['no-table'],
    ddl: ['create view mart.seen as select day, max(id) as id, max(v) as v from mart.f group by day'],
    tasks: { f: replace('mart.seen') },
    steps: [[/a view .*Let its statements name the table behind it/, { tasks: { f: replace('mart.f') } }]],
  },
  'a part of a date that is in no number or text': {
    codes: ['unsayable-slice'],
    tasks: { f: replace('mart.f') },
    yaml: 'tasks: { d.f: { writes: [{ table: mart.f, columns: [day, id] }] } }',
    steps: [
      [
        /Name under columns in backfill\.yaml those that do, or say column or expression instead/,
        { yaml: 'tasks: { d.f: { writes: [{ table: mart.f, column: day }] } }' },
      ],
    ],
  },
  'a file that its scheduler cannot load': {
    codes: ['not-loadable'],
    tasks: { f: replace('mart.f') },
    schedule: '"@daily", fail_stop=True',
    airflow: 3,
    steps: [
      [/does not load the file of d\.f.*say under airflow in backfill\.yaml which version runs it/, { airflow: 2 }],
    ],
  },
  'tasks that wait for each other': {
    codes: ['cycle'],
    ddl: ['create table mart.g (day date, id int, v int)'],
    tasks: circle,
    apart: true,
    steps: [[/wait for each other[\s\S]*say in the file which of these tasks runs first/, { apart: false }]],
  },
  'tasks that wait for each other, one at a time': {
    codes: ['cycle'],
    ddl: ['create table mart.g (day date, id int, v int)'],
    tasks: circle,
    apart: true,
    steps: [
      [
        /wait for each other[\s\S]*select them one at a time, without --downstream/,
        { ask: ['run', 'd.g', ...day, '--yes'] },
      ],
    ],
  },
  'rows that are gone at the source': {
    codes: ['retention'],
    ddl: [rowsOfThen],
    yaml: 'sources: { raw.ev: { retention: 3 days } }',
    tasks: { f: replace('mart.f') },
    command: ['run', 'd', ...longAgo],
    steps: [[/reads what is gone: raw\.ev keeps 3 days/, 'option']],
  },
  'snapshots that a rerun would replace': {
    codes: ['mutable-source'],
    ddl: [rowsOfThen, 'create table raw.ev_20261105 (day date, id int, v int)'],
    yaml: 'sources: { raw.ev: { mutable: true, snapshots: { table: "raw.ev_{{ ds_nodash }}" } } }',
    tasks: { f: 'DELETE FROM raw.ev_{{ ds_nodash }}; INSERT INTO raw.ev_{{ ds_nodash }} SELECT * FROM raw.ev' },
    command: ['run', 'd', ...longAgo],
    steps: [[/makes the snapshots of raw\.ev, which is overwritten in place/, 'option']],
  },
  'a snapshot that is not there': {
    codes: ['missing-snapshot'],
    yaml: 'sources: { raw.ev: { snapshots: { table: "raw.ev_{{ ds_nodash }}" } } }',
    tasks: { f: replace('mart.f') },
    steps: [
      [
        /there is no table raw\.ev_20261110 that may be read\. Leave them out, or make the snapshots first/,
        { sql: ['create table raw.ev_20261110 as select * from raw.ev'] },
      ],
    ],
  },
  'a stage without the task that fills it': {
    codes: ['missing-previous'],
    ddl: ['create table mart.stage (day date, id int, v int)'],
    tasks: staged,
    command: ['run', 'd.load', ...day, '--yes'],
    steps: [
      [
        /d\.fill fills mart\.stage anew in each run.*Select d\.fill as well/,
        { ask: ['run', 'd.fill', 'd.load', ...day, '--yes'] },
      ],
    ],
  },
  'a run whose process seems to be at work': {
    codes: ['overlapping-run', 'overlapping-plan'],
    ddl: [refuses],
    tasks: { f: replace('mart.f') },
    before: 'fails',
    alive: true,
    change: [takesAll],
    steps: [
      [
        /another run is working on the same slices: \S+ \(somebody, since .*if the process of \S+ is gone, its lease ends in/,
        'command',
      ],
    ],
  },
  'a plan beside such a run': {
    codes: ['overlapping-plan'],
    ddl: [refuses],
    tasks: { f: replace('mart.f') },
    before: 'fails',
    alive: true,
    change: [takesAll],
    command: ['plan', 'd', ...day],
    steps: [[/overlapping-plan {2}another run is working on the same slices/, 'command']],
  },
  'a reviewed plan whose rows have moved on': {
    codes: ['plan-moved-on'],
    tasks: { f: replace('mart.f') },
    between: [['plan', 'd', ...day, '--out', 'p.json']],
    change: ["insert into mart.f values ('2026-11-10', 99, 1)"],
    command: ['run', '--plan', 'p.json', '--yes'],
    steps: [
      [
        /p\.json is out of date:\n {2}- rows of mart\.f were changed: .*\n.*backfill plan d\.f .* --out p\.json/,
        { ask: ['plan', 'd', ...day, '--out', 'p.json'] },
      ],
    ],
    finally: /written to p\.json/,
  },
  'a reviewed plan whose run failed': {
    codes: ['plan-begun'],
    ddl: [refuses],
    tasks: { f: replace('mart.f') },
    between: [['plan', 'd', ...day, '--out', 'p.json']],
    command: ['run', '--plan', 'p.json', '--yes'],
    steps: [
      [/1 failed/, { sql: [takesAll] }],
      [/has begun p\.json, and 1 unit of it is left/, 'command'],
    ],
  },
  'a resume of a task whose code was mended': {
    codes: ['out-of-date'],
    ddl: [refuses],
    tasks: { f: replace('mart.f') },
    before: 'fails',
    mended: { f: replace('mart.f', ' AND id < 20') },
    command: ['resume', 'RUN'],
    steps: [[/out of date: the code of d\.f has changed since the plan was made/, 'command']],
  },
  'a resume of a task that is gone': {
    codes: ['out-of-date'],
    ddl: [refuses],
    tasks: { f: replace('mart.f') },
    before: 'fails',
    mended: { g: replace('mart.f', ' AND id < 20') },
    command: ['resume', 'RUN'],
    steps: [
      [
        /out of date: the code of d\.f has changed.*\n.*see what it did: backfill history \d/,
        { ask: ['history', 'RUN'] },
      ],
    ],
    finally: /1 failed/,
  },
  'a resume of what was undone': {
    codes: ['undone'],
    tasks: { f: replace('mart.f') },
    before: true,
    between: [['undo', 'RUN', '--yes']],
    command: ['resume', 'RUN'],
    steps: [[/run \S+ has undone it/, 'command']],
  },
  'a resume of a run that nobody knows': {
    codes: ['unknown-run'],
    tasks: { f: replace('mart.f') },
    before: true,
    command: ['resume', 'nothing'],
    steps: [[/there is no run nothing.*\n.*list them with: backfill history/, { ask: ['history'] }]],
    finally: /1 changed/,
  },
  'a resume of what another version stored': {
    codes: ['unreadable-run'],
    tasks: { f: replace('mart.f') },
    before: 'fails',
    ddl: [refuses],
    change: [takesAll, `update backfill_ledger.runs set document = '{"version":99}'`],
    command: ['resume', 'RUN'],
    steps: [[/run \S+: /, 'command']],
  },
  'a bound that falls inside of a day': {
    schedule: '"0 7 * * *"',
    yaml: 'tasks: { d.f: { writes: [{ table: mart.f, column: day }] } }',
    ddl: ["create table raw.one as select * from raw.ev where day = '2026-11-10'"],
    tasks: {
      f: 'INSERT INTO mart.f SELECT day, id, v FROM raw.one ON CONFLICT (id) DO UPDATE SET v = excluded.v',
    },
    command: ['run', 'd', '--logical-dates', '2026-11-10..2026-11-10', '--now', '2026-11-11T12:00', '--yes'],
    steps: [
      [
        /falls inside a UTC day[\s\S]*like slice: day of start \(UTC\).*then run the interval again/,
        { yaml: 'tasks: { d.f: { writes: [{ table: mart.f, column: day, slice: day of start (UTC) }] } }' },
      ],
    ],
  },
  'rows that the table does not take': {
    ddl: [refuses],
    tasks: { f: replace('mart.f') },
    change: [],
    steps: [[/violates check constraint/, { sql: ['delete from raw.ev where id >= 20'], ask: ['resume', 'LAST'] }]],
  },
  'a table that is missing': {
    tasks: { f: replace('mart.late') },
    steps: [[/mart\.late/, { sql: ['create table mart.late (day date, id int, v int)'], ask: ['resume', 'LAST'] }]],
  },
  'a right that is missing': {
    ddl: [
      'create table raw.secret as select * from raw.ev',
      'create role reader_of_cures',
      'grant usage on schema raw, mart to reader_of_cures',
      'grant select, insert, delete on mart.f to reader_of_cures',
    ],
    tasks: { f: `SET ROLE reader_of_cures; ${replace('mart.f').replace('raw.ev', 'raw.secret')} RESET ROLE;` },
    steps: [
      [
        /permission denied for table secret[\s\S]*Ask the owner for a GRANT/,
        { sql: ['grant select on raw.secret to reader_of_cures'], ask: ['resume', 'LAST'] },
      ],
    ],
  },
};
