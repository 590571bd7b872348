import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';

/** Why a data directory cannot be read, where there is none, with the databases that stand beside it. */
export function missingDirectory(
  directory: string,
): { readonly error: WarehouseError; readonly beside: readonly string[] } | undefined {
  // Of anything else that stands there, opening it says what is wrong with it.
  if (existsSync(directory)) return undefined;
  const beside = databasesIn(dirname(directory));
  const near = beside.length === 0 ? '' : `there is ${beside.join(', ')} beside it; `;
  const error = new WarehouseError('storage', `There is no embedded database ${directory}.`, false, {
    hint: `Look at directory of the connection in backfill.yaml: ${near}where ${basename(directory)} is right, the first run makes it.`,
  });
  return { error, beside };
}

const mostNamed = 5;

function databasesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => existsSync(join(folder, name, 'PG_VERSION')))
      .slice(0, mostNamed);
  } catch {
    return [];
  }
}
