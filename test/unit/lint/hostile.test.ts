import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkFiles, dagWith, type Files } from '../../support/check-files.ts';
import { lawRuns } from '../../support/laws.ts';

const words =
  "INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}' AND ts BETWEEN '{{ data_interval_start }}' AND now() ; DELETE FROM mart.a UPDATE a SET n = n + 1 MERGE USING ON WHEN MATCHED THEN NOT EXISTS ( ) UNION ALL WITH x AS CASE WHEN END ' \" $$ -- /* */ {{ {% %} }} {# #} 😀 , . ::date ON CONFLICT DO NOTHING BEGIN COMMIT \r\n \t".split(
    ' ',
  );
const soup = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join(' '));

/** Every place that a finding names lies in a file of the workspace. */
function places(files: Files): void {
  for (const { at, related, fixes } of checkFiles(files)) {
    for (const place of [at, ...related.map((one) => one.at), ...fixes.flatMap((fix) => fix.edits)]) {
      const text = files[place.file];
      expect(text).toBeDefined();
      expect(place.start).toBeGreaterThanOrEqual(0);
      expect(place.start).toBeLessThanOrEqual(place.end);
      expect(place.end).toBeLessThanOrEqual(text?.length ?? 0);
    }
  }
}

test('half-typed and broken SQL gives findings with places, never an exception', () => {
  fc.assert(
    fc.property(soup, fc.boolean(), (sql, inDag) => {
      places(inDag ? dagWith(sql.replaceAll('"""', '')) : { 'sql/a.sql': sql });
    }),
    { numRuns: lawRuns(150) },
  );
});

const good = `BEGIN; DELETE FROM mart.a WHERE day = '{{ ds }}';
INSERT INTO mart.a SELECT day, sum(n) FROM raw.a WHERE day = '{{ ds }}' GROUP BY 1 ON CONFLICT (day) DO NOTHING; COMMIT;`;

test('every prefix of a file, as it is typed', () => {
  for (let length = 0; length <= good.length; length += 3) places({ 'sql/a.sql': good.slice(0, length) });
});

test.each([
  ['empty', ''],
  ['blank', ' \n\t\r\n'],
  ['NUL bytes', '\0INSERT INTO a SELECT 1\0'],
  ['deep brackets', `INSERT INTO a SELECT ${'('.repeat(4000)}1${')'.repeat(4000)}`],
  [
    'deep subqueries',
    `DELETE FROM a WHERE day = ${'(SELECT max(d) FROM a WHERE d = '.repeat(400)}'{{ ds }}'${')'.repeat(400)}`,
  ],
  ['long conjunction', `DELETE FROM a WHERE ${Array.from({ length: 3000 }, (_, n) => `c${n} = ${n}`).join(' AND ')}`],
  ['many statements', 'INSERT INTO a SELECT * FROM b;\n'.repeat(500)],
])('%s', (_, sql) => places({ 'sql/a.sql': sql }));
