import { describe, expect, test } from 'vitest';
import { applyFix, checkFiles, dagWith, type Files } from '../../support/check-files.ts';
import { saidBy } from '../../support/said-by.ts';

test.each([
  ['(person_id, group_id) SELECT person_id, group_id', 'info Nothing here tells which key m.t has'],
  ['(wallet) SELECT wallet', 'info Nothing here tells which key m.t has'],
  ['(person_id, name) SELECT person_id, name', 'warning A second run leaves rows of m.t that meet a key'],
])('do-nothing-upsert has nothing to correct in a row that is its own key: %s', (columns, said) => {
  const files = dagWith(`INSERT INTO m.t ${columns} FROM r.t WHERE day = '{{ ds }}' ON CONFLICT DO NOTHING`);
  const found = checkFiles(files).filter(({ rule }) => rule === 'do-nothing-upsert');
  expect(found.map(({ severity, message }) => `${severity} ${message}`)).toEqual([expect.stringContaining(said)]);
});

describe('unconditional-upsert', () => {
  const said = (files: Files) => saidBy('unconditional-upsert', files);
  const upsert = (column: string, set: string, { key = 'id', behind = '' } = {}) =>
    dagWith(`INSERT INTO m.t (id, v, ${column}) SELECT id, v, ${column} FROM r.t
      WHERE ${column} >= '{{ data_interval_start }}' AND ${column} < '{{ data_interval_end }}'
      ON CONFLICT (${key}) DO UPDATE SET ${set}${behind}`);
  const merge = (condition: string) =>
    dagWith(`MERGE INTO m.t USING (SELECT id, v, updated_at FROM r.t WHERE updated_at >= '{{ data_interval_start }}' AND updated_at < '{{ data_interval_end }}') s
      ON m.t.id = s.id WHEN MATCHED ${condition}THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)`);
  const set = 'v = EXCLUDED.v, updated_at = EXCLUDED.updated_at';

  test.each<[string, Files, string]>([
    ['updated_at', upsert('updated_at', set), 'DO UPDATE'],
    ['last_modified_date', upsert('last_modified_date', 'v = EXCLUDED.v'), 'DO UPDATE'],
    ['upd_ts', upsert('upd_ts', 'v = EXCLUDED.v'), 'DO UPDATE'],
    ['MERGE', merge(''), 'UPDATE SET v = s.v'],
  ])('speaks: %s', (_, files, mark) => expect(said(files)).toEqual([`warning «${mark}»`]));

  test.each<[string, Files]>([
    ['a condition', upsert('updated_at', set, { behind: ' WHERE EXCLUDED.updated_at >= m.t.updated_at' })],
    [
      'the newer one is taken',
      upsert('updated_at', 'v = CASE WHEN EXCLUDED.updated_at > t.updated_at THEN EXCLUDED.v ELSE t.v END'),
    ],
    ['time of the event', upsert('created_at', 'v = EXCLUDED.v')],
    ['who changed it', upsert('updated_by', 'v = EXCLUDED.v')],
    ['the column is in the key', upsert('updated_at', 'v = EXCLUDED.v', { key: 'id, updated_at' })],
    [
      'a full snapshot',
      dagWith('INSERT INTO m.t (id, v) SELECT id, v FROM r.t ON CONFLICT (id) DO UPDATE SET v = EXCLUDED.v'),
    ],
    [
      'each interval has rows of its own, stamped in the query below',
      dagWith(`MERGE INTO m.t USING (SELECT DATE '{{ ds }}' AS cohort, id, v FROM r.t
        WHERE updated_at > '{{ data_interval_start }}') s ON m.t.id = s.id AND m.t.cohort = s.cohort
        WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (id, v) VALUES (s.id, s.v)`),
    ],
    ['a MERGE with a condition', merge('AND s.updated_at > m.t.updated_at ')],
  ])('silent: %s', (_, files) => expect(said(files)).toEqual([]));

  test('the fix goes by the alias of the target', () => {
    const files = dagWith(`INSERT INTO m.t AS old (id, updated_at) SELECT id, updated_at FROM r.t
      WHERE updated_at >= '{{ data_interval_start }}' AND updated_at < '{{ data_interval_end }}'
      ON CONFLICT (id) DO UPDATE SET updated_at = EXCLUDED.updated_at`);
    const [finding] = checkFiles(files).filter(({ rule }) => rule === 'unconditional-upsert');
    const after = applyFix(files, finding?.fixes[0] ?? { title: '', edits: [], preferred: false });
    expect(after['dags/one.py']).toContain('EXCLUDED.updated_at WHERE EXCLUDED.updated_at >= old.updated_at');
    expect(said(after)).toEqual([]);
  });
});
