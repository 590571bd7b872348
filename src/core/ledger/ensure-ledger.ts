import {
  createLedgerSql,
  forgetLeasesSql,
  ledgerCreationLock,
  ledgerExistsSql,
  ledgerRightsSql,
  ledgerSchema,
  ledgerVersion,
  upgradeLedgerSql,
} from '../warehouse/dialects/postgres/ledger/ledger-schema-sql.ts';
import type { Session, Warehouse } from '../warehouse/port/ports.ts';
import { WarehouseError } from '../warehouse/port/warehouse-error.ts';

/** By session: behind the same address there may be another server by now, which has no ledger yet. */
const ready = new WeakMap<Session, Promise<void>>();
/** Engines held by this process alone whose old leases are forgotten. */
const taken = new WeakSet<Warehouse>();

/**
 * Creates the ledger's schema once, whoever comes first, and checks the rights that runs need. Throws
 * {@link WarehouseError} with the GRANT that helps, or where a newer version of the product made the ledger.
 */
export function ensureLedger(warehouse: Warehouse, session: Session): Promise<void> {
  const known = ready.get(session);
  if (known) return known;
  const created = prepare(warehouse, session);
  ready.set(session, created);
  // A failure may have been the world's: the next caller tries again.
  created.catch(() => ready.delete(session));
  return created;
}

async function prepare(warehouse: Warehouse, session: Session): Promise<void> {
  const row = (await session.query(ledgerRightsSql)).rows[0] ?? [];
  const [exists, mayCreate, mayTemp, database, user, mayUse, hasSchema] = row;
  if (mayTemp !== 't') {
    throw missingRight(
      `Temporary tables may not be created in ${database}.`,
      `GRANT TEMPORARY ON DATABASE ${database} TO ${user};`,
    );
  }
  if (mayUse !== 't') {
    throw missingRight(
      `The schema ${ledgerSchema} may not be used.`,
      `GRANT USAGE, CREATE ON SCHEMA ${ledgerSchema} TO ${user};`,
    );
  }
  if (exists === 't') {
    await checkVersion(session, String(user));
    // Whoever left a lease here is gone: the engine is held by this process alone.
    if (warehouse.leases === 'exclusive' && !taken.has(warehouse)) {
      for (const statement of forgetLeasesSql) await session.query(statement);
      taken.add(warehouse);
    }
    return;
  }
  if (mayCreate !== 't' && hasSchema !== 't') {
    throw missingRight(
      `The ledger needs a schema ${ledgerSchema}, which may not be created in ${database}.`,
      `GRANT CREATE ON DATABASE ${database} TO ${user};`,
    );
  }
  await create(session, mayCreate === 't');
  // What is claimed in it from now on is by this process.
  if (warehouse.leases === 'exclusive') taken.add(warehouse);
}

async function create(session: Session, mayCreateSchema: boolean): Promise<void> {
  await session.query('begin isolation level read committed');
  try {
    await session.query('select pg_catalog.pg_advisory_xact_lock($1)', [ledgerCreationLock]);
    const made = await session.query(ledgerExistsSql);
    if (made.rows[0]?.[0] !== 't') {
      // Even IF NOT EXISTS asks for the right to create.
      for (const statement of mayCreateSchema ? createLedgerSql : createLedgerSql.slice(1))
        await session.query(statement);
    }
    await session.query('commit');
  } catch (error) {
    await session.query('rollback').catch(() => undefined);
    throw error;
  }
}

async function checkVersion(session: Session, user: string): Promise<void> {
  const version = await session.query(`select max(version) from ${ledgerSchema}.meta`).catch((error) => {
    if (error instanceof WarehouseError && error.kind === 'permission') {
      throw missingRight(
        `The ledger in schema ${ledgerSchema} may not be read.`,
        `GRANT ALL ON ALL TABLES IN SCHEMA ${ledgerSchema} TO ${user}; GRANT ALL ON ALL SEQUENCES IN SCHEMA ${ledgerSchema} TO ${user};`,
      );
    }
    throw error;
  });
  const found = Number(version.rows[0]?.[0]);
  if (found > ledgerVersion) {
    throw new WarehouseError('other', `The ledger has version ${found}; this program knows ${ledgerVersion}.`, false, {
      hint: 'Update the program: a newer one has written here.',
    });
  }
  if (found < ledgerVersion) await upgrade(session);
}

/** Brings an older ledger to this version, whoever comes first. */
async function upgrade(session: Session): Promise<void> {
  await session.query('begin isolation level read committed');
  try {
    await session.query('select pg_catalog.pg_advisory_xact_lock($1)', [ledgerCreationLock]);
    const version = await session.query(`select max(version) from ${ledgerSchema}.meta`);
    for (let next = Number(version.rows[0]?.[0]) + 1; next <= ledgerVersion; next++) {
      for (const statement of upgradeLedgerSql[next] ?? []) await session.query(statement);
      await session.query(`insert into ${ledgerSchema}.meta (version) values (${next})`);
    }
    await session.query('commit');
  } catch (error) {
    await session.query('rollback').catch(() => undefined);
    if (!(error instanceof WarehouseError) || error.kind !== 'permission') throw error;
    throw missingRight(
      `The ledger has an older version and may not be brought to version ${ledgerVersion} by this role.`,
      'one command of this program by the role that made the ledger, which alone may alter its tables',
    );
  }
}

const missingRight = (message: string, grant: string): WarehouseError =>
  new WarehouseError('permission', message, false, { sqlState: '42501', hint: `Ask its owner for: ${grant}` });
