import { makeTaskSql } from './make-task-sql.ts';
import type { TaskSql } from './model.ts';

/** As {@link makeTaskSql}. */
export type TaskSqlMaker = typeof makeTaskSql;

/** Texts whose reading is kept: an edit of a DAG file changes one of its texts and leaves the others. */
const keptTexts = 1000;

/** A maker that remembers: mask and statements depend on text, holes and dialect only, not on the place in a file. */
export function taskSqlMaker(): TaskSqlMaker {
  const kept = new Map<string, Pick<TaskSql, 'masked' | 'reading'>>();
  return (source, pythonHoles, dialect, origin, session) => {
    if (pythonHoles.length > 0) return makeTaskSql(source, pythonHoles, dialect, origin, session);
    const key = `${dialect} ${source.text}`;
    const known = kept.get(key);
    const made: TaskSql =
      known === undefined
        ? makeTaskSql(source, pythonHoles, dialect, origin, session)
        : { source, origin, dialect, ...known, pythonHoles, ...(session === undefined ? {} : { session }) };
    // Deleting first moves the text to the young end.
    kept.delete(key);
    kept.set(key, known ?? { masked: made.masked, reading: made.reading });
    const [oldest] = kept.keys();
    if (kept.size > keptTexts && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}
