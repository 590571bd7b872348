import { positionSql } from '../../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';

/** Rows inserted, updated and deleted in one table by this transaction so far. */
export type Counters = readonly [inserted: number, updated: number, deleted: number];

interface Sent {
  readonly text: string;
}

/** Where the unit's transaction stands before the task, so that what the task does can be told from what was before. */
export interface Position {
  readonly counters: ReadonlyMap<string, Counters>;
  /** Rows whose `age(xmin)` is at most this were written after this moment. */
  readonly ownAge: string;
  readonly transaction: string;
  readonly countersOn: boolean;
  /** The file (empty: none) of each table that the task may name or that the transaction had to itself before. */
  readonly files: ReadonlyMap<string, string>;
  /** Triggers of the database see each table that is made, temporary ones too, and may write elsewhere. */
  readonly logsDefinitions: boolean;
}

/** `statements`: those that are to come. */
export async function readPosition(session: Session, statements: readonly Sent[]): Promise<Position> {
  const values = [JSON.stringify(namesIn(statements))];
  const [counters, ownAge, transaction, trackCounts, files, logs] =
    (await session.query(positionSql, values)).rows[0] ?? [];
  return {
    counters: new Map(Object.entries(JSON.parse(counters ?? '{}') as Record<string, Counters>)),
    ownAge: ownAge ?? '0',
    transaction: transaction ?? '',
    countersOn: trackCounts === 'on',
    logsDefinitions: logs === 't',
    files: new Map(Object.entries(JSON.parse(files ?? '{}') as Record<string, string>)),
  };
}

/** Every word of SQL texts, as the server folds it, and all that stands in quotes: whatever they name is among these. */
export function namesIn(statements: readonly Sent[]): readonly string[] {
  const words = statements.flatMap(({ text }) => text.match(/[\p{L}_][\p{L}\p{N}_$]*|"[^"]+"/gu) ?? []);
  return [...new Set(words.map((word) => (word.startsWith('"') ? word.slice(1, -1) : word.toLowerCase())))];
}
