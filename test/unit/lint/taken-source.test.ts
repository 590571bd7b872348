import { expect, test } from 'vitest';
import { checkFiles } from '../../support/check-files.ts';

const serious = (sql: string): string[] =>
  checkFiles({ 'sql/a.sql': `-- backfill: schedule=@daily start=2024-01-01 dialect=postgres\n${sql}` })
    .filter(({ severity }) => severity === 'error')
    .map(({ rule }) => rule);

test.each([
  ['id > (SELECT last_id FROM ops.position)', 'last_id', []],
  ['id >= (SELECT last_id FROM ops.position)', 'last_id', ['plain-insert']],
  ['id > (SELECT last_id FROM ops.position)', 'seen', ['plain-insert']],
  ["day > '{{ ds }}'", 'last_id', ['plain-insert']],
])('behind a mark: %s with %s', (where, column, expected) =>
  expect(
    serious(
      `BEGIN; INSERT INTO mart.a SELECT * FROM raw.a WHERE ${where}; UPDATE ops.position SET ${column} = (SELECT max(id) FROM mart.a); COMMIT;`,
    ).filter((rule) => rule === 'plain-insert'),
  ).toEqual(expected),
);

const taking = (rest: string): string =>
  `WITH moved AS (DELETE FROM raw.queue WHERE at < '{{ data_interval_end }}' RETURNING *) ${rest}`;

test.each([
  taking('INSERT INTO mart.done SELECT * FROM moved'),
  taking(
    ', b AS (SELECT id FROM moved WHERE id > 0) INSERT INTO mart.done SELECT b.id FROM b JOIN raw.c c ON c.id = b.id',
  ),
  taking('INSERT INTO mart.done SELECT day, count(*) FROM moved GROUP BY day'),
])('its rows are used up: %s', (sql) => expect(serious(sql)).toEqual(['consume-once-source']));

test.each([
  taking('INSERT INTO mart.done SELECT * FROM raw.other'),
  taking('INSERT INTO mart.done SELECT id FROM moved UNION ALL SELECT id FROM raw.other'),
  taking('INSERT INTO mart.done SELECT count(*) FROM moved'),
  `INSERT INTO raw.queue SELECT * FROM raw.src WHERE day = '{{ ds }}'; ${taking('INSERT INTO mart.done SELECT * FROM moved')}`,
])('other rows come twice: %s', (sql) => {
  expect(serious(sql)).toContain('plain-insert');
  expect(serious(sql)).not.toContain('consume-once-source');
});
