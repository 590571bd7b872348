import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isAlive, serverUser } from '../postgres-server.ts';

const run = promisify(execFile);

/** A folder on a disk of its own, where a server can keep a tablespace. */
export interface SmallDisk {
  readonly directory: string;
  /** Takes the last free byte. */
  fill(): void;
  empty(): void;
  /** When the server has ended. */
  close(): Promise<void>;
}

const prefix = 'backfill-disk-';
const megabytes = 128;

/** None where this process may not mount one. */
export async function mountSmallDisk(): Promise<SmallDisk | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  await unmountAbandoned();
  const mount = mkdtempSync(join(tmpdir(), `${prefix}${process.pid}-`));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'tmpfs', mount]);
  } catch {
    rmdirSync(mount);
    return undefined;
  }
  const directory = mkdtempSync(join(mount, 'tablespace-'));
  const { uid, gid } = serverUser;
  if (uid !== undefined && gid !== undefined) chownSync(directory, uid, gid);
  const ballast = join(mount, 'ballast');
  return {
    directory,
    fill: () => {
      const { bavail, bsize } = statfsSync(mount);
      try {
        writeFileSync(ballast, Buffer.alloc(bavail * bsize));
      } catch (error) {
        // The server took some of it meanwhile: full all the same.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    close: () => unmount(mount),
  };
}

async function unmount(mount: string): Promise<void> {
  await run('umount', ['--lazy', mount]);
  rmdirSync(mount);
}

/** Disks whose test process was killed. */
async function unmountAbandoned(): Promise<void> {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(prefix))) {
    if (!isAlive(Number(name.split('-')[2]))) await unmount(join(tmpdir(), name)).catch(() => undefined);
  }
}
