import type { Keyword } from '../../../python/values/value.ts';
import { argumentAt } from '../program/arguments.ts';
import type { TaskBuilder } from '../program/program.ts';
import type { SqlArgument, SqlOperator } from './sql-operator.ts';
import { sqlOperators } from './sql-operators.ts';

/** The SQL that a task is given in one argument, be it under the name of earlier releases. */
export const givenSql = (task: TaskBuilder, { sql, formerly }: SqlArgument): Keyword | undefined =>
  argumentAt(task, sql) ?? (formerly === undefined ? undefined : argumentAt(task, formerly));

const namesOf = (operator: SqlOperator): readonly string[] =>
  [operator, ...(operator.sides ?? [])].flatMap(({ sql, formerly }) =>
    [sql, formerly].flatMap((path) => path?.split('.')[0] ?? []),
  );

const allNames: ReadonlySet<string> = new Set(Object.values(sqlOperators).flatMap(namesOf));

const byOperator: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(sqlOperators).map(([name, operator]) => [name, new Set(namesOf(operator))]),
);

/** The keywords in which an operator takes SQL; of a class that is not known, those in which any known one does. */
export const sqlKeywords = (operator: string): ReadonlySet<string> => byOperator.get(operator) ?? allNames;
