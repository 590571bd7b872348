import { plural } from '../../text/plural.ts';
import { countNowSql, deadRowsSql, vacuumSql } from '../../warehouse/dialects/postgres/vacuum-sql.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { cancellable } from '../session/cancellable.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/**
 * Looks after a run at the tables of its units: where many dead rows were left, VACUUM is advised or run, in words. It is
 * advised only where the server does not do it by itself: a lock on the table drives autovacuum away, and the embedded
 * database has none. What goes wrong is said, and never the run's failure.
 */
export async function vacuumAfter(
  warehouse: Warehouse,
  jobs: readonly UnitJob[],
  how: 'advise' | 'run',
  signal: CancelSignal,
): Promise<readonly string[]> {
  const locked = new Map<string, boolean>();
  for (const { slices, options } of jobs) {
    for (const { table } of slices) locked.set(table, options.lockTable || locked.get(table) === true);
  }
  const searchPath = jobs[0]?.options.settings.search_path;
  if (locked.size === 0 || signal.aborted) return [];
  const notes: string[] = [];
  let session: Session | undefined;
  try {
    session = await warehouse.connect('unit');
    const steps = cancellable(session, signal);
    if (searchPath !== undefined) {
      await steps.session.query("select pg_catalog.set_config('search_path', $1, false)", [searchPath]);
    }
    // Where all sessions are one, it has not ended, and counts wait for a moment without work.
    if (warehouse.leases === 'exclusive') await steps.session.query(countNowSql);
    const names = `{${[...locked.keys()].map((name) => JSON.stringify(name)).join(',')}}`;
    for (const [name, quoted, dead, autovacuum] of (await steps.session.query(deadRowsSql, [names])).rows) {
      const [table, rows] = [String(quoted), plural(Number(dead), 'dead row')];
      const isLocked = locked.get(String(name)) === true;
      if (how === 'run') notes.push(await vacuumed(steps.session, table, rows));
      else if (isLocked || autovacuum !== 'on' || warehouse.description.engine === 'pglite') {
        const why = isLocked ? ', and the lock of its units keeps autovacuum away' : '';
        notes.push(`${table} holds ${rows}${why}; to free them: VACUUM (ANALYZE) ${table};`);
      }
    }
    steps.release();
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    if (how === 'run') notes.push(`What VACUUM would free could not be looked at: ${error.message}`);
  } finally {
    await session?.close();
  }
  return notes;
}

async function vacuumed(session: Session, table: string, rows: string): Promise<string> {
  try {
    await session.query(vacuumSql(table));
    return `VACUUM (ANALYZE) ${table} was run: it held ${rows}.`;
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    return `${table} holds ${rows}, and VACUUM (ANALYZE) ${table} failed: ${error.message}`;
  }
}
