import { describe, expect, test } from 'vitest';
import { createWorkspaceChecker } from '../../../src/core/lint/check.ts';
import type { AstReader } from '../../../src/core/sql/ast/ast-reader.ts';
import { checkWithGrammars } from '../../../src/node/check-with-grammars.ts';
import { sqlGrammars } from '../../../src/node/sql-grammars.ts';
import { checkFiles, dagWith, type Files, factsOf, inWords } from '../../support/check-files.ts';

const rules = (files: Files, ast?: AstReader): readonly string[] =>
  checkFiles(files, ast === undefined ? {} : { ast }).map(({ rule }) => rule);

const doubting = (word: string): AstReader => ({
  trustOf: (_, sql) => (sql.includes(word) ? 'envelope' : 'full'),
});

describe('a finding that rests on expressions', () => {
  test.each([
    ['plain-insert', 'INSERT INTO mart.days SELECT id FROM raw.o', 'INSERT'],
    ['wall-clock', 'DELETE FROM mart.days WHERE day = current_date', 'DELETE'],
    ['additive-update', "UPDATE mart.totals SET n = n + 1 WHERE day = '{{ ds }}'", 'UPDATE'],
    ['do-nothing-upsert', 'INSERT INTO mart.o (id, n) SELECT id, n FROM raw.o ON CONFLICT (id) DO NOTHING', 'INSERT'],
    [
      'inclusive-interval-end',
      "CREATE TABLE x.y AS SELECT 1 FROM raw.o WHERE at BETWEEN '{{ data_interval_start }}' AND '{{ data_interval_end }}'",
      'CREATE',
    ],
    [
      'missing-interval-filter',
      "DELETE FROM mart.days WHERE day = '{{ ds }}'; INSERT INTO mart.days (day, n) SELECT day, n FROM raw.o",
      'INSERT',
    ],
    [
      'delete-insert-range-mismatch',
      "DELETE FROM mart.days WHERE day = '{{ ds }}'; INSERT INTO mart.days (day, n) SELECT day, n FROM raw.o WHERE day >= '{{ macros.ds_add(ds, -3) }}' AND day < '{{ macros.ds_add(ds, 1) }}'",
      'DELETE',
    ],
  ])('%s is silent where the statement is read in two ways', (rule, sql, word) => {
    const files = dagWith(sql);
    expect(rules(files)).toContain(rule);
    expect(rules(files, doubting('another statement'))).toContain(rule);
    expect(rules(files, doubting(word))).not.toContain(rule);
  });

  test('a rule that speaks of whole statements does not ask', () => {
    const files = dagWith("DELETE FROM m.t WHERE day = '{{ ds }}'; INSERT INTO m.t SELECT 1", {
      task: ', autocommit=True, split_statements=True',
    });
    const every: AstReader = { trustOf: () => 'envelope' };
    expect(rules(files, every)).toEqual(['delete-insert-not-atomic']);
  });
});

test('statements without a finding are never parsed a second time', () => {
  const asked: string[] = [];
  const ast: AstReader = {
    trustOf(_, sql) {
      asked.push(sql);
      return 'full';
    },
  };
  const safe = "DELETE FROM m.t WHERE day = '{{ ds }}'; INSERT INTO m.t (day) SELECT day FROM s WHERE day = '{{ ds }}'";
  const facts = factsOf(dagWith(safe), { ast });
  const started = createWorkspaceChecker().start(facts, { severities: {} });
  expect([started.findings(), [...started.dialects], asked]).toEqual([[], [], []]);
  checkFiles(dagWith(`${safe}; INSERT INTO m.other SELECT id FROM s`), { ast });
  expect(asked).toEqual(['INSERT INTO m.other SELECT id FROM s']);
});

describe('with the real grammars', () => {
  /** To the Snowflake grammar the target is a table called `identifier` with a column list. */
  const misread: Files = {
    'load.sql': `-- backfill: schedule=@daily start=2026-01-01 dialect=snowflake
INSERT INTO IDENTIFIER('mart.t') SELECT * FROM IDENTIFIER($src);
`,
  };
  const check = (files: Files) => {
    const grammars = sqlGrammars();
    return checkWithGrammars(factsOf(files, { ast: grammars.reader }), grammars, { severities: {} });
  };

  test('only the dialects of findings are loaded', async () => {
    const loaded: string[] = [];
    const { reader } = sqlGrammars();
    const facts = factsOf(misread, { ast: reader });
    await checkWithGrammars(
      facts,
      { reader, load: async (dialects) => void loaded.push(...dialects) },
      { severities: {} },
    );
    expect(loaded).toEqual(['snowflake']);
  });

  test('a statement that its grammar misreads gives no finding, its neighbour does', async () => {
    expect(checkFiles(misread).map((one) => inWords(misread, one))).toEqual([
      "plain-insert error «INSERT INTO IDENTIFIER('mart.t')»",
    ]);
    expect(await check(misread)).toEqual([]);
    const files = dagWith('INSERT INTO mart.days SELECT id FROM raw.o');
    expect((await check(files)).map((one) => inWords(files, one))).toEqual([
      'plain-insert error «INSERT INTO mart.days»',
    ]);
  });
});
