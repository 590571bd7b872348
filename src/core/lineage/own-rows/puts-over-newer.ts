import type { ColumnReference, FromItem, SqlExpression } from '../../sql/model/expression.ts';
import { lastNamePart } from '../../sql/model/name-parts.ts';
import { within } from '../../sql/model/sql-search.ts';
import type { Assignment, Statement } from '../../sql/model/statement.ts';
import { holdsTimes } from '../columns/column-type.ts';

/** On which side of a comparison a column stands: a row that comes in, or the one that is there. */
type Side = 'incoming' | 'there';

/** A statement's values for rows that are there. */
interface Change {
  readonly assignments: readonly Assignment[];
  /** Conjuncts that a row has to meet. */
  readonly conditions: readonly SqlExpression[];
  readonly sideOf: (qualifier: string | undefined) => Side | undefined;
  /** Of rows that come in: a column that is the moment of the run. */
  readonly isTimeOfRun: (column: string) => boolean;
}

/**
 * Whether values of rows that come in take the place of those that are there by their key, however new those are: an upsert, a
 * MERGE or an UPDATE from another table that does not ask which of the two is newer, or a DELETE of the keys of a source.
 */
export function putsOverNewer(statement: Statement): boolean {
  if (statement.kind === 'delete') return deletesKeys(statement);
  return changesOf(statement).some((change) => {
    if (change.conditions.some((one) => keepsNewer(one, change) || isOnTime(one, change))) return false;
    // `UPDATE *`, `REPLACE`: all of them.
    if (change.assignments.length === 0) return true;
    return change.assignments.some(({ value }) => bringsIncoming(value, change) && !weighs(value, change));
  });
}

function changesOf(statement: Statement): readonly Change[] {
  const { kind, conflict, assignments, branches, where, on, from } = statement;
  const isTimeOfRun = (column: string) => isMadeByClock(statement, column);
  const named = new Set(
    [statement.targetAlias, statement.target && lastNamePart(statement.target.name), statement.target?.name].flatMap(
      (name) => name ?? [],
    ),
  );
  if (conflict !== undefined) {
    const sideOf = (qualifier: string | undefined): Side => (qualifier === 'excluded' ? 'incoming' : 'there');
    const isUpdate = conflict.action === 'update';
    return isUpdate ? [{ assignments, conditions: conflict.where, sideOf, isTimeOfRun }] : [];
  }
  const sideOf = (qualifier: string | undefined): Side | undefined =>
    qualifier === undefined ? undefined : named.has(qualifier) ? 'there' : 'incoming';
  if (kind === 'update') return from.length === 0 ? [] : [{ assignments, conditions: where, sideOf, isTimeOfRun }];
  return branches.flatMap(({ action, matched, condition, assignments: sets }) =>
    action === 'update' && matched === 'matched'
      ? [{ assignments: sets, conditions: [...on, ...condition], sideOf, isTimeOfRun }]
      : [],
  );
}

/** Rows of the keys that a source names go, and its own come in their place; not of days that it names. */
function deletesKeys({ where, from, target }: Statement): boolean {
  const isOther = (item: FromItem): boolean => item.kind !== 'table' || item.table.name !== target?.name;
  const named = where.filter((one) => one.kind === 'in' && !one.negated && one.query?.from.some(isOther) === true);
  const asked = [
    ...named.flatMap((one) => (one.kind === 'in' ? columnsIn(one.operand) : [])),
    ...where.flatMap(equals),
  ];
  return (named.length > 0 || from.some(isOther)) && !asked.some(({ name }) => holdsTimes(name, undefined));
}

/** Columns that are one and the same on both sides. */
const equals = (one: SqlExpression): readonly ColumnReference[] =>
  one.kind === 'binary' && one.operator === '=' && columnsIn(one.left).length > 0 && columnsIn(one.right).length > 0
    ? columnsIn(one)
    : [];

/** Rows that are there are found by their day among other things: those of other days stay. */
const isOnTime = (one: SqlExpression, { sideOf }: Change): boolean =>
  equals(one).some(({ qualifier, name }) => sideOf(qualifier) === 'there' && holdsTimes(name, undefined));

const columnsIn = (expression: SqlExpression) =>
  within(expression).flatMap((one) => (one.kind === 'column' ? [one] : []));

const bringsIncoming = (value: SqlExpression, { sideOf }: Change): boolean =>
  columnsIn(value).some(({ qualifier }) => sideOf(qualifier) !== 'there') ||
  within(value).some((one) => one.kind === 'call' && one.name === 'values');

/** A value that is chosen by which of the two is newer. */
const weighs = (value: SqlExpression, change: Change): boolean =>
  within(value).some((one) =>
    one.kind === 'case'
      ? one.parts.some((part, at) => one.roles[at] === 'when' && keepsNewer(part, change))
      : one.kind === 'call' && /^(?:greatest|least|max|iff?)$/.test(one.name),
  );

/** Whether a row that is there and newer does not meet this condition. */
function keepsNewer(condition: SqlExpression, change: Change): boolean {
  if (condition.kind !== 'binary') return false;
  const { operator, left, right } = condition;
  if (operator === 'and') return keepsNewer(left, change) || keepsNewer(right, change);
  // Nothing is newer than what is not there.
  if (operator === 'or')
    return (
      [left, right].every((one) => keepsNewer(one, change) || isMissing(one, change)) &&
      [left, right].some((one) => keepsNewer(one, change))
    );
  if (!/^[<>]=?$/.test(operator)) return false;
  const [newer, older] = operator.startsWith('>') ? [left, right] : [right, left];
  const [comes, stands] = [columnsIn(newer), columnsIn(older)];
  return (
    comes.length > 0 &&
    stands.length > 0 &&
    comes.every(({ qualifier, name }) => change.sideOf(qualifier) === 'incoming' && !change.isTimeOfRun(name)) &&
    stands.every(
      // What every version of a row has alike, or what stays as it first was, tells no version from another.
      ({ qualifier, name }) =>
        change.sideOf(qualifier) === 'there' &&
        !saysBirth.test(name) &&
        (change.assignments.length === 0 || change.assignments.some(({ column }) => column === name)),
    )
  );
}

const saysBirth = /^(?:created?|inserted|born|birth|first|registered|signup)(?:_|$)|_(?:created|inserted)(?:_|$)/;

const isMissing = (one: SqlExpression, { sideOf }: Change): boolean =>
  one.kind === 'unary' &&
  /^is ?null$/i.test(one.operator) &&
  columnsIn(one).every(({ qualifier }) => sideOf(qualifier) === 'there');

/** A column of the rows that an INSERT brings which is filled by the clock. */
function isMadeByClock(
  { columns, outputColumns, query, values, nondeterministic }: Statement,
  column: string,
): boolean {
  const index = columns.length > 0 ? columns.indexOf(column) : outputColumns.indexOf(column);
  const value = query?.select[index]?.expression ?? values[index];
  return (
    value !== undefined &&
    nondeterministic.some(({ family, start, end }) => family === 'clock' && value.start <= start && end <= value.end)
  );
}
