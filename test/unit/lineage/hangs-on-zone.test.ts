import { expect, test } from 'vitest';
import { hangsOnZone } from '../../../src/core/lineage/queries/hangs-on-zone.ts';

const types = { ts: 'timestamptz', w: 'timestamp', d: 'date' } as const;
const typeOf = (name: string) => (name in types ? types[name as keyof typeof types] : undefined);

test.each([
  [
    'yes',
    [
      'ts::date',
      'cast(ts as date)',
      'date(ts)',
      'ts::timestamp',
      "date_trunc('day', ts)",
      'make_date(extract(year from ts)::int, 1, 1)',
      "make_date(date_part('year', ts)::int, 1, 1)",
      "to_date(to_char(ts, 'YYYYMM'), 'YYYYMM')",
      'to_timestamp(n)::date',
      "to_timestamp(s, 'YYYYMMDD')",
      'w::timestamptz',
      "date_trunc('month', d)",
      'coalesce(ts, w)::date',
      "(ts + interval '1 day')::date",
      '(case when n > 1 then ts else w end)::date',
    ],
  ],
  ['open', ["(p ->> 'at')::timestamptz::date"]],
  [
    'no',
    [
      'ts',
      'w::date',
      'd',
      'day',
      "(ts at time zone 'Europe/Berlin')::date",
      "timezone('UTC', ts)::date",
      "date_trunc('day', ts, 'UTC')",
      "date_trunc('month', d)::date",
      "date_trunc('day', w)::date",
      'd::timestamptz::date',
      'to_timestamp(n)',
      'to_timestamp(extract(epoch from ts))',
      "to_date(s, 'YYYYMMDD')",
      "(p ->> 'at')::date",
      "(p ->> 'at')::timestamptz",
    ],
  ],
] as const)('%s', (verdict, expressions) => {
  for (const sql of expressions) expect([sql, hangsOnZone(sql, typeOf)]).toEqual([sql, verdict]);
});
