import type { AstReader } from '../../sql/ast/ast-reader.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import type { MappedText } from '../../text/mapped-text.ts';
import { makeTaskSql, type TaskSqlParts, withParts } from './make-task-sql.ts';
import type { TaskSql } from './model.ts';

/** As {@link makeTaskSql}, with the second opinion that the maker was given. */
export type TaskSqlMaker = (
  source: MappedText,
  pythonHoles: readonly Hole[],
  dialect: DialectName,
  origin: TaskSql['origin'],
  parts?: TaskSqlParts,
) => TaskSql;

/** Texts whose reading is kept: an edit of a DAG file changes one of its texts and leaves the others. */
const keptTexts = 1000;

/** A maker that remembers: mask and statements depend on text, holes and dialect only, not on the place in a file. */
export function taskSqlMaker(ast: AstReader | undefined): TaskSqlMaker {
  const kept = new Map<string, Pick<TaskSql, 'masked' | 'reading' | 'otherWays'>>();
  return (source, pythonHoles, dialect, origin, parts = {}) => {
    if (pythonHoles.length > 0 || parts.environment !== undefined)
      return makeTaskSql(source, pythonHoles, dialect, origin, parts, ast);
    const key = `${dialect} ${parts.plain === true} ${parts.searchPath?.join() ?? ''} ${source.text}`;
    const known = kept.get(key);
    const made: TaskSql =
      known === undefined
        ? makeTaskSql(source, pythonHoles, dialect, origin, parts, ast)
        : withParts({ source, origin, dialect, ...known, pythonHoles }, parts);
    // Deleting first moves the text to the young end.
    kept.delete(key);
    const { masked, reading, otherWays } = made;
    kept.set(key, known ?? { masked, reading, ...(otherWays && { otherWays }) });
    const [oldest] = kept.keys();
    if (kept.size > keptTexts && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}
