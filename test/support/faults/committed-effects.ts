import type { Session } from '../../../src/core/warehouse/port/ports.ts';

/** One committed transaction, as the server's own log has it. */
interface Transaction {
  /** Tables of the workspace whose rows it wrote, and what it left of each, as far as the log tells. */
  readonly tables: ReadonlyMap<string, Written>;
  /** A unit says that it kept what it did beside its slices, and that those are as they were. */
  readonly kept: boolean;
  /** Slice versions that it left in the ledger. */
  readonly markers: readonly { readonly unit: string; readonly table: string; readonly state: string }[];
}

/** Rows by how many more of them there are after a transaction than before. */
interface Written {
  readonly surplus: Map<string, number>;
  /** Emptied, or filled anew beside and put in its place: what stood there is not in the log. */
  replaced: boolean;
}

export interface CommittedEffects {
  /** A place in the log. From here on the log has the whole of each row that is changed or deleted in the schema's tables. */
  now(schema: string): Promise<string>;
  /** What is wrong with what was committed in a schema since then: see {@link wrongEffects}; `swapped`: tables that tasks put in the place of others. */
  wrong(schema: string, since: string, swapped: ReadonlySet<string>): Promise<readonly string[]>;
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
    now: async (schema) => {
      const { rows } = await session.query(
        `select format('alter table %s replica identity full', oid::regclass) from pg_class
         where relnamespace = $1::regnamespace and relkind = 'r'`,
        [schema],
      );
      for (const [statement] of rows) await session.query(String(statement));
      return String((await session.query('select pg_current_wal_lsn()')).rows[0]?.[0]);
    },
    wrong: async (schema, since, swapped) => {
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
        swapped,
      );
    },
  };
}

const keptWords = 'That is kept, although its slices are unchanged.';

function transactionsOf(lines: readonly string[], schema: string): readonly Transaction[] {
  const transactions: Transaction[] = [];
  let tables = new Map<string, Written>();
  let markers: { unit: string; table: string; state: string }[] = [];
  let kept = false;
  for (const line of lines) {
    if (line.startsWith('BEGIN')) {
      tables = new Map();
      markers = [];
      kept = false;
    } else if (line.startsWith('COMMIT')) {
      transactions.push({ tables, markers, kept });
    } else if (line.startsWith('table backfill_ledger.versions: INSERT')) {
      const value = (column: string) => new RegExp(` ${column}\\[text\\]:'((?:[^']|'')*)'`).exec(line)?.[1] ?? '';
      const table = value('target');
      if (table.startsWith(`${schema}.`))
        markers.push({ unit: `${value('run')} ${value('unit')}`, table, state: value('state') });
    } else if (line.startsWith('table backfill_ledger.')) {
      kept ||= line.includes(keptWords);
    } else {
      // A table that is filled beside another one and takes its place.
      for (const [, table] of line.split(':')[0]?.matchAll(new RegExp(`\\b(${schema}\\.\\w+)`, 'g')) ?? [])
        if (table !== undefined) note(tables, table.replace(/_new$/, ''), line, table.endsWith('_new'));
    }
  }
  return transactions;
}

/** Takes one line of the log into what a transaction left of a table. */
function note(tables: Map<string, Written>, table: string, line: string, isBeside: boolean): void {
  const written = tables.get(table) ?? { surplus: new Map<string, number>(), replaced: false };
  tables.set(table, written);
  const [, move = '', rest = ''] = /^table [^:]+: (\w+): (.*)$/s.exec(line) ?? [];
  const [, old, fresh] = /^old-key: (.*) new-tuple: (.*)$/s.exec(rest) ?? [];
  const add = (row: string, by: number) => written.surplus.set(row, (written.surplus.get(row) ?? 0) + by);
  if (isBeside || move === 'TRUNCATE' || rest === '(no-tuple-data)') written.replaced = true;
  else if (move === 'INSERT') add(rest, 1);
  else if (move === 'DELETE') add(rest, -1);
  else if (old !== undefined && fresh !== undefined) {
    add(old, -1);
    add(fresh, 1);
  } else add(line, 1);
}

const isOther = ({ surplus }: Written): boolean => [...surplus.values()].some((count) => count !== 0);

/**
 * Changes of data without the record of one unit beside them, records of a change without one, records of no change
 * beside one, and units that changed data more than once.
 */
function wrongEffects(transactions: readonly Transaction[], swapped: ReadonlySet<string>): readonly string[] {
  const wrong: string[] = [];
  const effects = new Map<string, number>();
  for (const { tables, markers, kept } of transactions) {
    const units = [...new Set(markers.map(({ unit }) => unit))];
    const written = [...tables].filter(([table]) => !table.endsWith('.raw_events'));
    // What a unit leaves beside its slices is committed with them, also where it wrote the rows that were there.
    const changed = (kept ? written.filter(([, one]) => !one.replaced && isOther(one)) : written).map(([name]) => name);
    if (units.length > 1) wrong.push(`one transaction records ${units.join(' and ')}`);
    const [unit] = units;
    if (unit === undefined) {
      if (changed.length > 0) wrong.push(`${changed.join(', ')} changed without a record`);
      continue;
    }
    const recorded = markers.filter(({ state }) => state === 'changed').map(({ table }) => table);
    const unsaid = changed.filter((table) => !recorded.includes(table));
    if (unsaid.length > 0) wrong.push(`${unit} changed ${unsaid.join(', ')} and does not say so`);
    // The log does not have that an empty table took the place of one with rows.
    const seen = recorded.filter((table) => !swapped.has(table));
    if (seen.length > 0 && changed.length === 0) wrong.push(`${unit} says that it changed rows, and did not`);
    if (changed.length > 0) effects.set(unit, (effects.get(unit) ?? 0) + 1);
  }
  for (const [unit, times] of effects) if (times > 1) wrong.push(`${unit} took effect ${times} times`);
  return wrong;
}
