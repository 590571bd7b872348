import { timeNames } from '../../template/names/time-names.ts';
import { locate } from '../../text/mapped-text.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { LintContext } from '../context/lint-context.ts';
import { textAt } from '../context/text-at.ts';
import type { TaskView } from '../source/statement-view.ts';

/** A place where a task takes the interval of its run. */
export interface TimeUse {
  readonly at: SourceSpan;
  /** The expression, or the piece of Python. */
  readonly source: string;
  /** Where in the SQL of the task it stands; absent for arguments and Python. */
  readonly inSql?: { readonly sqlIndex: number; readonly offset: number };
}

const names = Object.keys(timeNames)
  .map((name) => name.replace('.', String.raw`\.`))
  .sort((a, b) => b.length - a.length)
  .join('|');
/** As a name of its own: `| ts` is a filter, which shows whatever stands before it. */
const named = new RegExp(String.raw`(?<![\w.]|\|\s*)(?:${names})\b`);
const expression = /\{\{(?:(?!\}\}).)*?\}\}/gs;

/** Every use of the interval that can be read: in SQL, in templates of arguments, in Python; in the order of the file, once each. */
export function timesUsed(context: LintContext, { task }: TaskView): readonly TimeUse[] {
  const inSql = task.sql.flatMap((sql, sqlIndex) =>
    sql.masked.holes.flatMap((hole): readonly TimeUse[] => {
      if (hole.value.kind !== 'time' && !named.test(hole.source)) return [];
      const at = locate(sql.source, hole);
      return at === undefined ? [] : [{ at, source: hole.source, inSql: { sqlIndex, offset: hole.start } }];
    }),
  );
  const inArguments = task.arguments.flatMap(({ valueAt }) => templateTimes(context, valueAt));
  const inPython = (task.timesTaken ?? []).flatMap(({ name, at }) =>
    name in timeNames ? [{ at, source: textAt(context, at) }] : [],
  );
  const known = new Set<string>();
  return [...inSql, ...inArguments, ...inPython]
    .filter(({ at }) => {
      const key = `${at.file} ${at.start}`;
      return !known.has(key) && known.add(key);
    })
    .sort((a, b) => (a.at.file === b.at.file ? a.at.start - b.at.start : 0));
}

/** Template expressions of an argument that are functions of the interval. */
export const templateTimes = (context: LintContext, valueAt: SourceSpan): readonly TimeUse[] =>
  [...textAt(context, valueAt).matchAll(expression)]
    .filter(([text]) => named.test(text))
    .map((match) => {
      const start = valueAt.start + match.index;
      return { at: { file: valueAt.file, start, end: start + match[0].length }, source: match[0] };
    });
