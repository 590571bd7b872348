import { WarehouseError, type WarehouseErrorKind } from './warehouse-error.ts';

/** What the engine said, as drivers give it. */
export interface EngineMessage {
  readonly message: string;
  readonly sqlState: string | undefined;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  readonly position?: number | undefined;
  /** Two sessions changed one definition at once (CREATE … IF NOT EXISTS, GRANT): the later one met the other's row. */
  readonly catalogRace?: boolean | undefined;
  readonly cause?: unknown;
}

interface Sorted {
  readonly kind: WarehouseErrorKind;
  readonly retryable: boolean;
  readonly remedy?: string;
}

const retryable = (kind: WarehouseErrorKind): Sorted => ({ kind, retryable: true });
const final = (kind: WarehouseErrorKind, remedy?: string): Sorted => ({
  kind,
  retryable: false,
  ...(remedy === undefined ? {} : { remedy }),
});

const lockTimeout: Sorted = {
  kind: 'timeout',
  retryable: true,
  remedy: 'Another transaction holds a lock on these rows or this table; try again, or raise the lock time-out.',
};

/** Single codes first, then classes (first two characters); see the PostgreSQL manual, appendix A. */
const byCode: Readonly<Record<string, Sorted>> = {
  '57P01': retryable('connection'),
  '57P02': retryable('connection'),
  '57P03': retryable('connection'),
  '57P05': retryable('connection'),
  '25P03': retryable('timeout'),
  '25P04': retryable('timeout'),
  '40001': retryable('conflict'),
  '40P01': retryable('conflict'),
  '55P03': lockTimeout,
  '57014': final('cancelled'),
  '25006': {
    kind: 'connection',
    retryable: true,
    remedy: 'The server is read-only (a standby, or for a while): connect to the primary, or resume the run later.',
  },
  '28P01': final('permission', 'Check user and password (PGPASSWORD, .pgpass or the connection in backfill.yaml).'),
  '3D000': final('missing', 'Check the database name of the connection.'),
  '3F000': final('missing', 'Check the schema name, or create the schema.'),
  '42501': final(
    'permission',
    'Ask the owner for a GRANT of the right that is named; where it is row security, connect as the owner or as a role with BYPASSRLS.',
  ),
  '42P01': final('missing', 'Check the table name and search_path, or create the table first.'),
  '42703': final('missing', 'Check the column name against the table.'),
  '42883': final('missing', 'Check the function name and its argument types.'),
  '42704': final('missing'),
  '53300': {
    kind: 'connection',
    retryable: true,
    remedy: 'The server has no free connections: lower the concurrency or free some, then resume the run.',
  },
  '53100': final('storage', 'The disk of the server is full: free space, then resume the run.'),
  '53400': final('storage', 'A limit of the server was reached (temp_file_limit?): raise it, then resume the run.'),
  '58030': final('storage', 'The server could not read or write its files: check its disk, then resume the run.'),
  XX001: final('storage', 'Data files of the server are damaged: restore them before running anything.'),
  XX002: final('storage', 'An index of the server is damaged: REINDEX it before running anything.'),
};

const byClass: Readonly<Record<string, Sorted>> = {
  '08': retryable('connection'),
  '23': final('constraint'),
  '28': final('permission', 'The server refuses this user, database or address: check pg_hba.conf and the user name.'),
  '42': final('syntax'),
  '53': final('storage', 'The server is out of a resource: free some, then resume the run.'),
  '58': final('storage', 'The server met a system error: check its disk and log, then resume the run.'),
};

/** Sorts an engine's message by its SQLSTATE. Without one the connection itself failed, which may be tried again. */
export function warehouseErrorOf(said: EngineMessage): WarehouseError {
  const sorted = said.catalogRace ? retryable('conflict') : sort(said.sqlState);
  const told = said.detail ? `${said.message} (${said.detail})` : said.message;
  // What the server advises (DROP … CASCADE) is not ours to advise: it is quoted, and told as the server's.
  const hint = said.hint?.trim().replace(/\s+/g, ' ');
  const message = hint ? `${told}; the server's hint: “${hint}”` : told;
  return new WarehouseError(sorted.kind, message, sorted.retryable, {
    sqlState: said.sqlState,
    hint: sorted.remedy,
    position: said.position,
    cause: said.cause,
  });
}

function sort(sqlState: string | undefined): Sorted {
  if (sqlState === undefined) return retryable('connection');
  return byCode[sqlState] ?? byClass[sqlState.slice(0, 2)] ?? final('other');
}

const notServing = new Set(['25006', '53300', '57P03']);

/** The server is there and takes no work for now: full, read-only, or not yet up. Nothing of what was asked has begun. */
export const isNotServing = (sqlState: string | undefined): boolean =>
  sqlState !== undefined && notServing.has(sqlState);
