import { describe, expect, it } from 'vitest';
import { timeInWords } from '../../../src/core/lineage/facts/window-words.ts';
import { readsOf, readsOfSql, workspace } from './workspace.ts';

const s = "'{{ data_interval_start }}'";
const e = "'{{ data_interval_end }}'";
const inInterval = `ts >= ${s} and ts < ${e}`;
const day = 'day of start (UTC)';
const month = 'month of start (UTC)';
const first = (format: string): string => `'{{ data_interval_start.strftime("${format}") }}'`;
const ofDay = `[${day}, ${day} + 1 day)`;

describe('a predicate on the time column', () => {
  it.each([
    [inInterval, 'src.ts [start, end)'],
    [`${s} <= ts and ${e} > ts`, 'src.ts [start, end)'],
    [`ts >= ${s}::timestamptz - interval '6 days' and ts < ${e}`, 'src.ts [start - 6 days, end)'],
    [`ts >= ${s}::timestamptz - 6 * interval '1 day' and ts < ${e}`, 'src.ts [start - 6 days, end)'],
    [`ts >= date_trunc('month', ${s}::timestamp) and ts < ${e}`, 'src.ts [month of start (UTC), end)'],
    [`ts >= ${s} and ts < ${e}::timestamptz + interval '1 day'`, 'src.ts [start, end + 1 day)'],
    [`ts < ${e}`, 'src.ts everything before end'],
    [`ts >= '2020-01-01' and ts < ${e}`, 'src.ts everything before end'],
    [`ts >= ${s}`, 'src.ts everything from start on'],
    [`date_trunc('day', ts) = '{{ ds }}'`, `src.ts ${ofDay}`],
    [`ts::date = '{{ ds }}'`, `src.ts ${ofDay}`],
    [`date(ts) >= '{{ ds }}' and date(ts) <= '{{ ds }}'`, `src.ts ${ofDay}`],
    [`date_trunc('day', ts) < ${e}`, 'src.ts everything before day of end (UTC) + 1 day'],
    [`ts >= '{{ ds }} 00:00:00' and ts < '{{ ds }} 12:00:00'`, `src.ts [${day}, ${day} + 12 hours)`],
    [`ts >= '{{ ds }}' || ' 06:00:00' and ts < ${e}`, `src.ts [${day} + 6 hours, end)`],
    [`ts + interval '1 hour' < ${e} and ts >= ${s}`, 'src.ts [start, end - 1 hour)'],
    [`ts >= ${s} and ts < ${s}::timestamptz + make_interval(hours => 6)`, 'src.ts [start, start + 6 hours)'],
    [`ts >= ${s} and ts < dateadd(day, 1, ${s})`, 'src.ts [start, start + 1 day)'],
    [`ts >= '{{ logical_date.subtract(days=1) }}' and ts < ${e}`, 'src.ts [start - 1 day, end)'],
  ])('%s', (where, window) => {
    expect(readsOfSql(`insert into t select * from src where ${where}`)).toEqual([window]);
  });

  it.each([
    [`day = '{{ ds }}'`, ofDay],
    [`day = '{{ ds }}'::date - 1`, `[${day} - 1 day, ${day})`],
    [`day = date '{{ ds }}' - interval '1 day'`, `[${day} - 1 day, ${day})`],
    [`day <= '{{ ds }}'`, `everything before ${day} + 1 day`],
    [`day between '{{ macros.ds_add(ds, -6) }}' and '{{ ds }}'`, `[${day} - 6 days, ${day} + 1 day)`],
    [
      `day between symmetric '{{ ds }}' and date '{{ ds }}' - 3`,
      `[${day} or ${day} - 3 days, ${day} - 2 days or ${day} + 1 day)`,
    ],
    [`day in ('{{ ds }}', '{{ ds }}'::date - 7)`, `[${day} or ${day} - 7 days, ${day} + 1 day or ${day} - 6 days)`],
    [`to_char(day, 'YYYYMMDD') = '{{ ds_nodash }}'`, ofDay],
    [`day >= ${first('%Y-%m-01')} and day <= '{{ ds }}'`, `[${month}, ${day} + 1 day)`],
    [`day > ${first('%Y-%m-01')} and day <= '{{ ds }}'`, `[${month}, ${day} + 1 day)`],
    [`day >= {{ data_interval_start.strftime("%Y%m01") }} and day <= {{ ds_nodash }}`, `[${month}, ${day} + 1 day)`],
    [`day >= ${first('%Y-01-01')} and day < ${first('%Y-%m-01')}`, `[year of start (UTC), ${month})`],
    [`day >= ${first('%Y-%m-01 00:00:00')} and day <= '{{ ds }}'`, `[${month}, ${day} + 1 day)`],
    [
      `date_trunc('month', day) = date_trunc('month', '{{ ds }}'::date)`,
      '[month of start (UTC), month of start (UTC) + 1 month)',
    ],
  ])('on a column of dates: %s', (where, window) => {
    expect(readsOfSql(`insert into t select * from daily where ${where}`)).toEqual([`daily.day ${window}`]);
  });
});

describe('a time that a condition puts in a way that is not read', () => {
  it.each([
    "now() - ts < interval '1 day'",
    'datediff(day, ts, getdate()) <= 1',
    'timestampdiff(hour, ts, now()) < 2',
    "age(ts) < interval '3 days'",
    'extract(epoch from now() - ts) < 3600',
    'to_days(now()) - to_days(ts) <= 1',
    'year(ts) = year(now()) and month(ts) = month(now())',
    "coalesce(ts, made) >= now() - interval '1 day'",
    "coalesce(ts, made) >= '{{ ds }}'",
    "case when n = 1 then ts else made end >= '{{ ds }}'",
    "greatest(ts, made) >= '{{ ds }}' and greatest(ts, made) < '{{ tomorrow_ds }}'",
    'isnull(ts, made) >= dateadd(day, -1, getdate())',
    'extract(year from ts) = {{ logical_date.year }}',
    "datediff('day', ts, '{{ ds }}') between 0 and 6",
    "not (datediff('day', ts, '{{ ds }}') > 6 or n = 1)",
    "(ts, n) > ('{{ ds }}', 3)",
    "coalesce(ts, made) > '{{ ds }}' or made > '{{ ds }}'",
  ])('is unknown: %s', (where) => {
    expect(readsOfSql(`insert into t select * from src where ${where}`)).toEqual([
      expect.stringMatching(/^src unknown: the bound on (?:ts|n) cannot be read: /),
    ]);
  });

  it.each([
    'abs(n) > 100',
    'coalesce(n, 0) > {{ params.least }}',
    'coalesce(n, 0) > m',
    "upper(name) = 'X'",
    'ts <= dateadd(day, 1, other)',
    "coalesce(ts, made) >= '{{ ds }}' or n is null",
    'exists (select 1 from dual where now() > current_date)',
  ])('is none: %s', (where) => {
    expect(readsOfSql(`insert into t select * from src where ${where}`)).toEqual(['src the whole table']);
  });

  it.each(["convert(date, ts) = '{{ ds }}'", "convert(ts, date) = '{{ ds }}'"])('a cast is read: %s', (where) => {
    expect(readsOfSql(`insert into t select * from src where ${where}`)).toEqual([`src.ts ${ofDay}`]);
  });
});

describe('an inclusive end', () => {
  it('widens the window to all that it names', () => {
    expect(readsOfSql(`insert into t select * from src where ts between '{{ ds }}' and '{{ ds }} 23:59:59'`)).toEqual([
      `src.ts ${ofDay}`,
    ]);
    expect(readsOfSql(`insert into t select * from src where ts between '{{ ds }}' and '{{ ds }}'`)).toEqual([
      `src.ts ${ofDay}`,
    ]);
    expect(readsOfSql(`insert into t select * from src where ts between ${s} and ${e}`)).toEqual([
      'src.ts [start, end]',
    ]);
  });

  it('is one moment where the column is known to hold moments, and one day where it holds days', () => {
    const ddl = (type: string) => `create table if not exists src (ts ${type}); insert into t select * from src where `;
    expect(readsOfSql(`${ddl('timestamptz')} ts >= '{{ ds }}' and ts <= '{{ macros.ds_add(ds, 1) }}'`)).toEqual([
      `src.ts [${day}, ${day} + 1 day]`,
    ]);
    expect(readsOfSql(`${ddl('date')} ts > '{{ macros.ds_add(ds, -1) }}' and ts <= '{{ ds }}'`)).toEqual([
      `src.ts ${ofDay}`,
    ]);
  });
});

describe('what gives no window', () => {
  it.each([
    '1 = 1',
    "country = '{{ params.country }}'",
    "country = 'DE'",
    'extract(day from ts) = 1',
    `not (${inInterval})`,
  ])('%s: the whole table', (where) => {
    expect(readsOfSql(`insert into t select * from src where ${where}`)).toEqual(['src the whole table']);
  });

  it.each([
    ["ts >= now() - interval '1 day'", 'now changes from run to run'],
    [`ts >= ${s} and ts < current_timestamp`, 'current_timestamp changes from run to run'],
    ["ts >= '{{ params.from }}'", 'params.from is not a function of the interval'],
    ["day = '{{ params.day }}'", 'params.day is not a function of the interval'],
    [
      'day = \'{{ dag_run.conf["day"] if dag_run.conf else ds }}\'',
      'it is conf.day or another value, which a condition decides',
    ],
    ["ts >= '{{ prev_start_date_success }}'", 'prev_start_date_success depends on other runs'],
    [`ts >= ${s}::timestamptz - interval '{{ params.days }} days' and ts < ${e}`, "interval '{{ params.days }} days'"],
  ])('%s: unknown', (where, reason) => {
    const [read = ''] = readsOfSql(`insert into t select * from src where ${where}`);
    expect(read).toContain('unknown');
    expect(read).toContain(reason.split(' ')[0]);
  });

  it('a maximum of another table is unknown, and that table is read whole', () => {
    expect(readsOfSql('insert into t select * from src where ts > (select max(ts) from t)')).toEqual([
      'src unknown: the bound on ts cannot be read: (select max(ts) from t)',
      't the whole table',
    ]);
  });

  it('a predicate on another column than the one that the table is cut by', () => {
    expect(readsOfSql(`insert into t select * from src where loaded >= ${s} and loaded < ${e}`)).toEqual([
      'src unknown: it is read by loaded, and src is written by ts',
    ]);
  });

  it('an OR that leaves one side open', () => {
    expect(readsOfSql(`insert into t select * from src where (${inInterval}) or late`)).toEqual([
      'src the whole table',
    ]);
  });
});

describe('predicates reach a table', () => {
  it.each([
    ['an alias', `select * from src s where s.ts >= ${s} and s.ts < ${e}`],
    ['a common table', `with x as (select * from src) select * from x where ${inInterval}`],
    [
      'two common tables',
      `with x as (select ts t1 from src), y as (select t1 t2 from x) select * from y where t2 >= ${s} and t2 < ${e}`,
    ],
    ['a derived table', `select * from (select ts as at, v from src) q where q.at >= ${s} and q.at < ${e}`],
    [
      'both sides of a union',
      `select * from (select ts as at from src union all select ts from src) q where at >= ${s} and at < ${e}`,
    ],
    ['the join condition', `select * from other o join src s on s.id = o.id and s.ts >= ${s} and s.ts < ${e}`],
    [
      'the optional side of an outer join',
      `select * from other o left join src s on s.id = o.id and s.ts >= ${s} and s.ts < ${e}`,
    ],
    ['an equality', `select * from other o join src s on s.ts = o.at where o.at >= ${s} and o.at < ${e}`],
    ['a subquery', `select * from other o where exists (select 1 from src where ${inInterval})`],
    ['an unqualified name', `select * from other, src where ${inInterval}`],
  ])('through %s', (_, query) => {
    expect(readsOfSql(`insert into t ${query}`)).toContain('src.ts [start, end)');
  });

  it('cut to days in between', () => {
    const query = `with x as (select date_trunc('day', ts) as day, count(*) from src group by 1)
      select * from x where day >= '{{ ds }}' and day < '{{ macros.ds_add(ds, 1) }}'`;
    expect(readsOfSql(`insert into t ${query}`)).toEqual([`src.ts ${ofDay}`]);
  });

  it.each([
    [
      'a common table that is also read whole',
      `with x as (select * from src) select * from x a, x b where a.ts >= ${s} and a.ts < ${e}`,
    ],
    ['a window function', `select * from (select *, row_number() over (order by ts) n from src) q where ${inInterval}`],
    ['a limit', `select * from (select * from src limit 10) q where ${inInterval}`],
    ['a distinct on', `select * from (select distinct on (id) * from src order by id, ts) q where ${inInterval}`],
    [
      'a recursion',
      `with recursive r as (select * from src union all select s.* from src s join r on r.id = s.up) select * from r where ${inInterval}`,
    ],
    [
      'the kept side of an outer join',
      `select * from src s left join other o on o.id = s.id and s.ts >= ${s} and s.ts < ${e}`,
    ],
  ])('but not through %s', (_, query) => {
    expect(readsOfSql(`insert into t ${query}`)).toContain('src the whole table');
  });

  it.each([
    'update t set n = s.n from s where t.id = s.id',
    'update t set n = (select max(n) from s) where id in (select id from s)',
    'delete from t using s where t.id = s.id',
    'merge into t using s on t.id = s.id when matched then update set n = s.n',
    'merge into t using (select id, max(n) n from s group by id) r on t.id = r.id when matched then update set n = r.n',
  ])('through common tables in front of a change of rows: %s', (change) => {
    expect(readsOfSql(`with s as (select * from src where ${inInterval}) ${change}`)).toEqual(['src.ts [start, end)']);
    expect(readsOfSql(`with r as (select * from src), s as (select * from r where ${inInterval}) ${change}`)).toEqual([
      'src.ts [start, end)',
    ]);
    expect(readsOfSql(`with s as (select * from src) ${change}`)).toEqual(['src the whole table']);
  });

  it('in MERGE through the conditions of every branch that takes rows', () => {
    const merge = (condition: string) =>
      `merge into t using src s on t.id = s.id when matched and ${condition} then update set v = s.v when not matched and ${condition} then insert (id) values (s.id)`;
    expect(readsOfSql(merge(`s.ts >= ${s} and s.ts < ${e}`))).toEqual(['src.ts [start, end)']);
    expect(readsOfSql(merge('s.v > 0'))).toEqual(['src the whole table']);
  });
});

describe('in another zone', () => {
  const zone = 'Europe/Berlin';

  it('a day-sized offset from a moment is read both ways', () => {
    expect(
      readsOfSql(`insert into t select * from src where ts >= ${s}::timestamptz - interval '1 day' and ts < ${e}`, {
        zone,
      }),
    ).toEqual(['src.ts [start - 1 day, end)']);
    const facts = workspace({
      d: {
        zone,
        tasks: { t: `insert into t select * from src where ts >= ${s}::timestamptz - interval '1 day' and ts < ${e}` },
      },
    });
    const window = facts.facts.get('d.t')?.reads[0]?.window;
    expect(window?.kind === 'range' && window.lo.map((lo) => lo.steps.map((step) => step.zone))).toEqual([
      ['UTC'],
      [zone],
    ]);
  });

  it('the session that the connection is said to have counts, unless the text sets another', () => {
    const lower = (session: string | undefined, before = '') => {
      const sql = `${before}insert into t select * from src where ts >= ${s}::timestamptz - interval '1 day' and ts < ${e}`;
      const facts = workspace({ d: { zone, ...(session === undefined ? {} : { session }), tasks: { t: sql } } });
      const window = facts.facts.get('d.t')?.reads[0]?.window;
      return window?.kind === 'range' ? window.lo.map((lo) => lo.steps.map((step) => step.zone)) : undefined;
    };
    expect(lower(undefined)).toEqual([['UTC'], [zone]]);
    expect(lower('UTC')).toEqual([['UTC']]);
    expect(lower('Asia/Tokyo')).toEqual([['UTC'], ['Asia/Tokyo']]);
    const tokyo = [['UTC'], ['Asia/Tokyo']];
    for (const set of [
      "set local timezone = 'Asia/Tokyo'",
      "SET SESSION TIME ZONE 'Asia/Tokyo'",
      'set timezone to "Asia/Tokyo"',
      "select set_config('TimeZone', 'Asia/Tokyo', true)",
    ]) {
      expect(lower('UTC', `${set}; `), set).toEqual(tokyo);
    }
    expect(lower('UTC', "set timezone = '{{ params.tz }}'; ")).toEqual([['UTC'], [zone]]);
    expect(lower('UTC', 'set time zone default; ')).toEqual([['UTC']]);
  });

  it('a column whose type nobody says is read as both where the connection says its zone', () => {
    const read = (session: string | undefined, where: string, ddl = 'select 1') => {
      const sql = `insert into t select * from src where ${where}`;
      const facts = workspace({
        d: { zone: 'UTC', ...(session === undefined ? {} : { session }), tasks: { t: sql } },
        made: { tasks: { m: ddl } },
      });
      return readsOf(facts, 'd.t').join();
    };
    const tokyo = 'Asia/Tokyo';
    const days = "ts >= '{{ ds }}' and ts < '{{ macros.ds_add(ds, 1) }}'";
    const both = `src.ts [${day} or ${day} - 9 hours, ${day} + 1 day or ${day} + 1 day - 9 hours)`;
    const asDays = `src.ts ${ofDay}`;
    expect(read(tokyo, days)).toBe(both);
    expect(read(tokyo, days, 'create table src (ts timestamptz)')).toBe(both);
    expect(read(tokyo, days, 'create table src (ts date)')).toBe(asDays);
    expect(read(tokyo, days, 'create table src (ts timestamp)')).toBe(asDays);
    expect(read('UTC', days)).toBe(asDays);
    expect(read(undefined, days)).toBe(asDays);
    expect(read(tokyo, `ts >= ${s} and ts < ${e}`)).toBe('src.ts [start, end)');
  });

  describe('what it writes', () => {
    const rows = "ts >= '{{ ds }}' and ts < '{{ macros.ds_add(ds, 1) }}'";
    const written = (session: string | undefined, ddl = '', before = '', where = rows) => {
      const sql = `${before}delete from t where ${where}; insert into t select * from src where ${where}`;
      const facts = workspace({
        ddl: { tasks: { t: ddl } },
        d: { ...(session === undefined ? {} : { session }), tasks: { t: sql } },
      });
      expect(facts.facts.get('d.t')?.reads.map(({ table }) => table)).toEqual(['src']);
      const slice = facts.facts.get('d.t')?.writes[0]?.slice;
      return slice?.kind === 'range'
        ? `[${timeInWords(slice.lo)}, ${timeInWords(slice.hi)})${slice.openZone === undefined ? '' : ` or ${slice.openZone}`}`
        : undefined;
    };
    const asDays = `[${day}, ${day} + 1 day)`;
    const clock = (zone: string) => `on the clock of ${zone}`;

    it.each(['Asia/Tokyo', 'America/New_York', 'Europe/Warsaw'])('is of %s where the column holds moments', (zone) => {
      const exact = `[${day} ${clock(zone)}, ${day} + 1 day ${clock(zone)})`;
      expect(written(zone, 'create table t (ts timestamptz)')).toBe(exact);
      expect(written(zone, 'create table t (ts timestamp)')).toBe(asDays);
      expect(written(zone, 'create table t (ts date)')).toBe(asDays);
      expect(written(zone, 'create table t (ts timestamptz)', '', `ts::date = '{{ ds }}'`)).toBe(
        `[${day} ${clock(zone)}, ${day} ${clock(zone)} + 1 day)`,
      );
    });

    it('is of both days where nobody says what the column holds, and says so', () => {
      expect(written('America/New_York')).toBe(
        `[${day}, ${day} + 1 day ${clock('America/New_York')}) or America/New_York`,
      );
      expect(written('Asia/Tokyo')).toBe(`[${day} ${clock('Asia/Tokyo')}, ${day} + 1 day) or Asia/Tokyo`);
    });

    it('is of UTC alone where that is the zone, nobody knows one, or instants bound it', () => {
      for (const zone of ['UTC', undefined]) expect(written(zone)).toBe(asDays);
      expect(written('Asia/Tokyo', '', '', `ts >= ${s} and ts < ${e}`)).toBe('[start, end)');
    });

    it('is of no one zone where the text sets another on its way', () => {
      const set = "set timezone to 'Asia/Tokyo'; ";
      expect(written('America/New_York', '', set)).toMatch(/ or (?:America\/New_York|Asia\/Tokyo)$/);
    });
  });

  it('ds is the UTC day', () => {
    expect(readsOfSql("insert into t select * from daily where day = '{{ ds }}'", { zone })).toEqual([
      `daily.day ${ofDay}`,
    ]);
  });

  it('a day of the zone stays one', () => {
    const query = `select * from daily where day = '{{ data_interval_start.in_timezone("Europe/Berlin") | ds }}'`;
    expect(readsOfSql(`insert into t ${query}`, { zone })).toEqual([
      'daily.day [day of start (Europe/Berlin), day of start (Europe/Berlin) + 1 day)',
    ]);
  });

  it('a column on a local clock lies earlier by the offset, the least and the greatest', () => {
    const query = `select * from src where (ts at time zone 'Europe/Berlin')::date = '{{ ds }}'`;
    expect(readsOfSql(`insert into t ${query}`)).toEqual([
      `src.ts [${day} - 1 hour or ${day} - 2 hours, ${day} - 1 hour + 1 day or ${day} - 2 hours + 1 day)`,
    ]);
  });
});

describe('hostile text', () => {
  it.each([
    '',
    ';;;',
    'insert into',
    'select * from',
    `select * from src where ts >= '{{ ds`,
    'with x as (',
    '🙂 from src where ts = 1',
    `select * from src where ts >=\r\n\t${s}`,
  ])('is read without a fault: %j', (sql) => {
    expect(() => readsOfSql(sql)).not.toThrow();
  });

  it('common tables that name each other many times stay cheap', () => {
    const chain = Array.from({ length: 60 }, (_, index) =>
      index === 0 ? 'c0 as (select * from src)' : `c${index} as (select a.* from c${index - 1} a, c${index - 1} b)`,
    );
    expect(readsOfSql(`insert into t with ${chain.join(', ')} select * from c59`)).toEqual(['src the whole table']);
  });
});

it('a task that fills a temporary table reads through it, and its own slice is no read', () => {
  const facts = workspace({
    d: {
      tasks: {
        t: `create temp table stg as select id, ts from src where ${inInterval};
            delete from t where ts >= ${s} and ts < ${e};
            insert into t select * from stg where not exists (select 1 from t where ts >= ${s} and ts < ${e})`,
      },
    },
  });
  expect(readsOf(facts, 'd.t')).toEqual(['src.ts [start, end)']);
});
