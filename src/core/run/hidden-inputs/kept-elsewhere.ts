import { columnsOfCut } from '../../lineage/facts/slice-cut.ts';
import type { Statement } from '../../sql/model/statement.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { constraintColumns } from '../tables/constraint-columns.ts';
import { type Target, tableSql } from '../tables/target.ts';
import { isSameName, keyOf } from '../tables/upsert-keys.ts';
import type { JobInput, RenderedStatement } from '../unit/unit-job.ts';

/**
 * Targets of which a unit finds rows by a key that does not hold the column that its slice is cut by: a row of another
 * slice with that key decides whether a row of its own is put in, changed or taken away, so that those rows are an input.
 */
export async function keptElsewhere(
  session: Session,
  statements: readonly RenderedStatement[],
  targets: readonly Target[],
): Promise<readonly JobInput[]> {
  const found = new Set<string>();
  const cut = targets.filter(({ slice, relation }) => slice.column !== undefined && relation !== undefined);
  if (cut.length === 0) return [];
  const reads = statements.flatMap(({ text }) =>
    readSql(plainText(text), 'postgres').statements.flatMap((one) =>
      [one, ...one.modifying].map((read) => ({ read, text })),
    ),
  );
  for (const { read, text } of reads) {
    if (!findsByKey(read)) continue;
    const target = cut.find(({ slice, qualified }) => isNamed(read, slice.table) || isNamed(read, qualified));
    if (target?.relation === undefined) continue;
    const cutBy = columnsOfCut(target.slice);
    const key = { columns: keyOf(read), constraint: read.conflict?.constraint };
    const { columns } = await constraintColumns(session, key, tableSql(target.relation.table));
    const holds = cutBy.every((column) => columns.some((name) => name.toLowerCase() === column.toLowerCase()));
    const isBound = read.kind === 'delete' && cutBy.every((column) => new RegExp(`\\b${column}\\b`, 'i').test(text));
    if (!holds && !isBound) found.add(target.qualified);
  }
  return [...found].flatMap((table): readonly JobInput[] => {
    const own = targets.flatMap(({ qualified, relation }) => (qualified === table ? [relation?.predicate] : []));
    if (own.some((predicate) => predicate === undefined)) return [];
    const except = own.map((predicate) => `(${predicate})`).join(' or ');
    return [{ table, column: undefined, from: undefined, to: undefined, except }];
  });
}

const findsByKey = (read: Statement): boolean =>
  read.conflict !== undefined || read.kind === 'merge' || (read.kind === 'delete' && keyOf(read).length > 0);

const isNamed = ({ target }: Statement, table: string): boolean =>
  target !== undefined && isSameName(target.name, table);
