import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { runCli } from '../support/run-cli.ts';
import { freshDatabase, sql } from '../support/warehouse-fixture.ts';

interface Way {
  /** Columns by which its table is cut, as they are made. */
  readonly columns: string;
  /** They of a day or month `t`, as SQL. */
  readonly of: string;
  /** The condition of its DELETE. */
  readonly where: string;
  readonly schedule?: '@monthly';
  readonly zone?: string;
}

/** How a table may say which interval its rows are of. */
const ways: Readonly<Record<string, Way>> = {
  text_month: { columns: 'm text', of: "to_char(t, 'YYYY-MM')", where: "m = '{{ ds[:7] }}'", schedule: '@monthly' },
  int_month: {
    columns: 'm int',
    of: "to_char(t, 'YYYYMM')::int",
    where: "m = {{ data_interval_start.strftime('%Y%m') }}",
    schedule: '@monthly',
  },
  text_nodash: { columns: 'd text', of: "to_char(t, 'YYYYMMDD')", where: "d = '{{ ds_nodash }}'" },
  int_nodash: { columns: 'd int', of: "to_char(t, 'YYYYMMDD')::int", where: 'd = {{ ds_nodash }}' },
  folder: { columns: 'part varchar(20)', of: "'day=' || t", where: "part = 'day={{ ds }}'" },
  two_columns: {
    columns: 'm text, d date',
    of: "to_char(t, 'YYYY-MM'), t",
    where: "m = '{{ ds[:7] }}' AND d = '{{ ds }}'",
  },
  parts: {
    columns: 'y int, m int, d int',
    of: 'extract(year from t), extract(month from t), extract(day from t)',
    where:
      'y = {{ data_interval_start.year }} AND m = {{ data_interval_start.month }} AND d = {{ data_interval_start.day }}',
  },
  called_n: { columns: 'n date', of: 't', where: "n = '{{ ds }}'" },
  local_day: { columns: 'd date', of: 't', where: "d = '{{ ds }}'", zone: 'America/New_York' },
  whole_day: {
    columns: 'at timestamptz',
    of: "(t + interval '23 hours')::timestamp at time zone 'Europe/Warsaw'",
    where: "at >= '{{ ds }}' AND at < '{{ macros.ds_add(ds, 1) }}'",
  },
};
const missing = (way: Way): string => (way.schedule === undefined ? '2026-10-20' : '2026-08');

let root = '';
let env: Readonly<Record<string, string>> = {};
let onDatabase: (...statements: readonly string[]) => Promise<unknown>;
beforeAll(async () => {
  const connection = await freshDatabase();
  const { host, port, database, user } = connection;
  onDatabase = async (...statements) => {
    const warehouse = await openWarehouse(connection);
    try {
      return await sql(warehouse, ...statements);
    } finally {
      await warehouse.close();
    }
  };
  root = mkdtempSync(join(tmpdir(), 'backfill-gaps-by-value-'));
  env = { PGPASSWORD: String(connection.password) };
  writeFileSync(
    join(root, 'backfill.yaml'),
    `version: 1\nconnections:\n  wh: { engine: postgres, host: ${host}, port: ${port}, database: ${database}, user: ${user}, password: "\${env:PGPASSWORD}", sslmode: disable, settings: { timezone: Europe/Warsaw } }\n`,
  );
  for (const [name, way] of Object.entries(ways)) {
    const { columns, of, where, schedule = '@daily', zone = 'UTC' } = way;
    const start = schedule === '@daily' ? '2026-10-01' : '2026-03-01';
    const names = columns
      .split(', ')
      .map((column) => column.split(' ')[0])
      .join(', ');
    writeFileSync(
      join(root, `${name}.sql`),
      `-- backfill: schedule=${schedule} start=${start} zone=${zone}
DELETE FROM mart.${name} WHERE ${where};
INSERT INTO mart.${name} (${names}) SELECT ${names} FROM raw.${name} WHERE ${where};
`,
    );
    const step = schedule === '@daily' ? '1 day' : '1 month';
    await onDatabase(
      'create schema if not exists mart',
      `create table mart.${name} (${columns})`,
      `insert into mart.${name} select ${of} from generate_series(date '${start}', '2026-11-29', '${step}') g(at),
       lateral (select at::date as t) day where not to_char(t, 'YYYY-MM-DD') like '${missing(way)}%'`,
    );
  }
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const gaps = (...words: readonly string[]) => runCli(['gaps', ...words, '--workspace', root], root, { env });

test.each(Object.entries(ways))('by %s just what has no row is missing', async (name, way) => {
  const { out } = await gaps(`${name}.sql`, '--now', '2026-11-30T12:00', '--format', 'json');
  const [task] = (JSON.parse(out) as { tasks: { gaps: { unit: string; kind: string }[]; before: []; untold: [] }[] })
    .tasks;
  expect(task).toMatchObject({ untold: [], before: [] });
  const found = task?.gaps.map(({ unit, kind }) => `${kind} ${unit.split('@')[1]?.slice(0, missing(way).length)}`);
  expect(found).toEqual([`missing ${missing(way)}`]);
});

test('what cannot be told from its template, or is another table each day, is said, and no gap', async () => {
  writeFileSync(
    join(root, 'asked.sql'),
    `-- backfill: schedule=@daily start=2026-11-01 zone=UTC
DELETE FROM mart.text_nodash WHERE d = '{{ ds }}' AND d <> '{{ var.value.nobody }}';
INSERT INTO mart.text_nodash (d) SELECT '{{ ds }}' FROM raw.text_nodash WHERE d = '{{ ds }}';
`,
  );
  writeFileSync(
    join(root, 'each.sql'),
    `-- backfill: schedule=@daily start=2026-11-01 zone=UTC
DROP TABLE IF EXISTS mart.each_{{ ds_nodash }};
CREATE TABLE mart.each_{{ ds_nodash }} AS SELECT * FROM raw.text_nodash WHERE d = '{{ ds }}';
`,
  );
  const asked = await gaps('asked.sql', '--now', '2026-11-30T12:00');
  expect(asked.code).toBe(1);
  expect(asked.out).toContain('asked.sql: no interval of it can be counted');
  expect(asked.out).toMatch(/not counted: mart\.text_nodash: .*var\.value\.nobody.*backfill\.yaml/);
  const each = await gaps('each.sql', '--now', '2026-11-30T12:00');
  expect(each.out).toMatch(/not counted: mart\.each_.*: each interval has a table of its own/);
  expect(`${asked.out}${each.out}`).not.toContain('missing');
});

test('a column that its condition cannot be compared with is said, with what the database says', async () => {
  await onDatabase('alter table mart.int_nodash alter d type timestamp using to_timestamp(d)');
  const { code, out } = await gaps('int_nodash.sql', '--now', '2026-11-30T12:00');
  expect(code).toBe(1);
  expect(out).toMatch(/not counted: mart\.int_nodash: operator does not exist/);
  expect(out).not.toContain('missing');
});
