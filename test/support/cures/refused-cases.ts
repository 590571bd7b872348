import { type CureCase, day, replace } from './cure-case.ts';

const elsewhere = replace('mart.f');
const snapshots = (more: string): string => `sources: { raw.ev: { snapshots: { ${more} } } }`;
/** The state of the day, in a table of its own. */
const kept = ["create table raw.ev_20261110 as select * from raw.ev where day = '2026-11-10'"];

/** Units that are not run from here as they are. */
export const refusedCases: Readonly<Record<string, CureCase>> = {
  'a task that is not run from here': {
    codes: ['not-runnable'],
    tasks: { pull: 'python', f: replace('mart.f') },
    change: ["insert into raw.ev values ('2026-11-10', 99, 1)"],
    steps: [[/not runnable: d\.pull/, 'command']],
    finally: /1 done/,
  },
  'a Variable that nobody has said': {
    codes: ['not-rendered'],
    tasks: { f: replace('mart.f', ' AND v < {{ var.value.most }}') },
    steps: [[/most/, 'yaml']],
  },
  'a command of psql': {
    codes: ['not-rendered'],
    tasks: { f: `\\\\if true\n${replace('mart.f')}\n\\\\endif` },
    steps: [
      [
        /\\if true is a command of psql, which a connection does not carry out; write it as SQL, or as a part of the template/,
        { tasks: { f: `{% if true %}${replace('mart.f')}{% endif %}` } },
      ],
    ],
  },
  'a task that takes back a part of its own work': {
    tasks: { f: `SAVEPOINT a; DELETE FROM mart.f; ROLLBACK TO a; ${replace('mart.f')}` },
    steps: [
      [
        /ROLLBACK TO takes back what statements before it did[\s\S]*Take out its savepoint and what is taken back/,
        { tasks: { f: replace('mart.f') } },
      ],
    ],
  },
  'a task without SQL': {
    codes: ['no-statements', 'nothing-to-run'],
    tasks: { f: '-- to be written' },
    steps: [[/has no SQL to run.*give the task a statement/, { tasks: { f: replace('mart.f') } }]],
  },
  'a task that is no transaction': {
    codes: ['not-atomic'],
    tasks: { f: `${replace('mart.f')} VACUUM mart.f;` },
    steps: [[/cannot be one transaction because of VACUUM/, 'option']],
  },
  'a preview of what no rollback takes back': {
    codes: ['irrevocable'],
    ddl: ['create sequence mart.ids'],
    tasks: { f: `SELECT setval('mart.ids', 7); ${replace('mart.f')}` },
    command: ['run', 'd', ...day, '--preview'],
    steps: [[/does what no rollback takes back/, 'option']],
    finally: /preview on wh: 0 unchanged, 1 changed/,
  },
  'a proof of what no rollback takes back': {
    codes: ['irrevocable'],
    ddl: ['create sequence mart.ids'],
    tasks: { f: `SELECT setval('mart.ids', 7); ${replace('mart.f')}` },
    command: ['prove', 'd', ...day],
    steps: [[/does what no rollback takes back/, 'option']],
    finally: /no difference found/,
  },
  'a connection id that no connection lists': {
    codes: ['other-connection'],
    tasks: { f: { sql: elsewhere, connection: 'shop' } },
    yaml: '  spare: { AT(lake), airflowIds: [spare] }',
    steps: [
      [
        /its connection shop is not among the airflowIds of wh \(wh\).*add shop to the airflowIds/,
        { yaml: '  spare: { AT(lake), airflowIds: [spare, shop] }' },
      ],
    ],
  },
  'a task of another connection': {
    codes: ['other-connection'],
    tasks: { f: replace('mart.f'), g: { sql: elsewhere, connection: 'lake' } },
    yaml: '  lake: { AT(lake), settings: { timezone: UTC } }',
    steps: [
      [
        /its connection lake means lake, and this run is on wh/,
        { ask: ['run', 'd.g', ...day, '--yes', '--connection', 'lake'] },
      ],
    ],
  },
  'a task of another connection, told to the run that has the rest': {
    codes: ['other-connection', 'not-runnable'],
    tasks: { g: { sql: elsewhere, connection: 'lake' }, f: replace('mart.f') },
    yaml: '  lake: { AT(lake), settings: { timezone: UTC } }',
    steps: [
      [/its connection lake means lake, and this run is on wh.*\n.*run it by itself with --connection lake/, 'command'],
    ],
    finally: /1 changed, 1 done/,
  },
  'a task of another database': {
    codes: ['other-connection'],
    tasks: { f: { sql: elsewhere, database: 'LAKE' } },
    steps: [
      [
        /it runs in the database \w+_lake, and this run is in .*add a connection with database: \w+_lake and airflowIds: \[wh\]/,
        { yaml: '  lake: { AT(lake), airflowIds: [wh], settings: { timezone: UTC } }' },
      ],
    ],
    finally: /1 changed/,
  },
  'snapshots of a source that is read through a view': {
    codes: ['no-snapshot'],
    ddl: [...kept, 'create view raw.seen as select * from raw.ev'],
    yaml: snapshots('table: "raw.ev_{{ ds_nodash }}"'),
    tasks: {
      v: 'CREATE OR REPLACE VIEW raw.seen AS SELECT * FROM raw.ev',
      f: replace('mart.f').replace('raw.ev', 'raw.seen'),
    },
    command: ['run', 'd.f', ...day, '--yes'],
    steps: [
      [
        /reads raw\.ev through the view raw\.seen.*name raw\.ev in the task’s own SQL/,
        { tasks: { f: replace('mart.f') } },
      ],
    ],
  },
  'snapshots whose name cannot be rendered': {
    codes: ['no-snapshot'],
    ddl: kept,
    yaml: snapshots('table: "raw.ev_{{ ds_nodash }}{{ var.value.nothing }}"'),
    tasks: { f: replace('mart.f') },
    steps: [
      [
        /in the snapshots of raw\.ev cannot be rendered.*mend snapshots of raw\.ev in backfill\.yaml/,
        { yaml: snapshots('table: "raw.ev_{{ ds_nodash }}"') },
      ],
    ],
  },
  'snapshots of columns that nobody has said': {
    codes: ['no-snapshot'],
    ddl: ["create table raw.history as select date '2026-11-10' as taken_on, * from raw.ev where day = '2026-11-10'"],
    yaml: snapshots('table: raw.history, column: taken_on'),
    tasks: { f: replace('mart.f') },
    steps: [
      [
        /the columns of raw\.ev are not known.*list them as columns under snapshots of raw\.ev/,
        { yaml: snapshots('table: raw.history, column: taken_on, columns: [day, id, v]') },
      ],
    ],
  },
  'snapshots of what only the rendered text names': {
    codes: ['no-snapshot'],
    ddl: kept,
    yaml: snapshots('table: "raw.ev_{{ ds_nodash }}"'),
    tasks: { f: replace('mart.f').replace('raw.ev', "{% for t in ['raw.ev'] %}{{ t }}{% endfor %}") },
    steps: [
      [
        /that it reads raw\.ev shows only when its template is rendered.*write the name raw\.ev into the SQL/,
        { tasks: { f: replace('mart.f') } },
      ],
    ],
  },
};
