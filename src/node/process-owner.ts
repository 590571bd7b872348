import { hostname, userInfo } from 'node:os';

/** Names this process to whoever waits for it: `ada@host 4711`, with the program where it is not the command line. */
export function processOwner(program?: string): string {
  const name = (): string => {
    try {
      return userInfo().username;
    } catch {
      return 'somebody';
    }
  };
  return [`${name()}@${hostname()}`, ...(program === undefined ? [] : [program]), process.pid].join(' ');
}
