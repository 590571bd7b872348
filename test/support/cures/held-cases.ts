import { type CureCase, replace } from './cure-case.ts';

const merge = `MERGE INTO mart.k t USING (SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}') s ON t.id = s.id
  WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT VALUES (s.day, s.id, s.v)`;

/** The words are not those of a task that adds: no plan says so. */
const doubles = `DELETE FROM mart.g WHERE day = '{{ ds }}' AND id IS NULL; ${replace('mart.g').split('; ')[1]}`;
/** What it runs is in no text that could be read. */
const added = `DO $$ DECLARE q text := 'INSERT INTO mart.g SELECT day, id, v FROM raw.ev WHERE day = ';
  BEGIN EXECUTE q || quote_literal('{{ ds }}'); END $$;`;
const onlyF = 'tasks: { d.f: { writes: [{ table: mart.g, slice: all }] } }';

/** Units that are held until somebody says what they may do. */
export const heldCases: Readonly<Record<string, CureCase>> = {
  'a trigger that keeps a journal': {
    codes: ['escaped', 'changes-again'],
    ddl: [
      'create table mart.audit (what text, id int)',
      `create function mart.aud() returns trigger language plpgsql as
       $$ begin insert into mart.audit values (tg_op, new.id); return new; end $$`,
      'create trigger aud after insert on mart.f for each row execute function mart.aud()',
    ],
    tasks: { f: replace('mart.f') },
    steps: [
      [/also wrote mart\.audit, which it does not declare/, 'yaml'],
      [/mart\.audit has 10 rows after this run and has 20 rows after a second/, 'yaml'],
    ],
  },
  'a truncation that cascades, and then empties': {
    codes: ['empty'],
    ddl: [
      'create table mart.child (id int references mart.f)',
      "insert into mart.f values ('2026-11-10', 3, 3)",
      'insert into mart.child values (3)',
    ],
    tasks: { f: "TRUNCATE mart.f CASCADE; INSERT INTO mart.f SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}'" },
    steps: [[/mart\.child would lose the only row/, 'command']],
  },
  'a foreign key that cascades': {
    codes: ['escaped', 'empty'],
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
  'a trigger that keeps a journal with a name in quotes': {
    ddl: [
      'create table mart."Audit Log" (what text, id int)',
      `create function mart.aud() returns trigger language plpgsql as
       $$ begin insert into mart."Audit Log" values (tg_op, new.id); return new; end $$`,
      'create trigger aud after insert on mart.f for each row execute function mart.aud()',
    ],
    tasks: { f: replace('mart.f') },
    steps: [
      [/also wrote mart\.Audit Log, which it does not declare/, 'yaml'],
      [/mart\.Audit Log has 10 rows after this run/, 'yaml'],
    ],
  },
  'a table with a name in quotes, outside of its slice': {
    ddl: [
      'create table mart."My T" (day date, id int primary key, v int)',
      `insert into mart."My T" values ('2026-11-11', 77, 0)`,
    ],
    tasks: { f: `${replace('mart."My T"')} UPDATE mart."My T" SET v = 1 WHERE id = 77;` },
    yaml: `tasks: { d.f: { writes: [{ table: 'mart."My T"', column: day, volatile: [v] }] } }`,
    steps: [
      [
        /wrote 1 row of mart\.My T outside its slice/,
        { yaml: `tasks: { d.f: { writes: [{ table: 'mart."My T"', slice: all }] } }` },
      ],
    ],
  },
  'a second target that only the database knows': {
    codes: ['escaped'],
    ddl: [
      'create table mart.log (at text)',
      `create function mart.note() returns int language plpgsql as $$ begin execute format('insert into %s values (1)', (select oid::regclass from pg_class where relname = 'log')); return 1; end $$`,
    ],
    tasks: { f: `${replace('mart.f')} SELECT mart.note();` },
    steps: [
      [/also wrote mart\.log/, 'yaml'],
      [/mart\.log has 1 row after this run and has 2 rows after a second/, 'yaml'],
    ],
  },
  'rows outside of the slice': {
    codes: ['escaped'],
    ddl: ["insert into mart.f values ('2026-11-11', 77, 0)"],
    tasks: { f: `${replace('mart.f')} UPDATE mart.f SET v = 1 WHERE id = 77;` },
    steps: [[/wrote 1 row of mart\.f outside its slice/, 'yaml']],
  },
  'rows that come once more with each run, let through': {
    codes: ['changes-again'],
    ddl: ['create table mart.g (day date, id int, v int)'],
    tasks: { f: doubles },
    yaml: onlyF,
    steps: [[/mart\.g has 10 rows after this run and has 20 rows after a second/, 'command']],
  },
  'rows that come once more with each run, as they are to': {
    codes: ['changes-again'],
    ddl: ['create table mart.g (day date, id int, v int)'],
    tasks: { f: doubles },
    yaml: onlyF,
    steps: [
      [
        /writes: \[\{ table: mart\.g, slice: all, journal: true \}\]/,
        { yaml: onlyF.replace('slice: all', 'slice: all, journal: true') },
      ],
    ],
  },
  'rows of a day that a text put together adds once more, as they are to': {
    codes: ['changes-again'],
    ddl: ['create table mart.g (day date, id int, v int)', "insert into mart.g values ('2026-11-09', 9, 9)"],
    tasks: { f: added },
    yaml: 'tasks: { d.f: { writes: [{ table: mart.g, column: day }] } }',
    steps: [
      [
        /writes: \[\{ table: mart\.g, column: day, journal: true \}\]/,
        { yaml: 'tasks: { d.f: { writes: [{ table: mart.g, column: day, journal: true }] } }' },
      ],
    ],
    finally: /1 changed/,
  },
  'rows that come once more with each run, and nothing of it held': {
    codes: ['changes-again'],
    ddl: ['create table mart.g (day date, id int, v int)'],
    tasks: { f: doubles },
    yaml: onlyF,
    steps: [[/hold: false under it/, { yaml: onlyF.replace('d.f: {', 'd.f: { hold: false,') }]],
  },
  'rows that come once more with each run, until the task deletes them': {
    codes: ['changes-again'],
    ddl: ['create table mart.g (day date, id int, v int)'],
    tasks: { f: doubles },
    yaml: onlyF,
    steps: [[/let the task delete or find again what its last run wrote/, { tasks: { f: replace('mart.g') } }]],
  },
  'a slice that comes out empty': {
    codes: ['empty'],
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['truncate raw.ev'],
    steps: [[/would lose all 10 rows/, 'command']],
  },
  'a slice that comes out empty, as it always may': {
    codes: ['empty'],
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['truncate raw.ev'],
    steps: [[/would lose all 10 rows/, 'yaml']],
  },
  'a slice that shrinks': {
    codes: ['shrunk'],
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['delete from raw.ev where id > 6'],
    steps: [[/would shrink from 10 to 2 rows/, 'command']],
  },
  'a key with NULL': {
    codes: ['null-key'],
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
    codes: ['escaped'],
    ddl: [
      'create table mart.ddl_log (tag text)',
      'create function mart.lg() returns event_trigger language plpgsql as $$ begin insert into mart.ddl_log values (tg_tag); end $$',
      'create event trigger lg on ddl_command_end execute function mart.lg()',
    ],
    tasks: { f: `CREATE TEMP TABLE own (a int); ${replace('mart.f')}` },
    steps: [
      [/also wrote mart\.ddl_log, which it does not declare: 1 inserted/, 'yaml'],
      [/mart\.ddl_log has \d+ rows after this run/, 'yaml'],
    ],
  },
  'a slice that shrinks, as it always may': {
    codes: ['shrunk'],
    tasks: { f: replace('mart.f') },
    before: true,
    change: ['delete from raw.ev where id > 6'],
    steps: [[/would shrink from 10 to 2 rows/, 'yaml']],
  },
  'a key with NULL, let be': {
    codes: ['null-key'],
    ddl: ['create table mart.k (day date, id int unique, v int)', "insert into raw.ev values ('2026-11-10', null, 1)"],
    tasks: {
      f: "INSERT INTO mart.k SELECT day, id, v FROM raw.ev WHERE day = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET v = excluded.v",
    },
    steps: [[/Leave such rows out, give them a key/, { sql: ['delete from raw.ev where id is null'] }]],
  },
  'a key that comes in twice': {
    codes: ['repeated-key'],
    ddl: ['create table mart.k (day date, id int, v int)', "insert into raw.ev values ('2026-11-10', 3, 4)"],
    tasks: { f: merge },
    steps: [[/gets several rows of one key \(id\)/, 'command']],
  },
  'a key that comes in twice, delivered once': {
    codes: ['repeated-key'],
    ddl: ['create table mart.k (day date, id int, v int)', "insert into raw.ev values ('2026-11-10', 3, 4)"],
    tasks: { f: merge },
    steps: [
      [
        /SELECT DISTINCT ON \(id\) … ORDER BY id/,
        {
          tasks: {
            f: merge
              .replace('SELECT day', 'SELECT DISTINCT ON (id) day')
              .replace("'{{ ds }}')", "'{{ ds }}' ORDER BY id, v)"),
          },
        },
      ],
    ],
  },
};
