import { commonConditions } from '../../../model/condition.ts';
import type { TableAccess } from '../../../model/table-access.ts';
import type { Program } from '../program/program.ts';
import { noteUnread } from './note-unread.ts';

/** Notes a table that the running task reads or writes; the same access of the same place once. */
export function noteAccess(program: Program, found: TableAccess): void {
  const conditions = program.conditions();
  const access = conditions.length === 0 ? found : { ...found, conditions };
  const noted = program.running?.accessed;
  if (noted === undefined) return;
  const { value } = access.table;
  if (value.kind === 'unknown')
    noteUnread(
      program,
      'table',
      `the table that ${access.by} ${access.direction === 'read' ? 'reads' : 'writes'} is not known: ${value.reason}`,
      access.table.at ?? access.at,
    );
  const known = noted.findIndex((other) => isSame(other, access));
  const other = noted[known];
  if (other !== undefined) {
    const { conditions: _, ...always } = other;
    const common = commonConditions(other.conditions ?? [], conditions);
    noted[known] = common.length === 0 ? always : { ...other, conditions: common };
    return;
  }
  noted.push(access);
  if (!program.isCertain() && access.direction === 'write') joinRounds(noted, access);
}

const nameOf = ({ table: { value } }: TableAccess): unknown => (value.kind === 'literal' ? value.value : value);

const isSame = (a: TableAccess, b: TableAccess): boolean =>
  a.at.file === b.at.file &&
  a.at.start === b.at.start &&
  a.direction === b.direction &&
  JSON.stringify(nameOf(a)) === JSON.stringify(nameOf(b)) &&
  a.mode?.value === b.mode?.value;

/**
 * `to_sql(if_exists="replace")` for the first chunk and `"append"` for the others, under a condition: neither of the
 * two is what the task does to the table.
 */
function joinRounds(noted: TableAccess[], last: TableAccess): void {
  const pair: readonly unknown[] = ['append', 'full_replace'];
  const index = noted.findIndex(
    (other) =>
      other.direction === 'write' &&
      other.by === last.by &&
      other.mode?.value !== last.mode?.value &&
      pair.includes(other.mode?.value) &&
      pair.includes(last.mode?.value) &&
      nameOf(other) === nameOf(last),
  );
  const other = noted[index];
  if (other === undefined) return;
  noted[index] = withoutMode(other);
  noted[noted.length - 1] = withoutMode(last);
}

const withoutMode = (access: TableAccess): TableAccess => ({
  ...access,
  mode: { value: 'unknown', at: access.mode?.at ?? access.at },
});
