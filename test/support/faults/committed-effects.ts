import type { Session } from '../../../src/core/warehouse/port/ports.ts';

/** One committed transaction, as the server's own log has it. */
interface Transaction {
  /** Tables of the workspace whose rows it changed. */
  readonly tables: ReadonlySet<string>;
  /** Slice versions that it left in the ledger. */
  readonly markers: readonly { readonly unit: string; readonly table: string; readonly state: string }[];
}

export interface CommittedEffects {
  /** A place in the log. */
  now(): Promise<string>;
  /** What is wrong with what was committed in a schema since then: see {@link wrongEffects}. */
  wrong(schema: string, since: string): Promise<readonly string[]>;
}

const slot = 'committed_effects';

/**
 * Reads the write-ahead log of the session's database, which nobody can have written to by mistake. A server that crashed
 * tells again what it told before, so a schema is asked about once, when all is done in it.
 */
export async function readEffects(session: Session): Promise<CommittedEffects> {
  await session.query(
    `select pg_create_logical_replication_slot($1 || oid, 'test_decoding') from pg_database where datname = current_database()`,
    [slot],
  );
  return {
    now: async () => String((await session.query('select pg_current_wal_lsn()')).rows[0]?.[0]),
    wrong: async (schema, since) => {
      const { rows } = await session.query(
        `select data from pg_logical_slot_get_changes(
           $1 || (select oid from pg_database where datname = current_database()), null, null, 'skip-empty-xacts', '1')
         where lsn > $2::pg_lsn`,
        [slot, since],
      );
      return wrongEffects(
        transactionsOf(
          rows.map(([data]) => data ?? ''),
          schema,
        ),
      );
    },
  };
}

function transactionsOf(lines: readonly string[], schema: string): readonly Transaction[] {
  const transactions: Transaction[] = [];
  let tables = new Set<string>();
  let markers: { unit: string; table: string; state: string }[] = [];
  for (const line of lines) {
    if (line.startsWith('BEGIN')) {
      tables = new Set();
      markers = [];
    } else if (line.startsWith('COMMIT')) {
      transactions.push({ tables, markers });
    } else if (line.startsWith('table backfill_ledger.versions: INSERT')) {
      const value = (column: string) => new RegExp(` ${column}\\[text\\]:'((?:[^']|'')*)'`).exec(line)?.[1] ?? '';
      const table = value('target');
      if (table.startsWith(`${schema}.`))
        markers.push({ unit: `${value('run')} ${value('unit')}`, table, state: value('state') });
    } else {
      // A table that is filled beside another one and takes its place.
      for (const [, table] of line.split(':')[0]?.matchAll(new RegExp(`\\b(${schema}\\.\\w+)`, 'g')) ?? [])
        if (table !== undefined) tables.add(table.replace(/_new$/, ''));
    }
  }
  return transactions;
}

/**
 * Changes of data without the record of one unit beside them, records of a change without one, records of no change
 * beside one, and units that changed data more than once.
 */
function wrongEffects(transactions: readonly Transaction[]): readonly string[] {
  const wrong: string[] = [];
  const effects = new Map<string, number>();
  for (const { tables, markers } of transactions) {
    const units = [...new Set(markers.map(({ unit }) => unit))];
    const changed = [...tables].filter((table) => !table.endsWith('.raw_events'));
    if (units.length > 1) wrong.push(`one transaction records ${units.join(' and ')}`);
    const [unit] = units;
    if (unit === undefined) {
      if (changed.length > 0) wrong.push(`${changed.join(', ')} changed without a record`);
      continue;
    }
    const recorded = markers.filter(({ state }) => state === 'changed').map(({ table }) => table);
    const unsaid = changed.filter((table) => !recorded.includes(table));
    if (unsaid.length > 0) wrong.push(`${unit} changed ${unsaid.join(', ')} and does not say so`);
    if (recorded.length > 0 && changed.length === 0) wrong.push(`${unit} says that it changed rows, and did not`);
    if (changed.length > 0) effects.set(unit, (effects.get(unit) ?? 0) + 1);
  }
  for (const [unit, times] of effects) if (times > 1) wrong.push(`${unit} took effect ${times} times`);
  return wrong;
}
