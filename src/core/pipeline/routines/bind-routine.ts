import type { Token } from '../../sql/lex/token.ts';
import { makeTaskSql } from '../model/make-task-sql.ts';
import type { TaskSql } from '../model/model.ts';
import { type BoundNames, boundNames } from './bound-names.ts';
import { composedText } from './composed-text.ts';
import type { DefinedRoutine } from './defined-routines.ts';
import { joined, madeUp, partOf, type TextPart } from './text-part.ts';
import { cutAt, isMark, isWord } from './tokens.ts';
import { withPositions } from './with-positions.ts';

export interface BoundRoutine {
  /** Its statements are those of the body. */
  readonly sql: TaskSql;
  /** False: it runs SQL that it makes in a way that is not read, or is not written in SQL. */
  readonly isRead: boolean;
}

const sqlLanguages = new Set(['', 'sql', 'plpgsql', 'plpgsqlu']);

/** The body of a routine as it reads for one call of `caller`, every statement where its file has it. */
export function bindRoutine(
  routine: DefinedRoutine,
  given: readonly (TextPart | undefined)[],
  caller: TaskSql,
): BoundRoutine {
  const { sql, statement, body = [], language } = routine;
  const names = boundNames(routine, body, given);
  const parts: TextPart[] = [];
  let at = statement.start;
  let isRead = sqlLanguages.has(language) && routine.body !== undefined;
  /** What stands between is read with its names; `tokens` then goes, and `instead` stands in its place. */
  const replace = (before: readonly Token[], from: number, to: number, instead: readonly TextPart[]): void => {
    parts.push(...between(at, before, from), ...instead);
    at = to;
  };
  const between = (start: number, tokens: readonly Token[], end: number): readonly TextPart[] => {
    const [first, last] = [tokens[0], tokens.at(-1)];
    if (first === undefined || last === undefined) return [partOf(sql, { start, end })];
    return [partOf(sql, { start, end: first.start }), ...names.read(tokens), partOf(sql, { start: last.end, end })];
  };
  let pending: Token[] = [];
  for (let index = 0; index < body.length; index++) {
    const here = body[index] as Token;
    const [next, further] = [body[index + 1], body[index + 2]];
    if (isWord(here, 'perform')) {
      replace(pending, here.start, here.end, [madeUp('select')]);
      pending = [];
    } else if (isWord(here, 'return') && isWord(next, 'query') && !isWord(further, 'execute')) {
      replace(pending, here.start, next?.end ?? here.end, []);
      pending = [];
      index++;
    } else if (isWord(here, 'execute') && runsText(body, index)) {
      const { to, made } = executed(body, index, routine, names);
      if (made === undefined) isRead = false;
      else {
        replace(pending, here.start, body[to - 1]?.end ?? here.end, [made]);
        pending = [];
        index = to - 1;
        continue;
      }
      pending.push(here);
    } else pending.push(here);
  }
  parts.push(...between(at, pending, statement.end));
  const { text, pieces, holes } = joined(parts);
  const { session, environment, sessionZone, sentBy, conditions } = caller;
  const read = makeTaskSql({ text, pieces }, holes, sql.dialect, 'imported', {
    session,
    environment: environment ?? sql.environment,
    sessionZone,
    sentBy,
    conditions,
  });
  const statements = read.reading.statements.flatMap((one) => (one.kind === 'create_procedure' ? one.body : []));
  // A procedure is there for what it does.
  const isEmpty = statements.length === 0 && routine.isProcedure;
  return { sql: { ...read, reading: { ...read.reading, statements } }, isRead: isRead && !isEmpty };
}

/** Not the EXECUTE of GRANT, of a trigger, or of a statement that was prepared. */
const runsText = (body: readonly Token[], at: number): boolean =>
  !isWord(body[at - 1], 'grant', 'revoke', 'for') &&
  !isMark(body[at - 1], ',') &&
  !isMark(body[at + 1], ',') &&
  !isWord(body[at + 1], 'on', 'function', 'procedure');

interface Executed {
  /** Behind the statement. */
  readonly to: number;
  readonly made: TextPart | undefined;
}

/** `EXECUTE text [INTO …] [USING …]`, `EXECUTE IMMEDIATE text`. */
function executed(body: readonly Token[], at: number, routine: DefinedRoutine, names: BoundNames): Executed {
  const from = isWord(body[at + 1], 'immediate') ? at + 2 : at + 1;
  const length = body.slice(from).findIndex((here) => isMark(here, ';') || isWord(here, 'loop'));
  const to = length < 0 ? body.length : from + length;
  if (isWord(body[to], 'loop')) return { to, made: undefined };
  const own = body.slice(from, to);
  const tail = own.findIndex((here) => isWord(here, 'into', 'using'));
  const text = composedText(tail < 0 ? own : own.slice(0, tail), routine, names);
  // Nothing says what kind of statement it is.
  if (text?.holes.some(({ start }) => text.text.slice(0, start).trim() === '') === true) return { to, made: undefined };
  const using = own.findIndex((here) => isWord(here, 'using'));
  if (text === undefined || using < 0) return { to, made: text };
  const values = cutAt(own.slice(using + 1), ',').map((one) => joined([madeUp('('), ...names.read(one), madeUp(')')]));
  return { to, made: withPositions(text, values) };
}
