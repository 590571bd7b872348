import { lex } from '../../sql/lex/lexer.ts';
import type { Token } from '../../sql/lex/token.ts';
import type { Span } from '../../text/span.ts';
import { makeTaskSql } from '../model/make-task-sql.ts';
import type { CalledRoutine, Task, TaskSql } from '../model/model.ts';
import { joined, madeUp, partOf } from './text-part.ts';
import { behindBracket, cutAt, isMark, isWord } from './tokens.ts';
import { withPositions } from './with-positions.ts';

interface Prepared {
  readonly sql: TaskSql;
  readonly span: Span;
}

/** `PREPARE p(date) AS INSERT …` does its work where `EXECUTE p('…')` stands, in the same session, with the values given there. */
export function preparedStatements({ sql: texts }: Pick<Task, 'sql'>): readonly CalledRoutine[] {
  if (!texts.some(({ masked }) => /\bprepare\b/i.test(masked.text))) return [];
  const sessions = new Map<number | undefined, Map<string, Prepared>>();
  return texts.flatMap((sql, sqlIndex) => {
    const { tokens } = lex(sql.masked, sql.dialect);
    const prepared = sessions.get(sql.session) ?? new Map<string, Prepared>();
    sessions.set(sql.session, prepared);
    return sql.reading.statements.flatMap(({ start: from, end: to, routine }): readonly CalledRoutine[] => {
      const own = tokens.filter(({ start, end }) => from <= start && end <= to);
      const [verb, name] = own;
      if (isWord(verb, 'prepare') && name !== undefined) {
        const span = preparedSpan(own);
        if (span !== undefined) prepared.set(name.text, { sql, span });
        return [];
      }
      const found = isWord(verb, 'execute') && name !== undefined ? prepared.get(name.text) : undefined;
      if (found === undefined || routine === undefined) return [];
      return [{ sqlIndex, at: from, name: routine.name, isRead: true, sql: asExecuted(found, own, sql) }];
    });
  });
}

/** Behind AS. */
function preparedSpan(own: readonly Token[]): Span | undefined {
  const behind = isMark(own[2], '(') ? behindBracket(own, 2) : 2;
  const [first, last] = [own[behind + 1], own.at(-1)];
  return behind > 0 && isWord(own[behind], 'as') && first !== undefined && last !== undefined
    ? { start: first.start, end: last.end }
    : undefined;
}

function asExecuted({ sql, span }: Prepared, own: readonly Token[], caller: TaskSql): TaskSql {
  const close = isMark(own[2], '(') ? behindBracket(own, 2) : -1;
  const given = close < 0 ? [] : cutAt(own.slice(3, close - 1), ',');
  const values = given.map((one) => {
    const [first, last] = [one[0], one.at(-1)];
    const value =
      first === undefined || last === undefined ? [] : [partOf(caller, { start: first.start, end: last.end })];
    return joined([madeUp('('), ...value, madeUp(')')]);
  });
  const { text, pieces, holes } = withPositions(partOf(sql, span), values);
  const { session, environment, sessionZone, sentBy, conditions } = caller;
  const parts = { session, environment, sessionZone, sentBy, conditions };
  return makeTaskSql({ text, pieces }, holes, sql.dialect, 'imported', parts);
}
