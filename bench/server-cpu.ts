import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts the time of processes in hundredths of a second. */
const tickMs = 10;

/**
 * Processor time that a PostgreSQL server has used so far, in milliseconds: of its first process, of those that it has now and
 * of those that have ended. `undefined` where the system does not say so in `/proc`.
 */
export function serverCpuMs(pid: number): number | undefined {
  try {
    const own = statOf(String(pid));
    const others = readdirSync('/proc').flatMap((name) => {
      if (!/^\d+$/.test(name)) return [];
      try {
        const stat = statOf(name);
        return stat.parent === pid ? [stat.used] : [];
      } catch {
        // It has ended meanwhile, and counts among those that have.
        return [];
      }
    });
    return (own.used + own.ended + others.reduce((sum, used) => sum + used, 0)) * tickMs;
  } catch {
    return undefined;
  }
}

function statOf(pid: string): { readonly parent: number; readonly used: number; readonly ended: number } {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets and may have any characters.
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, parent = 0] = fields;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15);
  return { parent, used: user + system, ended: endedUser + endedSystem };
}
