import { lexInside } from '../../sql/lex/lex-inside.ts';
import { lex } from '../../sql/lex/lexer.ts';
import type { Token } from '../../sql/lex/token.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { makeTaskSql } from '../model/make-task-sql.ts';
import type { Task, TaskSql } from '../model/model.ts';
import { dollarQuoted } from './dollar-quoted.ts';
import { type RoutineParameter, readParameters } from './read-parameters.ts';
import { behindBracket, isMark, isWord } from './tokens.ts';

/** A function or procedure that a text of the workspace makes. */
export interface DefinedRoutine {
  readonly name: string;
  readonly sql: TaskSql;
  readonly statement: Statement;
  readonly isProcedure: boolean;
  /** In lower case; empty where none is named. */
  readonly language: string;
  readonly parameters: readonly RoutineParameter[];
  /** The tokens of the body; none where its quotes have escapes of their own (`E'…'`), so that offsets would not hold. */
  readonly body: readonly Token[] | undefined;
}

/** What the texts of a task make, in their order; one that is made again is there twice. */
export const definedRoutines = (task: Task): readonly DefinedRoutine[] =>
  task.sql.flatMap((sql) => definedIn(dollarQuoted(sql) ?? sql));

/** The routine as another dialect reads it: a file says nothing of its own, and the call tells where it runs. */
export function inDialect(routine: DefinedRoutine, dialect: DialectName): DefinedRoutine | undefined {
  const { sql, statement } = routine;
  if (sql.dialect === dialect) return routine;
  const { source, pythonHoles, origin, environment } = sql;
  const again = definedIn(makeTaskSql(source, pythonHoles, dialect, origin, { environment }));
  return again.find((one) => one.name === routine.name && one.statement.start === statement.start);
}

function definedIn(sql: TaskSql): readonly DefinedRoutine[] {
  const made = sql.reading.statements.filter(({ kind }) => kind === 'create_procedure');
  if (made.length === 0) return [];
  const { tokens } = lex(sql.masked, sql.dialect);
  return made.flatMap((statement) => {
    const { routine, start: from, end: to } = statement;
    if (routine === undefined || routine.templated) return [];
    const own = tokens.filter(({ start, end }) => from <= start && end <= to);
    return definition(sql, statement, routine.name, own) ?? [];
  });
}

function definition(
  sql: TaskSql,
  statement: Statement,
  name: string,
  tokens: readonly Token[],
): DefinedRoutine | undefined {
  const open = tokens.findIndex((here) => isMark(here, '('));
  const close = open < 0 ? -1 : behindBracket(tokens, open);
  if (close < 0) return undefined;
  const behind = tokens.slice(close);
  const at = behind.findIndex((here) => isWord(here, 'language'));
  return {
    name,
    sql,
    statement,
    isProcedure: tokens.slice(0, open).some((here) => isWord(here, 'procedure')),
    language: at < 0 ? '' : (behind[at + 1]?.text.toLowerCase() ?? ''),
    parameters: readParameters(tokens.slice(open + 1, close - 1), sql.source.text),
    body: bodyTokens(behind, sql),
  };
}

function bodyTokens(behind: readonly Token[], { masked, dialect }: TaskSql): readonly Token[] | undefined {
  const at = behind.findIndex((here, index) => isBody(here) && isWord(behind[index - 1], 'as'));
  const quoted = behind[at];
  if (quoted?.content === undefined) return behind;
  return masked.text[quoted.start] === '$' ? lexInside(masked, quoted.content, false, dialect) : undefined;
}

const isBody = ({ kind }: Token): boolean => kind === 'string' || kind === 'template-string';
