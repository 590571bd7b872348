import { expect, test } from 'vitest';
import { workspace } from './workspace.ts';

/** The statements of a task because of which not all of it is known, as its text has them. */
function takenBackIn(sql: string): readonly string[] {
  const { facts } = workspace({ d: { tasks: { t: sql } } });
  const found = facts.get('d.t')?.unknowns ?? [];
  return found.flatMap(({ message, at }) =>
    message.endsWith('takes back what stands before it.') ? [sql.slice(at?.start, at?.end)] : [],
  );
}

const replaces = "DELETE FROM a WHERE day = '{{ ds }}'; INSERT INTO a SELECT * FROM b WHERE day = '{{ ds }}'";

test.each([
  [`SAVEPOINT s; DELETE FROM a; ROLLBACK TO s; ${replaces}`, 'ROLLBACK TO s'],
  [`SAVEPOINT s; DELETE FROM a; ROLLBACK WORK TO SAVEPOINT s; ${replaces}`, 'ROLLBACK WORK TO SAVEPOINT s'],
  [`BEGIN; ${replaces}; ROLLBACK;`, 'ROLLBACK'],
  [`BEGIN; ${replaces}; ABORT;`, 'ABORT'],
])('what a task takes back is not told by its statements: %s', (sql, place) =>
  expect(takenBackIn(sql)).toEqual([place]),
);

test.each([
  `BEGIN; ${replaces}; COMMIT;`,
  `SAVEPOINT s; ${replaces}; RELEASE s;`,
  `${replaces}; ROLLBACK PREPARED 'x';`,
  'DO $$ BEGIN DELETE FROM a; EXCEPTION WHEN OTHERS THEN ROLLBACK; END $$;',
])('what is kept, or only taken back where something fails, is: %s', (sql) => expect(takenBackIn(sql)).toEqual([]));
