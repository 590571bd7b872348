import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';

/**
 * The settings of one section of a connection service file, which libpq reads and the driver does not: the file of
 * PGSERVICEFILE, `~/.pg_service.conf`, then `pg_service.conf` in PGSYSCONFDIR. The first that has the section counts.
 */
export async function readService(name: string, env: NodeJS.ProcessEnv): Promise<ReadonlyMap<string, string>> {
  const own = env.PGSERVICEFILE ?? join(homedir(), '.pg_service.conf');
  const files = env.PGSYSCONFDIR === undefined ? [own] : [own, join(env.PGSYSCONFDIR, 'pg_service.conf')];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => undefined);
    const section = text === undefined ? undefined : sectionOf(text, name);
    if (section) return section;
  }
  throw new WarehouseError('missing', `The service "${name}" is in none of: ${files.join(', ')}.`, false, {
    hint: 'Add the section to that file, or set PGSERVICEFILE.',
  });
}

/** Lines are `[section]`, `# comment` or `key=value`; spaces around the line do not count. */
export function sectionOf(text: string, name: string): ReadonlyMap<string, string> | undefined {
  let found: Map<string, string> | undefined;
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('[')) {
      if (found) return found;
      if (line === `[${name}]`) found = new Map();
    } else if (found) {
      const equals = line.indexOf('=');
      if (equals > 0) found.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
    }
  }
  return found;
}
