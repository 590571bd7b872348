import type { SliceRelation } from '../../../diff/slice-relation.ts';
import {
  familyFilesSql,
  isOfStatistics,
  mayBeTemporary,
  mayNotifySql,
  ownCatalogRowsSql,
  ownRelationsSql,
  rolledBackSql,
  tellingWords,
  writtenCatalogsSql,
} from '../../../warehouse/dialects/postgres/effects/lasting-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import { namesIn, type Position } from '../task/position.ts';

/** The relations that hold the rows of a unit's tables, and a checksum of all else that the catalog says of them. */
export interface TableFiles {
  readonly oids: string;
  readonly checksum: string;
}

/** What is asked of a unit whose slices are as they were. */
export interface LastingQuestion {
  readonly session: Session;
  readonly position: Position;
  /** The statements as they were sent. */
  readonly statements: readonly { readonly text: string }[];
  /** Whether one of them has written to a catalog. */
  readonly catalogWritten: boolean;
  /** Of the targets before the task, where nothing but TRUNCATE can have given them other files. */
  readonly files: TableFiles | undefined;
  readonly targets: readonly SliceRelation[];
}

/** Transaction numbers that are looked at for a part that was rolled back. */
const mostTransactions = 10_000;
const mostNamed = 5;

/** Relations of the targets as the catalog has them now. */
export async function readTableFiles(session: Session, relations: readonly SliceRelation[]): Promise<TableFiles> {
  const tables = relations.flatMap(({ table }) => table.storage);
  const [oids, checksum] = (await session.query(familyFilesSql, [`{${tables.join(',')}}`])).rows[0] ?? [];
  return { oids: oids ?? '{}', checksum: checksum ?? '' };
}

/**
 * What of a task that left its slices as they were would last beside them, in words; `undefined`: surely nothing, so that
 * it can be rolled back. Told by effect: whatever makes, alters or drops an object, gives a right or writes a comment
 * writes rows of the system's catalogs, and the session counts those. Rows of tables that were there are no matter of
 * this: where they are not declared, the unit is held. A notification leaves no trace before the commit, so a task that
 * may send one is taken to have done so. In doubt something lasts. Asked in the task's transaction, before it ends.
 */
export async function lastingEffect(question: LastingQuestion): Promise<string | undefined> {
  const { session, position } = question;
  if (!position.countersOn) return 'Whether anything else of it lasts is not known, because the server counts nothing.';
  const lasts = question.catalogWritten ? await definitionsLast(question) : 'no';
  if (lasts === 'perhaps')
    return 'Whether anything else of it lasts is not known, because something was rolled back on the server meanwhile.';
  if (lasts === 'statistics') return 'It took statistics (ANALYZE).';
  if (lasts === 'yes') {
    const { rows } = await session.query(ownRelationsSql(position.ownAge, mostNamed));
    const named = rows.map(([name]) => name).join(', ');
    const more = Number(rows[0]?.[1] ?? 0) - rows.length;
    return named === ''
      ? 'It made, altered or dropped something in the database.'
      : `It made or altered ${named}${more > 0 ? ` and ${more} more` : ''}.`;
  }
  return (await mayNotify(question)) ? 'It may have sent notifications.' : undefined;
}

/**
 * Whether the transaction left other rows in the catalogs than those of its temporary tables. Every row version that it made
 * is still there or was ended by it again, and what it ended beyond those was there before. That is no account where a part
 * of the transaction was rolled back, and the server does not say whether what was rolled back meanwhile was a part of it.
 */
async function definitionsLast({
  session,
  position,
  files,
  targets,
}: LastingQuestion): Promise<'yes' | 'no' | 'perhaps' | 'statistics'> {
  const written = (await session.query(writtenCatalogsSql)).rows.flatMap(([oid, name, ...counts]) => {
    const before = position.counters.get(oid ?? '') ?? [0, 0, 0];
    const [inserted = 0, updated = 0, deleted = 0] = counts.map((count, index) => Number(count) - (before[index] ?? 0));
    return inserted + updated + deleted > 0 ? [{ name: name ?? '', surplus: deleted - inserted }] : [];
  });
  if (!written.every(({ name }) => mayBeTemporary(name))) return 'yes';
  const now = files && (await readTableFiles(session, targets));
  const sameFiles = now !== undefined && now.oids === files?.oids && now.checksum === files.checksum;
  const names = written.map(({ name }) => name);
  const kept = `'${sameFiles ? now.oids : '{}'}'::pg_catalog.oid[]`;
  const { rows } = await session.query(ownCatalogRowsSql(names, position.ownAge, kept));
  const own = new Map(rows.map(([name, ...counts]) => [name, counts.map(Number)]));
  const lasting = [...own].flatMap(([name, [, rows = 1]]) => (rows > 0 ? [name ?? ''] : []));
  if (lasting.length > 0) return lasting.every(isOfStatistics) ? 'statistics' : 'yes';
  const [rolledBack] = (await session.query(rolledBackSql(position.ownAge, mostTransactions))).rows[0] ?? [];
  if (rolledBack !== 'f') return 'perhaps';
  // Each row of a table's files took the place of one that was there.
  const isEven = ({ name, surplus }: { name: string; surplus: number }): boolean => {
    const [made = 0, , files = 0] = own.get(name) ?? [];
    return surplus + made === files;
  };
  return written.every((one) => own.has(one.name) && isEven(one)) ? 'no' : 'yes';
}

async function mayNotify({ session, statements }: LastingQuestion): Promise<boolean> {
  if (statements.some(({ text }) => new RegExp(`\\b${tellingWords}\\b`, 'i').test(text))) return true;
  return (await session.query(mayNotifySql, [JSON.stringify(namesIn(statements))])).rows[0]?.[0] !== 'f';
}
