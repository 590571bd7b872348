import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';

/**
 * Throws {@link WarehouseError} where a data directory would be made over somebody's files: for a file, and for a folder
 * that holds others and no database. Hidden ones, such as `.gitkeep`, do no harm.
 */
export function checkDirectory(directory: string): void {
  if (!existsSync(directory) || existsSync(join(directory, 'PG_VERSION'))) return;
  if (!statSync(directory).isDirectory()) throw taken(`The data directory ${directory} is a file.`);
  const other = namesIn(directory).find((name) => !name.startsWith('.'));
  if (other !== undefined) throw taken(`The folder ${directory} holds other files (${other}) and no database.`);
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // Opening it says why.
    return [];
  }
}

const taken = (message: string): WarehouseError =>
  new WarehouseError('storage', message, false, {
    hint: 'Choose another directory: the embedded database makes it.',
  });
