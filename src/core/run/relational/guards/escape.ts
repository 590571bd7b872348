import type { SliceRelation } from '../../../diff/slice-relation.ts';
import { type TakenFigures, takeFigures, type VersionedFigures } from '../../../diff/take-figures.ts';
import { writtenTablesSql } from '../../../warehouse/dialects/postgres/slice/escape-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { EscapeVerdict } from '../../record/applied.ts';
import { tableSql } from '../../tables/target.ts';
import type { Counters, Position } from '../task/position.ts';
import { byTable, type OutsideSlice, unionOf, writtenOutside } from './outside-rows.ts';

/** One slice of a unit with its rows before and after, or a whole table. */
export interface EscapeSlice extends OutsideSlice {
  readonly before: TakenFigures | undefined;
  readonly after: VersionedFigures;
}

interface WrittenTable {
  readonly oid: string;
  readonly table: string;
  /** The transaction has it to itself, be it since before the task. */
  readonly exclusive: boolean;
  /** Its rows are in another database: nothing of them is counted here. */
  readonly foreign: boolean;
  readonly file: string;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly made: boolean;
}

/** Tables that this transaction may have written, with what it counted in each since it began. */
export type WrittenTables = readonly WrittenTable[];

export async function readWrittenTables(session: Session): Promise<WrittenTables> {
  const json = (await session.query(writtenTablesSql)).rows[0]?.[0];
  return json ? (JSON.parse(json) as WrittenTable[]) : [];
}

/** Foreign tables on which the task took the lock of a writer. */
export const uncountedTables = (written: WrittenTables): readonly string[] =>
  written.flatMap(({ foreign, table }) => (foreign ? [table] : []));

/**
 * Looks for rows that the task wrote outside its slices or in tables that it does not declare. Every row version that
 * this transaction made is still in the slice or was ended by it again; every old row that it ended was in the slice.
 * The transaction's own counters say how many there were, so what does not add up lies outside. Not seen: other
 * databases (dblink), sequences. `proven`: the rest of every table was compared and is the same.
 * `written`: read when the task had ended.
 */
export async function findEscape(
  session: Session,
  slices: readonly EscapeSlice[],
  position: Position,
  options: { readonly plain: boolean; readonly proven: boolean; readonly written: WrittenTables },
): Promise<EscapeVerdict> {
  const written = options.written.map((table) => sinceStart(table, position));
  const found = undeclaredWrites(written, slices, position);
  let doubt = false;
  for (const group of options.proven ? [] : byTable(slices)) {
    const verdict = await findInTable(session, group, written, position, options.plain);
    if (verdict.kind === 'escaped') found.push({ reason: verdict.reason, table: verdict.tables[0] ?? '' });
    doubt ||= verdict.kind === 'doubt';
  }
  if (found.length > 0) {
    const [reasons, tables] = [found.map(({ reason }) => reason), found.map(({ table }) => table)];
    return { kind: 'escaped', reason: reasons.join(' '), tables };
  }
  return doubt ? { kind: 'doubt' } : { kind: 'none' };
}

function undeclaredWrites(
  written: readonly WrittenTable[],
  slices: readonly EscapeSlice[],
  { files, countersOn }: Position,
): { readonly reason: string; readonly table: string }[] {
  const found: { readonly reason: string; readonly table: string }[] = [];
  const declared = new Set(slices.flatMap(({ relation }) => [relation.table.oid, ...relation.table.storage]));
  for (const table of written) {
    if (declared.has(table.oid) || table.made || table.foreign) continue;
    const { inserted, updated, deleted } = table;
    if (inserted + updated + deleted > 0) {
      const reason =
        `The task also wrote ${table.table}, which it does not declare: ${inserted} inserted, ${updated} updated, ` +
        `${deleted} deleted (a trigger, a cascade, or a second target).`;
      found.push({ reason, table: table.table });
    } else if (!countersOn) {
      const reason =
        `The task took the lock of a writer on ${table.table}, which it does not declare, and whether it wrote it cannot be ` +
        'told: this server counts no rows (set track_counts = on for the database or the role, and run it again).';
      found.push({ reason, table: table.table });
    } else if (table.exclusive && files.get(table.oid) !== table.file)
      found.push({
        reason: `The task emptied, altered or locked all of ${table.table}, which it does not declare.`,
        table: table.table,
      });
  }
  return found;
}

async function findInTable(
  session: Session,
  group: readonly EscapeSlice[],
  written: readonly WrittenTable[],
  position: Position,
  plain: boolean,
): Promise<EscapeVerdict> {
  const table = group[0]?.relation.table;
  const predicate = unionOf(group);
  if (table === undefined || predicate === undefined) return { kind: 'none' };
  const own = written.filter((candidate) => candidate.oid === table.oid || table.storage.includes(candidate.oid));
  if (!position.countersOn || own.some((candidate) => candidate.exclusive)) return { kind: 'doubt' };
  const total = (pick: (counted: WrittenTable) => number) => own.reduce((sum, counted) => sum + pick(counted), 0);
  const rows = group.reduce((sum, { after }) => sum + after.ownRows, 0);
  const kept = group.reduce((sum, { after }) => sum + after.figures.rows - after.ownRows, 0);
  const old = group.reduce((sum, { before }) => sum + (before?.figures.rows ?? 0), 0);
  const surplusMade = total((counted) => counted.inserted + counted.updated) - rows;
  const surplusEnded = total((counted) => counted.deleted + counted.updated) - (old - kept);
  if (surplusMade === 0 && surplusEnded === 0) return { kind: 'none' };
  const outside = await writtenOutside(session, group, position);
  if (outside !== undefined) return { kind: 'escaped', reason: outside, tables: [table.qualified] };
  // Rows written and ended again inside the slice (insert, then remove duplicates) add the same to both sides.
  // A caught error does too, and could hide a deletion: it takes a function, a trigger or a savepoint.
  if (surplusMade === surplusEnded && plain && !table.triggers) return { kind: 'none' };
  return { kind: 'doubt' };
}

/** Figures of everything outside the slices of each table, before or after; the exact way, one pass over the table. */
export async function outsideFigures(session: Session, relations: readonly SliceRelation[]): Promise<string> {
  const figures: string[] = [];
  for (const group of byTable(relations.map((relation) => ({ relation })))) {
    const relation = group[0]?.relation;
    const predicate = unionOf(group);
    if (relation === undefined || predicate === undefined) continue;
    const taken = await takeFigures(
      session,
      { ...relation, key: [], volatile: [] },
      { sql: tableSql(relation.table), predicate: `${predicate} is not true`, ownAge: undefined },
    );
    figures.push(`${relation.table.qualified}: ${taken.figures.rows} rows, checksum ${taken.figures.rowChecksum}`);
  }
  return figures.join('; ');
}

function sinceStart(table: WrittenTable, position: Position): WrittenTable {
  const [inserted, updated, deleted]: Counters = position.counters.get(table.oid) ?? [0, 0, 0];
  return {
    ...table,
    inserted: table.inserted - inserted,
    updated: table.updated - updated,
    deleted: table.deleted - deleted,
  };
}
