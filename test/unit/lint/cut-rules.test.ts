import { describe, expect, test } from 'vitest';
import { applyFix, checkFiles, dagWith, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

const mended = (rule: string, files: Files): string | undefined => {
  const fix = checkFiles(files).find((one) => one.rule === rule)?.fixes[0];
  const after = fix && applyFix(files, fix);
  if (after !== undefined) expect(checkFiles(after).map((one) => one.rule)).not.toContain(rule);
  return after?.['dags/one.py'];
};
const hourly = { schedule: '"@hourly"' };
const airflow3: Files = { 'requirements.txt': 'apache-airflow==3.0.2\n' };

describe('append-lookback', () => {
  const said = (files: Files) => saidBy('append-lookback', files);
  const append = (where: string, select = '*') => `INSERT INTO m.t SELECT ${select} FROM r.t WHERE ${where}`;
  const week = "day >= '{{ macros.ds_add(ds, -6) }}' AND day <= '{{ ds }}'";
  test.each<[string, Files]>([
    ['a week by day', dagWith(append(week))],
    ['a week in one condition', dagWith(append("day BETWEEN '{{ macros.ds_add(ds, -6) }}' AND '{{ ds }}'"))],
    [
      'by moments',
      dagWith(append("ts >= '{{ data_interval_start.subtract(days=2) }}' AND ts < '{{ data_interval_end }}'")),
    ],
    [
      'hours in an hourly DAG',
      dagWith(append("ts >= '{{ data_interval_start.subtract(hours=3) }}' AND ts < '{{ data_interval_end }}'"), hourly),
    ],
    ['from the clock', dagWith(append("ts >= now() - interval '3 days'"))],
    ['from the clock, by the hour', dagWith(append("ts > current_timestamp - interval '2 hours'"), hourly)],
    ['the column under another name', dagWith(append(week, 'id, day AS d'))],
  ])('speaks: %s', (_, files) => {
    expect(said(files)).toEqual(['error «INSERT INTO m.t»']);
    expect(saidBy('plain-insert', files)).toEqual([]);
  });
  test.each<[string, Files]>([
    ['the interval alone', dagWith(append("day = '{{ ds }}'"))],
    ['the day before', dagWith(append("day >= '{{ macros.ds_add(ds, -1) }}' AND day < '{{ ds }}'"))],
    ['the range is deleted first', dagWith(`DELETE FROM m.t WHERE ${week}; ${append(week)}`)],
    ['an upsert', dagWith(`${append(week)} ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n`)],
    ['an anti-join', dagWith(`${append(`${week} AND NOT EXISTS (SELECT 1 FROM m.t x WHERE x.id = r.t.id)`)}`)],
    [
      'a key of the table',
      {
        ...dagWith(`INSERT INTO m.t (id, day) SELECT id, day FROM r.t WHERE ${week}`),
        'sql/t.sql': 'CREATE TABLE m.t (id int PRIMARY KEY, day date);',
      },
    ],
    ['a figure of the week', dagWith(append(week, "'{{ ds }}' AS day, count(*)"))],
    ['a week stamped with its day', dagWith(append(week, "DATE '{{ ds }}' AS as_of, t.*"))],
    ['the latest of the week', dagWith(append(week, 'id, max(day)').concat(' GROUP BY id'))],
    ['a weekly DAG', dagWith(append(week), { schedule: '"@weekly"' })],
    ['one day of the clock in a daily DAG', dagWith(append("ts >= now() - interval '1 day'"))],
    ['a day two days ago by the clock', dagWith(append('ts >= current_date - 2 AND ts < current_date - 1'))],
    ['by hand', dagWith(append(week), { schedule: 'None' })],
    ['a staging table', dagWith(append(week).replace('m.t', 'stg.t'))],
    ['a whole rebuild', dagWith(`TRUNCATE m.t; ${append(week)}`)],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
  const bigQuery = (where: string, more = ''): Files => ({
    'dags/one.py': `from datetime import datetime
from airflow import DAG
from airflow.providers.google.cloud.operators.bigquery import BigQueryInsertJobOperator
with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False):
    BigQueryInsertJobOperator(task_id="load", configuration={"query": {"query": """SELECT * FROM r.t WHERE ${where}""",
        "destinationTable": {"projectId": "p", "datasetId": "m", "tableId": "t"}, "writeDisposition": "WRITE_APPEND"${more}}})
`,
  });
  test('a query whose result is appended', () => {
    const files = bigQuery(week);
    expect(said(files)).toEqual(['error «"writeDisposition": "WRITE_APPEND"»']);
    expect(saidBy('append-write', files)).toEqual([]);
    expect(said(bigQuery("day = '{{ ds }}'"))).toEqual([]);
  });
});

describe('hard-coded-date', () => {
  const said = (files: Files) => saidBy('hard-coded-date', files);
  const pair = (deleted: string, read: string) =>
    `DELETE FROM m.t WHERE ${deleted}; INSERT INTO m.t SELECT * FROM r.t WHERE ${read}`;
  test.each<[string, Files, string]>([
    ['a day', dagWith(pair("day = '2024-05-01'", "day = '2024-05-01'")), "day = '2024-05-01'"],
    [
      'a day that is typed',
      dagWith(pair("day = DATE '2024-05-01'", "day = DATE '2024-05-01'")),
      "day = DATE '2024-05-01'",
    ],
    [
      'a range',
      dagWith(pair("day >= '2024-05-01' AND day < '2024-05-02'", "day >= '2024-05-01' AND day < '2024-05-02'")),
      "day >= '2024-05-01'",
    ],
    ['in the input alone', dagWith(pair("day = '{{ ds }}'", "day = '2024-05-01'")), "day = '2024-05-01'"],
    [
      'an upsert',
      dagWith(
        "INSERT INTO m.t (id, n) SELECT id, n FROM r.t WHERE day = '2024-05-01' ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n",
      ),
      "day = '2024-05-01'",
    ],
    [
      'a partition',
      dagWith("INSERT OVERWRITE TABLE m.t PARTITION (dt = '2024-05-01') SELECT a FROM r.t"),
      "dt = '2024-05-01'",
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`warning «${mark}»`]));
  test.each<[string, Files]>([
    ['the interval', dagWith(pair("day = '{{ ds }}'", "day = '{{ ds }}'"))],
    ['a date from which on it counts', dagWith(pair("day = '{{ ds }}'", "day = '{{ ds }}' AND day >= '2020-01-01'"))],
    ['a rebuild from a date on', dagWith(pair("day >= '2024-01-01'", "day >= '2024-01-01'"))],
    ['the end of time', dagWith(pair("day = '{{ ds }}'", "day = '{{ ds }}' AND valid_to = '9999-12-31'"))],
    [
      'a version that counts since a date',
      dagWith(pair("day = '{{ ds }}'", "day = '{{ ds }}' AND start_date = '2024-01-01'")),
    ],
    ['a period of years', dagWith(pair("day = '{{ ds }}'", "day BETWEEN '2020-01-01' AND '2022-12-31'"))],
    ['a day that is left out', dagWith(pair("day = '{{ ds }}'", "day = '{{ ds }}' AND day <> '2024-02-30'"))],
    ['no day', dagWith(pair("day = '{{ ds }}'", "day = '{{ ds }}' AND version = '2024-05-01'"))],
    ['bad rows that are deleted for good', dagWith("DELETE FROM m.t WHERE day = '2024-05-01'")],
    ['made anew', dagWith("TRUNCATE m.t; INSERT INTO m.t SELECT * FROM r.t WHERE day = '2024-05-01'")],
    ['by hand', dagWith(pair("day = '2024-05-01'", "day = '2024-05-01'"), { schedule: 'None' })],
    ['once', dagWith(pair("day = '2024-05-01'", "day = '2024-05-01'"), { schedule: '"@once"' })],
    ['a file by hand', { 'sql/fix.sql': pair("day = '2024-05-01'", "day = '2024-05-01'") }],
    ['values', dagWith("DELETE FROM m.t WHERE day = '2024-05-01'; INSERT INTO m.t (day) VALUES ('2024-05-01')")],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
  test('its fix is the day of the run', () => {
    expect(mended('hard-coded-date', dagWith(pair("day = '2024-05-01'", "day = DATE '2024-05-01'")))).toContain(
      pair("day = '{{ ds }}'", "day = DATE '{{ ds }}'"),
    );
    expect(
      mended(
        'hard-coded-date',
        dagWith(pair("day >= '2024-05-01' AND day < '2024-05-02'", "day >= '2024-05-01' AND day < '2024-05-02'")),
      ),
    ).toContain("day >= '{{ ds }}' AND day < '{{ macros.ds_add(ds, 1) }}'");
    expect(
      mended('hard-coded-date', dagWith(pair("day = '2024-05-01'", "day = '2024-05-01'"), hourly)),
    ).toBeUndefined();
    expect(
      mended('hard-coded-date', { ...dagWith(pair("day = '2024-05-01'", "day = '2024-05-01'")), ...airflow3 }),
    ).toBeUndefined();
  });
});

describe('date-vs-timestamp-bound', () => {
  const said = (files: Files) => saidBy('date-vs-timestamp-bound', files);
  const upsert = (where: string) =>
    `INSERT INTO m.t (id, n) SELECT id, n FROM r.t WHERE ${where} ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n`;
  const ddl = (type: string): Files => ({
    'sql/t.sql': `CREATE TABLE r.t (id int, n int, happened ${type}, created_at ${type});`,
  });
  const six = '{{ macros.ds_add(ds, -6) }}';
  test.each<[string, Files, string]>([
    [
      'by its definition',
      { ...dagWith(upsert(`happened BETWEEN '${six}' AND '{{ ds }}'`)), ...ddl('timestamp') },
      `happened BETWEEN '${six}' AND '{{ ds }}'`,
    ],
    [
      'with a zone',
      { ...dagWith(upsert("happened >= '{{ ds }}' AND happened <= '{{ ds }}'")), ...ddl('timestamptz') },
      "happened <= '{{ ds }}'",
    ],
    ['equal', { ...dagWith(upsert("happened = '{{ ds }}'")), ...ddl('timestamp') }, "happened = '{{ ds }}'"],
    [
      'by its name',
      dagWith(upsert(`created_at BETWEEN '${six}' AND '{{ ds }}'`)),
      `created_at BETWEEN '${six}' AND '{{ ds }}'`,
    ],
    [
      'through an alias',
      { ...dagWith(upsert(`x.happened BETWEEN '${six}' AND '{{ ds }}'`).replace('r.t', 'r.t x')), ...ddl('timestamp') },
      `x.happened BETWEEN '${six}' AND '{{ ds }}'`,
    ],
    [
      'hours of a date',
      {
        ...dagWith(upsert("happened >= '{{ data_interval_start }}' AND happened < '{{ data_interval_end }}'"), hourly),
        ...ddl('date'),
      },
      "happened >= '{{ data_interval_start }}'",
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`error «${mark}»`]));
  test.each<[string, Files]>([
    ['a date by its definition', { ...dagWith(upsert(`created_at BETWEEN '${six}' AND '{{ ds }}'`)), ...ddl('date') }],
    ['a date by its name', dagWith(upsert(`day BETWEEN '${six}' AND '{{ ds }}'`))],
    ['of which nothing is known', dagWith(upsert(`happened BETWEEN '${six}' AND '{{ ds }}'`))],
    [
      'half-open',
      { ...dagWith(upsert("happened >= '{{ ds }}' AND happened < '{{ macros.ds_add(ds, 1) }}'")), ...ddl('timestamp') },
    ],
    ['as a date', { ...dagWith(upsert(`happened::date BETWEEN '${six}' AND '{{ ds }}'`)), ...ddl('timestamp') }],
    [
      'to the last second',
      { ...dagWith(upsert("happened BETWEEN '{{ ds }} 00:00:00' AND '{{ ds }} 23:59:59'")), ...ddl('timestamp') },
    ],
    [
      'moments',
      {
        ...dagWith(upsert("happened >= '{{ data_interval_start }}' AND happened <= '{{ data_interval_end }}'")),
        ...ddl('timestamp'),
      },
    ],
    [
      'its end is where the next one begins',
      { ...dagWith(upsert("happened BETWEEN '{{ ds }}' AND '{{ macros.ds_add(ds, 1) }}'")), ...ddl('timestamp') },
    ],
    ['equal, by its name only', dagWith(upsert("created_at = '{{ ds }}'"))],
    ['of a month', { ...dagWith(upsert("date_trunc('day', happened) = '{{ ds }}'")), ...ddl('timestamp') }],
    [
      'a whole day of a date',
      {
        ...dagWith(upsert("happened >= '{{ data_interval_start }}' AND happened < '{{ data_interval_end }}'")),
        ...ddl('date'),
      },
    ],
    [
      'the days before a time that is written as one',
      dagWith(upsert("created_at BETWEEN '{{ ds }}'::timestamp - interval '30 days' AND '{{ ds }}'::timestamp")),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
  test.each([
    [
      `created_at BETWEEN '${six}' AND '{{ ds }}'`,
      `created_at >= '${six}' AND created_at < '{{ macros.ds_add(ds, 1) }}'`,
    ],
    [
      `created_at >= '${six}' AND created_at <= '{{ ds }}'::date`,
      `created_at >= '${six}' AND created_at < '{{ macros.ds_add(ds, 1) }}'::date`,
    ],
    [
      `created_at >= '${six}' AND '{{ ds }}' >= created_at`,
      `created_at >= '${six}' AND '{{ macros.ds_add(ds, 1) }}' > created_at`,
    ],
    [
      `created_at BETWEEN '${six}' AND '{{ macros.ds_add(ds, -1) }}'`,
      `created_at >= '${six}' AND created_at < '{{ ds }}'`,
    ],
  ])('%s becomes %s', (before, after) =>
    expect(mended('date-vs-timestamp-bound', dagWith(upsert(before)))).toContain(after),
  );
});

describe('slice-mismatch', () => {
  const said = (files: Files) => saidBy('slice-mismatch', files);
  const pair = (select: string, where: string, from = 'r.t') =>
    `DELETE FROM m.t WHERE order_date = '{{ ds }}'; INSERT INTO m.t (id, order_date) SELECT ${select} FROM ${from} WHERE ${where}`;
  test.each<[string, Files, string]>([
    [
      'by the day of loading',
      dagWith(pair('id, order_date', "loaded_on = '{{ ds }}'")),
      "WHERE loaded_on = '{{ ds }}'",
    ],
    [
      'by its moments',
      dagWith(
        pair('id, order_date', "created_at >= '{{ data_interval_start }}' AND created_at < '{{ data_interval_end }}'"),
      ),
      "WHERE created_at >= '{{ data_interval_start }}' AND created_at < '{{ data_interval_end }}'",
    ],
    [
      'beside another condition',
      dagWith(pair('id, order_date', "ok AND loaded_on = '{{ ds }}'")),
      "loaded_on = '{{ ds }}'",
    ],
    ['from a moment', dagWith(pair('id, ordered_at::date', "loaded_on = '{{ ds }}'")), "WHERE loaded_on = '{{ ds }}'"],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`error «${mark}»`]));
  test.each<[string, Files]>([
    ['the same column', dagWith(pair('id, order_date', "order_date = '{{ ds }}'"))],
    [
      'the day of its moment',
      dagWith(
        pair(
          'id, ordered_at::date',
          "ordered_at >= '{{ data_interval_start }}' AND ordered_at < '{{ data_interval_end }}'",
        ),
      ),
    ],
    ['both', dagWith(pair('id, order_date', "loaded_on = '{{ ds }}' AND order_date = '{{ ds }}'"))],
    ['a stamp of the run', dagWith(pair("id, '{{ ds }}'", "loaded_on = '{{ ds }}'"))],
    [
      'another table’s day, by which it is joined',
      dagWith(pair('a.id, a.order_date', "c.day = '{{ ds }}'", 'r.t a JOIN r.c c ON c.day = a.order_date')),
    ],
    ['a calendar', dagWith(pair('a.id, a.order_date', "c.day = '{{ ds }}'", 'r.t a JOIN r.c c ON c.id = a.day_id'))],
    [
      'a margin',
      dagWith(
        pair(
          'id, order_date',
          "loaded_on >= '{{ ds }}' AND loaded_on < '{{ macros.ds_add(ds, 3) }}' AND order_date = '{{ ds }}'",
        ),
      ),
    ],
    ['columns that are compared', dagWith(pair('id, order_date', "loaded_on = '{{ ds }}' AND order_date = loaded_on"))],
    [
      'an upsert',
      dagWith(
        "INSERT INTO m.t (id, order_date) SELECT id, order_date FROM r.t WHERE loaded_on = '{{ ds }}' ON CONFLICT (id) DO UPDATE SET order_date = EXCLUDED.order_date",
      ),
    ],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
  const joined = (stops: string, on: string, items = 'p.dt, p.trip, s.stop') =>
    dagWith(`
    DELETE FROM m.v WHERE dt = '{{ ds }}';
    INSERT INTO m.v (dt, trip, stop)
    WITH stops AS (SELECT * FROM r.stops WHERE ${stops} = '{{ ds }}'),
         positions AS (SELECT * FROM r.positions WHERE dt = '{{ ds }}')
    SELECT ${items} FROM positions p JOIN stops s ${on}`);
  test('an input that is cut by the date by which it is joined', () => {
    expect(said(joined('service_date', 'USING (service_date, trip)'))).toEqual([
      "error «WHERE service_date = '{{ ds }}'»",
    ]);
    expect(said(joined('service_date', 'ON s.service_date = p.service_date AND s.trip = p.trip'))).toEqual([
      "error «WHERE service_date = '{{ ds }}'»",
    ]);
    expect(said(joined('service_date', 'USING (trip)'))).toEqual([]);
    expect(said(joined('dt', 'USING (dt, trip)'))).toEqual([]);
  });
});

describe('timezone-mismatch', () => {
  const said = (files: Files) => saidBy('timezone-mismatch', files);
  const tokyo = "(sold_at AT TIME ZONE 'Asia/Tokyo')::date";
  const own = "sold_at >= '{{ data_interval_start }}' AND sold_at < '{{ data_interval_end }}'";
  const sales = (day: string, where = own, deleted = "d = '{{ ds }}'") =>
    `DELETE FROM m.s WHERE ${deleted}; INSERT INTO m.s (d, n) SELECT ${day} AS d, sum(n) FROM r.s WHERE ${where} GROUP BY 1`;
  const local =
    (zone: string) =>
    (files: Files): Files => ({
      'dags/one.py': (files['dags/one.py'] ?? '')
        .replace('from datetime import datetime', 'import pendulum')
        .replace('datetime(2024, 1, 1)', `pendulum.datetime(2024, 1, 1, tz="${zone}")`),
    });
  test.each<[string, Files, string]>([
    ['a day of Tokyo from a day of UTC', dagWith(sales(tokyo)), `${tokyo} AS d`],
    [
      'by date_trunc',
      dagWith(sales("date_trunc('day', sold_at AT TIME ZONE 'Asia/Tokyo')")),
      "date_trunc('day', sold_at AT TIME ZONE 'Asia/Tokyo') AS d",
    ],
    [
      'by ds',
      dagWith(sales(tokyo, "sold_at >= '{{ ds }}' AND sold_at < '{{ macros.ds_add(ds, 1) }}'")),
      `${tokyo} AS d`,
    ],
    [
      'a partition',
      dagWith(
        `INSERT OVERWRITE TABLE m.s PARTITION (dt) SELECT n, date(from_utc_timestamp(sold_at, 'Asia/Tokyo')) AS dt FROM r.s WHERE ${own}`,
      ),
      "date(from_utc_timestamp(sold_at, 'Asia/Tokyo')) AS dt",
    ],
    [
      'under an upsert',
      dagWith(
        `INSERT INTO m.s (d, n) SELECT ${tokyo} AS d, sum(n) FROM r.s WHERE ${own} GROUP BY 1 ON CONFLICT (d) DO UPDATE SET n = EXCLUDED.n`,
      ),
      `${tokyo} AS d`,
    ],
    [
      'a day of New York that is not over',
      dagWith(sales("'{{ ds }}'", "(sold_at AT TIME ZONE 'America/New_York')::date = '{{ ds }}'")),
      "(sold_at AT TIME ZONE 'America/New_York')::date = '{{ ds }}'",
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`error «${mark}»`]));
  test.each<[string, Files]>([
    [
      'a DAG of that zone',
      local('Asia/Tokyo')(
        dagWith(sales(tokyo, own, 'd = \'{{ data_interval_start.in_timezone("Asia/Tokyo") | ds }}\'')),
      ),
    ],
    ['a day of UTC', dagWith(sales("(sold_at AT TIME ZONE 'UTC')::date"))],
    ['a local day that is over', dagWith(sales("'{{ ds }}'", `${tokyo} = '{{ ds }}'`))],
    ['the same local day in both', dagWith(sales(tokyo, `${tokyo} = '{{ ds }}'`))],
    [
      'a margin around the local day',
      dagWith(
        sales(
          tokyo,
          `${tokyo} = '{{ ds }}' AND sold_at >= '{{ macros.ds_add(ds, -1) }}' AND sold_at < '{{ macros.ds_add(ds, 1) }}'`,
        ),
      ),
    ],
    ['a wall time', { ...dagWith(sales(tokyo)), 'sql/t.sql': 'CREATE TABLE r.s (sold_at timestamp, n int);' }],
    [
      'a column beside the slice',
      dagWith(
        `DELETE FROM m.s WHERE sold_at >= '{{ data_interval_start }}' AND sold_at < '{{ data_interval_end }}'; INSERT INTO m.s (sold_at, d, n) SELECT sold_at, ${tokyo} AS d, n FROM r.s WHERE ${own}`,
      ),
    ],
    [
      'a run that comes after the local day',
      dagWith(sales("'{{ ds }}'", "(sold_at AT TIME ZONE 'America/New_York')::date = '{{ ds }}'"), {
        schedule: '"0 6 * * *"',
      }),
    ],
    ['a zone that the text does not say', dagWith(sales('sold_at::date'))],
    ['by hand', dagWith(sales(tokyo), { schedule: 'None' })],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
});

describe('partial-group', () => {
  const said = (files: Files) => saidBy('partial-group', files);
  const upsert = (items: string, by: string, set: string, key = 'who', where = "day = '{{ ds }}'") =>
    `INSERT INTO m.t (who, n) SELECT ${items} FROM r.t WHERE ${where} GROUP BY ${by} ON CONFLICT (${key}) DO UPDATE SET ${set}`;
  const slices = (items: string, rest = '') =>
    `DELETE FROM m.t WHERE day = '{{ ds }}'; INSERT INTO m.t SELECT ${items} FROM r.t WHERE day = '{{ ds }}'${rest}`;
  test.each<[string, Files, string]>([
    ['a count for each', dagWith(upsert('who, count(*)', 'who', 'n = EXCLUDED.n')), 'count(*)'],
    ['by position', dagWith(upsert('who, sum(x) AS n', '1', 'n = EXCLUDED.n')), 'sum(x) AS n'],
    ['the first time', dagWith(upsert('who, min(at)', 'who', 'n = EXCLUDED.n')), 'min(at)'],
    [
      'below a query',
      dagWith(
        upsert('who, sum(x)', 'who', 'n = EXCLUDED.n').replace(
          "FROM r.t WHERE day = '{{ ds }}'",
          "FROM (SELECT * FROM r.t WHERE day = '{{ ds }}') x",
        ),
      ),
      'sum(x)',
    ],
    [
      'MERGE',
      dagWith(
        "MERGE INTO m.t t USING (SELECT who, count(*) AS n FROM r.t WHERE day = '{{ ds }}' GROUP BY who) s ON t.who = s.who WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (who, n) VALUES (s.who, s.n)",
      ),
      'count(*) AS n',
    ],
    [
      'a month from one of its days',
      dagWith(upsert("date_trunc('month', day), count(*)", '1', 'n = EXCLUDED.n')),
      'count(*)',
    ],
    [
      'sessions by their start',
      dagWith(
        "DELETE FROM m.t WHERE started_at >= '{{ data_interval_start }}' AND started_at < '{{ data_interval_end }}'; INSERT INTO m.t (id, started_at) SELECT id, min(at) FROM r.t WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}' GROUP BY id",
      ),
      'min(at)',
    ],
    [
      'a part that the clock chooses',
      dagWith(upsert('who, count(*)', 'who', 'n = EXCLUDED.n', 'who', "at >= now() - interval '1 day'")),
      'count(*)',
    ],
    [
      'the first one of what is new by the clock',
      dagWith(
        "INSERT INTO m.t (slot, is_first) SELECT slot, row_number() OVER (PARTITION BY epoch ORDER BY slot) = 1 AS is_first FROM r.t WHERE slot_time >= date_trunc('day', current_timestamp - interval '1 day') ON CONFLICT (slot) DO UPDATE SET is_first = EXCLUDED.is_first",
      ),
      'row_number() OVER (PARTITION BY epoch ORDER BY slot) = 1 AS is_first',
    ],
    ['in a file by itself', { 'sql/a.sql': upsert('who, count(*)', 'who', 'n = EXCLUDED.n') }, 'count(*)'],
    [
      'the row before',
      dagWith(slices('day, who, lag(at) OVER (PARTITION BY who ORDER BY at) AS before')),
      'lag(at) OVER (PARTITION BY who ORDER BY at) AS before',
    ],
    [
      'the first one',
      dagWith(slices('day, who, row_number() OVER (PARTITION BY who ORDER BY at) = 1 AS is_first')),
      'row_number() OVER (PARTITION BY who ORDER BY at) = 1 AS is_first',
    ],
    [
      'a running sum',
      dagWith(slices('day, who, sum(x) OVER (PARTITION BY who ORDER BY at) AS running_total')),
      'sum(x) OVER (PARTITION BY who ORDER BY at) AS running_total',
    ],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`error «${mark}»`]));
  test.each<[string, Files]>([
    [
      'a figure of the day',
      dagWith(
        "INSERT INTO m.t (who, day, n) SELECT who, day, count(*) FROM r.t WHERE day = '{{ ds }}' GROUP BY 1, 2 ON CONFLICT (who, day) DO UPDATE SET n = EXCLUDED.n",
      ),
    ],
    [
      'stamped with the day',
      dagWith(
        "INSERT INTO m.t (who, day, n) SELECT who, DATE '{{ ds }}', count(*) FROM r.t WHERE day = '{{ ds }}' GROUP BY who ON CONFLICT (who, day) DO UPDATE SET n = EXCLUDED.n",
      ),
    ],
    ['added to what is there', dagWith(upsert('who, count(*)', 'who', 'n = t.n + EXCLUDED.n'))],
    ['the earlier one', dagWith(upsert('who, min(at)', 'who', 'n = LEAST(t.n, EXCLUDED.n)'))],
    ['the latest time', dagWith(upsert('who, max(at)', 'who', 'n = EXCLUDED.n'))],
    [
      'whole groups',
      dagWith(
        upsert('who, count(*)', 'who', 'n = EXCLUDED.n', 'who', "who IN (SELECT who FROM r.t WHERE day = '{{ ds }}')"),
      ),
    ],
    ['all there is', dagWith(upsert('who, count(*)', 'who', 'n = EXCLUDED.n', 'who', 'ok'))],
    [
      'the hour of a moment',
      dagWith(
        "INSERT INTO m.t (who, n) SELECT date_trunc('hour', at), count(*) FROM r.t WHERE at >= '{{ data_interval_start }}' AND at < '{{ data_interval_end }}' GROUP BY 1 ON CONFLICT (who) DO UPDATE SET n = EXCLUDED.n",
      ),
    ],
    [
      'a month read whole',
      dagWith(
        upsert(
          "date_trunc('month', day), count(*)",
          '1',
          'n = EXCLUDED.n',
          'who',
          "day >= date_trunc('month', DATE '{{ ds }}') AND day < date_trunc('month', DATE '{{ ds }}') + interval '1 month'",
        ),
      ),
    ],
    ['people of the day', dagWith(slices('day, who, count(*)', ' GROUP BY day, who'))],
    [
      'a dedupe',
      dagWith(
        "DELETE FROM m.t WHERE day = '{{ ds }}'; INSERT INTO m.t SELECT day, who FROM (SELECT *, row_number() OVER (PARTITION BY who ORDER BY at) AS rn FROM r.t WHERE day = '{{ ds }}') x WHERE rn = 1",
      ),
    ],
    [
      'the cheapest of the day',
      dagWith(slices('day, who, row_number() OVER (PARTITION BY shop ORDER BY price) = 1 AS is_cheapest')),
    ],
    ['a rank of the day', dagWith(slices('day, who, rank() OVER (PARTITION BY shop ORDER BY sold DESC) AS place'))],
    ['a window by day', dagWith(slices('day, who, lag(at) OVER (PARTITION BY who, day ORDER BY at) AS before'))],
    [
      'cut once more above',
      dagWith(
        "DELETE FROM m.t WHERE day = '{{ ds }}'; INSERT INTO m.t SELECT day, who, before FROM (SELECT day, who, lag(at) OVER (PARTITION BY who ORDER BY at) AS before FROM r.t WHERE day >= '{{ macros.ds_add(ds, -30) }}' AND day <= '{{ ds }}') x WHERE day = '{{ ds }}'",
      ),
    ],
    [
      'groups that began in the interval',
      dagWith(
        "DELETE FROM m.t WHERE day = '{{ ds }}'; INSERT INTO m.t (id, day) SELECT id, min(day) FROM r.t WHERE day >= '{{ ds }}' AND day < '{{ macros.ds_add(ds, 2) }}' GROUP BY id HAVING min(day) = '{{ ds }}'",
      ),
    ],
    ['by hand', dagWith(upsert('who, count(*)', 'who', 'n = EXCLUDED.n'), { schedule: 'None' })],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));
  test('its fix reads whole groups, where the query is simple enough', () => {
    expect(mended('partial-group', dagWith(upsert('who, count(*)', 'who', 'n = EXCLUDED.n')))).toContain(
      "FROM r.t WHERE who IN (SELECT who FROM r.t WHERE day = '{{ ds }}') GROUP BY who",
    );
    expect(
      mended(
        'partial-group',
        dagWith(upsert('who, count(*)', 'who', 'n = EXCLUDED.n').replace('r.t', 'r.t JOIN r.u USING (who)')),
      ),
    ).toBeUndefined();
  });
});
