import { readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

interface Server {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * The password for a server from PGPASSFILE or `~/.pgpass` (`%APPDATA%\postgresql\pgpass.conf` on Windows): lines of
 * `host:port:database:user:password`, `*` for any, `\:` and `\\` escaped, the first match wins. As libpq does, a file
 * that others may read is not used.
 */
export async function passwordFromFile(server: Server, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const windows = process.platform === 'win32';
  const usual = windows ? join(env.APPDATA ?? '', 'postgresql', 'pgpass.conf') : join(homedir(), '.pgpass');
  const file = env.PGPASSFILE ?? usual;
  try {
    if (!windows && ((await stat(file)).mode & 0o077) !== 0) return undefined;
    return passwordIn(await readFile(file, 'utf8'), server);
  } catch {
    return undefined;
  }
}

export function passwordIn(text: string, { host, port, database, user }: Server): string | undefined {
  // A socket directory is looked up under the name of the machine itself.
  const wanted = [host.startsWith('/') ? 'localhost' : host, String(port), database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = line.match(/(?:\\.|[^:\\])+|(?<=:)(?=:|$)/g)?.map((field) => field.replace(/\\(.)/g, '$1')) ?? [];
    const [password] = fields.slice(4);
    if (password !== undefined && wanted.every((value, index) => fields[index] === '*' || fields[index] === value)) {
      return fields.slice(4).join(':');
    }
  }
  return undefined;
}
