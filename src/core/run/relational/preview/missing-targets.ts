import { qualifyNames } from '../../../warehouse/catalog/describe-tables.ts';
import type { Warehouse } from '../../../warehouse/port/ports.ts';
import { enterTransaction, protectiveSettings } from '../../session/session-settings.ts';
import { madeTables } from '../../tables/made-tables.ts';
import { bySettings } from '../../unit/jobs-by-settings.ts';
import type { UnitJob } from '../../unit/unit-job.ts';

/** Tables that jobs write and do not make, and that a database does not have. Throws {@link WarehouseError}. */
export async function missingTargets(warehouse: Warehouse, jobs: readonly UnitJob[]): Promise<readonly string[]> {
  const slices = jobs.flatMap((job) => job.slices);
  const made = new Set(jobs.flatMap((job) => [...madeTables(job)]));
  const names = [...new Set(slices.map(({ table }) => table))].filter((table) => !made.has(table));
  if (names.length === 0) return [];
  const session = await warehouse.connect('unit');
  try {
    const missing = new Set<string>();
    for (const [first, alike] of bySettings(jobs)) {
      const own = new Set(alike.flatMap(({ slices }) => slices.map(({ table }) => table)));
      const asked = names.filter((name) => own.has(name));
      await session.query('begin');
      await enterTransaction(session, first.options.settings, protectiveSettings(first.options));
      const found = await qualifyNames(session, asked);
      await session.query('rollback');
      for (const [index, name] of asked.entries()) if (found[index] === undefined) missing.add(name);
    }
    return [...missing];
  } finally {
    await session.close();
  }
}
