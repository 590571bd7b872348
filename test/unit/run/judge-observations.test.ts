import { expect, test } from 'vitest';
import { evidenceInWords, judgeObservations } from '../../../src/core/run/observed/judge-observations.ts';
import type { Observation, ObservedColumn, ObservedTable } from '../../../src/core/run/observed/observation.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { parseInstant } from '../../../src/core/time/zones/iso.ts';

const at = (text: string) => parseInstant(text, 'UTC') ?? instant(Number.NaN);
const column = (name: string, type: ObservedColumn['type'], first: string, last = first, rows = 8): ObservedColumn => ({
  ...{ name, type, rows, first, last },
});
const table = (parts: Partial<ObservedTable> = {}): ObservedTable => ({
  ...{ table: 'mart.sales', counted: { inserted: 8, updated: 0, deleted: 8 }, rows: 8, all: false },
  ...{ transactions: 2, older: false, columns: [], givenUp: undefined },
  ...parts,
});
const run = (
  from: string,
  to: string,
  tables: readonly ObservedTable[],
  parts: Partial<Observation> = {},
): Observation => ({
  ...{ run: `run-${from}`, unit: `d.load@${from}`, task: 'd.load', interval: { start: at(from), end: at(to) } },
  ...{ at: at(to), how: 'watched', tables, clients: ['etl'], unseen: 0, beside: [] },
  ...parts,
});
/** Two daily runs whose rows hold these columns, given the day. */
const days = (
  columns: (day: string, next: string) => readonly ObservedColumn[],
  parts: Partial<ObservedTable> = {},
) => [
  run('2026-11-02', '2026-11-03', [table({ columns: columns('2026-11-02', '2026-11-03'), ...parts })]),
  run('2026-11-03', '2026-11-04', [table({ columns: columns('2026-11-03', '2026-11-04'), ...parts })]),
];
const only = (observations: readonly Observation[]) => judgeObservations(observations)[0];
const reason = (observations: readonly Observation[]) => {
  const verdict = only(observations);
  return verdict?.kind === 'not clear' ? verdict.reason : `clear: ${JSON.stringify(verdict)}`;
};
const byDay = (day: string) => [column('day', 'date', day)];

test('rows that lie in the interval of each run by one column are clear, with what that rests on', () => {
  const verdict = only(days(byDay));
  expect(verdict).toMatchObject({ kind: 'clear', slice: { column: 'day', of: 'interval' }, runs: 2, rows: 16 });
  expect(verdict?.kind === 'clear' && evidenceInWords(verdict)).toBe(
    'in 2 runs all 16 written rows had day inside of the interval (delete and insert)',
  );
});

test.each([
  ['a text', column('day', 'text', '2026-11-02'), column('day', 'text', '2026-11-03')],
  ['an integer', column('day', 'integer', '20261102'), column('day', 'integer', '20261103')],
  [
    'times up to the last moment',
    column('day', 'timestamptz', '2026-11-02T00:00:00.000000Z', '2026-11-02T23:59:59.999999Z'),
    column('day', 'timestamp', '2026-11-03T00:00:00.000000', '2026-11-03T23:59:59.999999'),
  ],
])('%s is a time as well', (_, monday, tuesday) => {
  const [first, second] = days((day) => [day === '2026-11-02' ? monday : tuesday]);
  expect(only([first, second] as Observation[])).toMatchObject({
    kind: 'clear',
    slice: { column: 'day', of: 'interval' },
  });
});

test('the end of the interval is not in it', () => {
  expect(reason(days((day, next) => [column('at', 'timestamptz', `${day}T01:00:00Z`, `${next}T00:00:00Z`)]))).toContain(
    'no column',
  );
  expect(reason(days((_, next) => [column('day', 'date', next)]))).toContain('no column');
});

test('a day of an interval that is no whole day is that of its start', () => {
  const observations = ['2026-11-02', '2026-11-03', '2026-11-04'].map((day, index, all) =>
    run(`${day}T08:30:00Z`, `${all[index + 1] ?? '2026-11-05'}T08:30:00Z`, [table({ columns: byDay(day) })]),
  );
  expect(only(observations)).toMatchObject({ kind: 'clear', slice: { column: 'day', of: 'day of start (UTC)' } });
});

test('a table that is written as a whole in each run is that', () => {
  const loaded = () => [column('loaded_at', 'timestamptz', '2026-11-30T00:00:00Z')];
  expect(only(days(loaded, { all: true }))).toMatchObject({ kind: 'clear', slice: { kind: 'all' } });
});

test.each<readonly [string, readonly Observation[], string]>([
  ['one run', days(byDay).slice(0, 1), 'it was seen in 1 run only'],
  ['the same interval twice', [...days(byDay).slice(0, 1), ...days(byDay).slice(0, 1)], 'it was seen in 1 run only'],
  [
    'two clients',
    days(byDay).map((one) => ({ ...one, clients: ['etl', 'anna'] })),
    'somebody else may have written it',
  ],
  ['sessions that were not seen', days(byDay).map((one) => ({ ...one, unseen: 1 })), '1 session not seen'],
  ['a server that does not count sessions', days(byDay).map((one) => ({ ...one, unseen: undefined })), 'not counted'],
  ['an older transaction', days(byDay, { older: true }), 'a transaction that began before it wrote mart.sales too'],
  ['other work at once', days(byDay).map((one) => ({ ...one, beside: ['d.audit'] })), 'd.audit ran at the same time'],
  ['rows that were not counted', days(byDay, { rows: 9 }), '9 rows of it were seen, and 8 inserted'],
  [
    'counted rows that were not seen',
    days(byDay, { counted: { inserted: 30, updated: 0, deleted: 8 } }),
    '30 inserted',
  ],
  ['rows that were not looked at', days(byDay, { rows: undefined, givenUp: 'too slow' }), 'too slow'],
  ['rows without a time', days((day) => [column('day', 'date', day, day, 7)]), 'no column'],
  [
    'two columns',
    days((day) => [column('day', 'date', day), column('ordered', 'date', day)]),
    'day and ordered all lie inside of the interval',
  ],
  [
    'another client in the other run',
    days(byDay).map((one, index) => ({ ...one, clients: [index === 0 ? 'etl' : 'anna'] })),
    'etl and anna wrote it',
  ],
])('%s: not clear', (_, observations, expected) => {
  expect(reason(observations)).toContain(expected);
});

test('a lone session that was too short to be seen is no other client than one that was', () => {
  const [first, second] = days(byDay);
  const unseen = { ...first, clients: [], unseen: 1 } as Observation;
  expect(only([unseen, second as Observation])).toMatchObject({ kind: 'clear', who: 'etl' });
  expect(only([unseen, { ...(second as Observation), clients: [], unseen: 1 }])).toMatchObject({
    kind: 'clear',
    who: 'a session that was not seen',
  });
});

test('a run that wrote nothing, or was not alone, takes nothing from two that count', () => {
  const more = [
    run('2026-11-04', '2026-11-05', []),
    run('2026-11-05', '2026-11-06', [table({ columns: byDay('2026-10-01') })], { beside: ['d.audit'] }),
  ];
  expect(only([...days(byDay), ...more])).toMatchObject({ kind: 'clear', runs: 2 });
});

test('a row outside of the interval in any run that counts makes its column none', () => {
  const stray = run('2026-11-04', '2026-11-05', [
    table({ columns: [column('day', 'date', '2026-11-01', '2026-11-04')] }),
  ]);
  expect(reason([...days(byDay), stray])).toContain('no column');
});
