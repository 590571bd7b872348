import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/node/config/read-config.ts';

const read = (source: string) => readConfig('backfill.yaml', `version: 1\nsources:\n${source}`);
const messages = (source: string): readonly string[] => read(source).problems.map(({ message }) => message);

describe('sources of backfill.yaml', () => {
  test('retention, mutable and snapshots', () => {
    const { config, problems } = read(`
  Raw.Events: { retention: 90 days }
  raw.shops:
    mutable: true
  raw.customers:
    snapshots:
      table: raw.customers_{{ ds_nodash }}
  raw.products:
    retention: 6 months
    snapshots: { table: raw.products_history, column: taken_on, date: "{{ macros.ds_add(ds, 1) }}", columns: [id, Name] }
`);
    expect(problems).toEqual([]);
    expect([...config.sources.values()]).toEqual([
      {
        table: 'raw.events',
        retention: { offset: { months: 0, days: 90, ms: 0 }, words: '90 days' },
        mutable: false,
        snapshots: undefined,
      },
      { table: 'raw.shops', retention: undefined, mutable: true, snapshots: undefined },
      {
        table: 'raw.customers',
        retention: undefined,
        mutable: true,
        snapshots: { table: 'raw.customers_{{ ds_nodash }}', column: undefined, date: '{{ ds }}', columns: [] },
      },
      {
        table: 'raw.products',
        retention: { offset: { months: 6, days: 0, ms: 0 }, words: '6 months' },
        mutable: true,
        snapshots: {
          table: 'raw.products_history',
          column: 'taken_on',
          date: '{{ macros.ds_add(ds, 1) }}',
          columns: ['id', 'Name'],
        },
      },
    ]);
  });

  test.each([
    ['  a: { retention: for ever }', '"for ever" is not a span of time; write it like 90 days, 36 hours or 6 months'],
    ['  a: { retention: 0 days }', '"0 days" is not a span of time'],
    ['  a: { retention: 90 }', '"90" is not a span of time'],
    ['  a: { mutable: yes please }', 'expected true or false'],
    ['  a: { snapshots: { column: day } }', 'table is missing'],
    [
      '  a: { snapshots: { table: b } }',
      'a: b is one table for every interval; name the interval in it, like b_{{ ds_nodash }}',
    ],
    ['  a: { snapshots: { table: "b_{{ dag.dag_id }}" } }', 'is one table for every interval; name the interval in it'],
    [
      '  a: { snapshots: { table: b, column: day, date: "2026-01-01" } }',
      'a: the date 2026-01-01 is the same for every',
    ],
    ['  a: {}\n  A: { retention: 9 days }', 'a is declared twice; names of tables are the same in any case'],
    ['  a: &a { retention: 9 days }\n  b: { <<: *a, mutable: true }', '<< merges nothing here'],
    ['  a: &a { retention: 9 days }\n  <<: *a', '<< merges nothing here'],
    ['  a: { mutable: false, snapshots: { table: b, column: day } }', 'so it needs no snapshots'],
    ['  a: { snapshots: { table: "b_{{ ds }}", date: "{{ ds }}" } }', 'date and columns go with a column'],
    ['  a: { retained: 90 days }', 'unknown key retained; known are retention, mutable, snapshots'],
  ])('%s is said', (source, message) => {
    expect(messages(source)).toContainEqual(expect.stringContaining(message));
  });
});
