import type { Task } from '../../pipeline/model/model.ts';
import { isQualified } from '../../sql/model/name-parts.ts';
import { type PathChange, pathChange, pathText } from '../../sql/names/search-path.ts';
import { textSetting } from '../../sql/names/text-settings.ts';
import { touchesNoTable } from '../../sql/names/under-search-path.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { RenderedStatement } from '../unit/unit-job.ts';
import type { JobSession, SessionOptions } from './job-session.ts';

/**
 * The session of a unit with what its own statements set: a search path that comes before everything else holds for the
 * names of its tables as well, and how texts are read as values for the conditions by which its rows are told from others
 * (`cutByText`). Refused by place: what would not have in a unit the effect that it has for the operator.
 */
export function sessionInSql<Options extends SessionOptions>(
  task: Task,
  statements: readonly RenderedStatement[],
  given: JobSession<Options>,
  tables: readonly string[],
  cutByText: boolean,
): JobSession<Options> | JobRefusal {
  const refuse = (statement: RenderedStatement, reason: string, remedy: string): JobRefusal => ({
    code: 'not-rendered',
    message: `${task.id}: ${firstWords(statement)} ${reason}`,
    remedy,
    at: statement.at,
  });
  const alone = sendsEachAlone(task) && !statements.some(opensTransaction);
  for (const statement of statements) {
    if (alone && isLocal(statement))
      return refuse(
        statement,
        'has no effect for its operator, which commits each statement by itself',
        'take LOCAL out, or autocommit=True',
      );
    if (alone && statement !== statements.at(-1) && endsWithCommit(statement))
      return refuse(
        statement,
        'makes for its operator, which commits each statement by itself, a table that has no rows for the next one',
        'take ON COMMIT out, or autocommit=True',
      );
    if (/^[\s;]*set\s+(?:session\s+|local\s+)?session\s+authorization\b/i.test(statement.text))
      return refuse(
        statement,
        'makes the session somebody else’s, who then cannot record the unit',
        'SET ROLE instead',
      );
    const reset = resetSetting(statement);
    const own = task.session?.settings.find(({ name }) => reset === 'all' || name === reset);
    if (own !== undefined)
      return refuse(
        statement,
        `goes back to the ${own.name} that its operator asks for, which is not how the session of a unit begins`,
        `SET ${own.name} to a value instead`,
      );
  }
  const work = statements.findIndex((statement) => !isSetting(statement));
  const session = cutByText ? withTextSettings(statements, work, given, refuse) : given;
  if ('remedy' in session) return session;
  const changes = statements.map(({ text }) => pathChange(plainText(text)));
  const first = changes.findIndex((change) => change !== undefined);
  // Where each name has its schema, a search path decides nothing that is compared.
  if (first < 0 || tables.every(isQualified)) return session;
  const before = changes.slice(0, work < 0 ? changes.length : work);
  const start = before.findLast((change): change is PathChange => change !== undefined);
  const last = statements.findLastIndex((statement) => !isSetting(statement));
  const later = changes.findIndex((change, index) => change !== undefined && index >= before.length && index < last);
  if (start?.kind === 'set' && later < 0) {
    const settings = { ...session.options.settings, search_path: pathText(start.schemas) };
    return { ...session, options: { ...session.options, settings } };
  }
  const statement = statements[later < 0 ? first : later];
  const bare = tables.find((name) => !isQualified(name)) ?? '';
  return statement === undefined || (start === undefined && later < 0)
    ? session
    : refuse(
        statement,
        `decides which table ${bare} is, and that cannot be told before it runs`,
        `write ${bare} with its schema, or set the search path once and first, to names`,
      );
}

/** The rows of before are looked for by the task's own condition as well, before its statements have set anything. */
function withTextSettings<Options extends SessionOptions>(
  statements: readonly RenderedStatement[],
  work: number,
  session: JobSession<Options>,
  refuse: (statement: RenderedStatement, reason: string, remedy: string) => JobRefusal,
): JobSession<Options> | JobRefusal {
  const settings: Record<string, string> = { ...session.options.settings };
  const last = statements.findLastIndex((statement) => !isSetting(statement));
  for (const [index, statement] of statements.entries()) {
    const set = textSetting(plainText(statement.text));
    if (set === undefined || index > last || (index > work && set.value === settings[set.name])) continue;
    if (set.value === undefined || index > work)
      return refuse(
        statement,
        `decides how the values in its conditions are read (${set.name}), and the rows of an interval are told by them`,
        `set ${set.name} once and first, to a value, or write dates in conditions like 2026-11-30`,
      );
    settings[set.name] = set.value;
  }
  return { ...session, options: { ...session.options, settings } };
}

/** Each of its messages is a transaction of its own. */
const sendsEachAlone = ({ autocommit, splitStatements, sql }: Task): boolean =>
  autocommit?.value === true && (splitStatements?.value === true || sql.length > 1);

const isLocal = ({ text }: RenderedStatement): boolean =>
  /^[\s;]*set\s+local\b/i.test(text) || /\bset_config\s*\([^()]*,\s*true\s*\)/i.test(text);

const endsWithCommit = ({ text }: RenderedStatement): boolean =>
  /^[\s;]*create\s+(?:(?:global|local)\s+)?temp(?:orary)?\s[\s\S]*?\bon\s+commit\s+(?:drop|delete\s+rows)\b/i.test(
    text,
  );

const opensTransaction = ({ text }: RenderedStatement): boolean => /^[\s;]*(?:begin|start\s+transaction)\b/i.test(text);

/** The setting that a statement puts back, in lower case; `all` for all of them. */
function resetSetting({ text }: RenderedStatement): string | undefined {
  const reset =
    /^[\s;]*reset\s+([\w.]+)/i.exec(text) ??
    /^[\s;]*set\s+(?:session\s+|local\s+)?([\w.]+)\s*(?:=|to)\s*default\b/i.exec(text);
  if (/^[\s;]*discard\s+all\b/i.test(text)) return 'all';
  return reset?.[1]?.toLowerCase();
}

const isSetting = ({ text }: RenderedStatement): boolean =>
  readSql(plainText(text), 'postgres').statements.every(touchesNoTable);

const firstWords = ({ text }: RenderedStatement): string => text.trim().replace(/\s+/g, ' ').slice(0, 60);
