// The shop's sample warehouse: 100,000 orders of 90 days, as the scheduler's runs left them. The demos and the tests
// load the same one.
import { mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';

const shop = fileURLToPath(new URL('../examples/shop/', import.meta.url));

/** Creates and fills the tables; `execute` runs a script of statements on a PostgreSQL database. */
export async function loadSampleTables(execute) {
  for (const file of ['tables', 'seed', 'history']) {
    await execute(await readFile(`${shop}warehouse/${file}.sql`, 'utf8'));
  }
}

/** Makes the embedded database that `examples/shop/backfill.yaml` names, in a copy of the shop. */
export async function loadSampleWarehouse(workspace) {
  const directory = `${workspace}/.backfill/warehouse`;
  await mkdir(directory, { recursive: true });
  const database = await PGlite.create(directory);
  try {
    await loadSampleTables((script) => database.exec(script));
  } finally {
    await database.close();
  }
}
