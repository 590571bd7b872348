import { describe, expect, test } from 'vitest';
import { checkFiles, dagWith, type Files, inWords } from '../../support/check-files.ts';

const found = (files: Files): string[] =>
  checkFiles(files)
    .filter(({ rule }) => rule === 'plain-insert')
    .map((finding) => inWords(files, finding));

test('a routine that is called before and takes rows away by its name may keep them from doubling', () => {
  const said = (call: string): string[] => {
    const files = dagWith(`SELECT m.${call}('{{ ds }}'); INSERT INTO m.t SELECT * FROM r.t WHERE d = '{{ ds }}'`);
    return checkFiles(files).map(({ rule, severity, message }) => `${rule} ${severity} ${message}`);
  };
  expect(said('clear_volumes').join()).toContain(
    'plain-insert warning A second run of the same interval adds the same rows to m.t again, unless m.clear_volumes(…), which is called before it, takes them out',
  );
  expect(said('count_volumes').join()).toContain('plain-insert error');
});

describe('the INSERT looks into its target through a view of the workspace', () => {
  const withView = (view: string, insert: string): Files => ({ ...dagWith(insert), 'sql/views.sql': view });
  const latest = `CREATE VIEW mart.vw_a AS SELECT t.* FROM mart.a t
    JOIN (SELECT id, max(seen) AS seen FROM mart.a GROUP BY id) m ON m.id = t.id AND m.seen = t.seen;`;
  const changed = `INSERT INTO mart.a SELECT s.* FROM raw.a s LEFT JOIN mart.vw_a v ON v.id = s.id
    WHERE coalesce(v.checksum, '') <> s.checksum;`;
  const whole = 'CREATE VIEW mart.vw_a AS SELECT * FROM mart.a;';

  test.each([
    ['what changed, by a presumed value', latest, changed],
    [
      'what changed, by IS DISTINCT FROM',
      latest,
      changed.replace(/coalesce\(.*checksum;/, 'v.checksum IS DISTINCT FROM s.checksum;'),
    ],
    [
      'what changed, by the name of the view',
      latest,
      changed.replace('vw_a v', 'vw_a').replaceAll('v.', 'vw_a.').replace('mart.vw_vw_a.', 'mart.vw_a'),
    ],
    [
      'what is not there',
      whole,
      'INSERT INTO mart.a SELECT s.* FROM raw.a s LEFT JOIN mart.vw_a v ON v.id = s.id WHERE v.id IS NULL;',
    ],
    [
      'NOT EXISTS',
      whole,
      'INSERT INTO mart.a SELECT s.* FROM raw.a s WHERE NOT EXISTS (SELECT 1 FROM mart.vw_a v WHERE v.id = s.id);',
    ],
    [
      'a view over a view',
      `${latest} CREATE VIEW mart.vw_b AS SELECT * FROM mart.vw_a;`,
      changed.replace('vw_a', 'vw_b'),
    ],
  ])('%s', (_, view, insert) => expect(found(withView(view, insert))).toEqual([]));

  const plain = ['plain-insert error «INSERT INTO mart.a»'];
  test.each([
    ['no view of the workspace', '', changed],
    ['a view of another table', latest.replaceAll('mart.a', 'mart.b'), changed],
    ['all rows that there ever were, old ones too', whole, changed],
    ['rows of the last refresh', latest.replace('VIEW', 'MATERIALIZED VIEW'), changed],
    ['a join that leaves nothing out', latest, changed.replace(/\s+WHERE.*/, ';')],
  ])('no guard: %s', (_, view, insert) => expect(found(withView(view, insert))).toEqual(plain));
});

describe('a body that runs before the INSERT', () => {
  const insert = "INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';";
  const afterBody = (body: string): string[] => found(dagWith(`DO $$ BEGIN ${body} END $$;\n${insert}`));

  test.each([
    "DELETE FROM mart.a WHERE day = '{{ ds }}';",
    "IF true THEN DELETE FROM mart.a WHERE day = '{{ ds }}'; END IF;",
    'TRUNCATE mart.a;',
    `EXECUTE 'DELETE FROM mart.a WHERE day = ' || quote_literal('{{ ds }}');`,
  ])('empties the table: %s', (body) => expect(afterBody(body)).toEqual([]));

  test.each([
    "RAISE NOTICE 'delete from mart.a';",
    'PERFORM 1; -- delete from mart.a',
    "DELETE FROM mart.a WHERE day < now() - interval '90 days';",
    "DELETE FROM other.a WHERE day = '{{ ds }}';",
  ])('leaves it: %s', (body) => expect(afterBody(body)).toEqual(['plain-insert error «INSERT INTO mart.a»']));
});
