import { describe, expect, test } from 'vitest';
import { checkFiles, dagWith, inWords } from '../../support/check-files.ts';

const upsert = `INSERT INTO mart.orders (id, total, loaded_at, seen_at)
SELECT id, total, now(), current_timestamp FROM raw.orders
ON CONFLICT (id) DO UPDATE SET total = EXCLUDED.total`;

const declared = (table: string, ...volatile: readonly string[]) =>
  new Map([['one.load', { reads: [], writes: [{ table, column: undefined, key: [], volatile }] }]]);

const marks = (sql: string, said: ReturnType<typeof declared>): readonly string[] => {
  const files = dagWith(sql);
  return checkFiles(files, {}, said).map((finding) => inWords(files, finding));
};

describe('a column that is declared volatile', () => {
  test('is no news: the hint is about the others', () => {
    expect(marks(upsert, new Map())).toEqual(['wall-clock hint «now()»']);
    expect(marks(upsert, declared('mart.orders', 'Loaded_At'))).toEqual(['wall-clock hint «current_timestamp»']);
    expect(marks(upsert, declared('orders', 'loaded_at', 'seen_at'))).toEqual([]);
  });

  test('of another table does not silence the hint', () => {
    expect(marks(upsert, declared('mart.other', 'loaded_at', 'seen_at'))).toEqual(['wall-clock hint «now()»']);
  });

  test('is still an error where it decides rows', () => {
    const deletes = 'DELETE FROM mart.orders WHERE loaded_at >= current_date';
    expect(marks(deletes, declared('mart.orders', 'loaded_at'))).toEqual(['wall-clock error «current_date»']);
  });

  test('may be filled by the Python of the file', () => {
    const files = {
      'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator

with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    SQLExecuteQueryOperator(task_id="load", conn_id="dw", sql=f"""
        INSERT INTO mart.orders (id, loaded_at) SELECT id, '{datetime.now()}' FROM raw.orders
        ON CONFLICT (id) DO UPDATE SET loaded_at = EXCLUDED.loaded_at""")
`,
    };
    const found = (said: ReturnType<typeof declared>) => checkFiles(files, {}, said).map((one) => inWords(files, one));
    expect(found(new Map())).toEqual(['wall-clock hint «datetime.now()»']);
    expect(found(declared('mart.orders', 'loaded_at'))).toEqual([]);
  });
});

describe('a time of the run below the rows that are written', () => {
  const insert = (items: string, common = 'SELECT id, now() AS seen_at FROM raw.orders') =>
    marks(`TRUNCATE mart.orders; WITH c AS (${common}) INSERT INTO mart.orders SELECT ${items} FROM c\n`, new Map());
  const hint = ['wall-clock hint «now()»'];
  test.each([
    ['it is taken by its name', insert('id, seen_at')],
    ['under another one', insert('id, c.seen_at AS loaded')],
    ['with all the others', insert('*')],
    ['into a value', insert('id, coalesce(seen_at, now_of_source)')],
    ['it says which rows are taken', insert('id FROM (SELECT id FROM c WHERE seen_at > due) d --')],
    [
      'by a part of a UNION',
      insert('id, seen_at', 'SELECT id, at AS seen_at FROM r.a UNION ALL SELECT id, now() FROM r.b'),
    ],
  ])('is in them: %s', (_, found) => expect(found).toEqual(hint));
  test.each([
    ['nothing takes it', insert('id')],
    ['a column of that name of another table is taken', insert('x.id, o.seen_at FROM raw.o o, c x --')],
    ['nor of a part of a UNION', insert('id', 'SELECT id, at AS seen_at FROM r.a UNION ALL SELECT id, now() FROM r.b')],
  ])('is not in them: %s', (_, found) => expect(found).toEqual([]));
});

describe('a value that is made of columns and the clock', () => {
  const said = (value: string): readonly string[] =>
    checkFiles(dagWith(`TRUNCATE mart.p; INSERT INTO mart.p SELECT id, ${value} AS v FROM raw.p`)).map(
      ({ message }) => message,
    );
  const reckoned =
    'v is reckoned from the clock, so a rerun at another time may give another value; reckon it from the end of the interval, or list it as volatile in backfill.yaml.';
  const written =
    'v tells when the row was written, so it differs after every run; list it as volatile in backfill.yaml to leave it out of the row checksum.';
  test.each(['age(now(), born)', 'current_date - born', 'coalesce(seen, now())', "to_char(now(), 'YYYY') || code"])(
    'is no time at which it was written: %s',
    (value) => expect(said(value)).toEqual([reckoned]),
  );
  test.each(['now()', 'now()::date', "to_char(now(), 'YYYY-MM-DD')", "date_trunc('hour', now())"])(
    'nor is a time made one by how it is written: %s',
    (value) => expect(said(value)).toEqual([written]),
  );
});
