import { type CureCase, day } from './cure-case.ts';

/** What a run or a proof tells of a task, with what is to be said of it. */
export const toldCases: Readonly<Record<string, CureCase>> = {
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
