import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { diskFullError } from './disk-full.ts';

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
  readonly since: string;
}

/** A holder on another machine cannot be asked; it touches its file this often, and is dead after several misses. */
const touchMs = 5000;
const silentMs = 60_000;

/**
 * Holds a data directory for this process: the engine itself lets a second process in, and both would diverge. The
 * lock is a file beside the directory that names its holder. Throws {@link WarehouseError} while somebody else, or this
 * process already, holds it; the lock of a process that is gone is taken over. The result gives it back.
 */
export function lockDirectory(directory: string): () => void {
  const file = `${directory.replace(/[\\/]+$/, '')}.lock`;
  const own: Holder = { pid: process.pid, host: hostname(), token: randomUUID(), since: new Date().toISOString() };
  const draft = `${file}.${own.token}`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(draft, JSON.stringify(own), { flag: 'wx' });
  } catch (cause) {
    const full = diskFullError(directory, cause);
    if (full !== undefined) {
      rmSync(draft, { force: true });
      throw full;
    }
    const message = `The folder of the data directory ${directory} cannot be written: ${(cause as Error).message}`;
    throw new WarehouseError('permission', message, false, { hint: 'Choose another directory.', cause });
  }
  try {
    acquire(file, draft, directory);
  } finally {
    rmSync(draft, { force: true });
  }
  const timer = setInterval(() => touch(file), touchMs);
  timer.unref();
  const release = () => {
    clearInterval(timer);
    if (read(file)?.token === own.token) rmSync(file, { force: true });
  };
  return release;
}

/** Linking a finished file makes the lock and its content appear at once, for one process only. */
function acquire(file: string, draft: string, directory: string): void {
  for (let attempt = 0; attempt < 20; attempt++) {
    try {
      linkSync(draft, file);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = read(file);
    if (holder !== undefined && isAlive(holder, file)) throw heldError(directory, holder, file);
    if (holder !== undefined) setAside(file, holder);
  }
  throw new WarehouseError('conflict', `The lock ${file} could not be taken.`, true, {
    hint: 'Delete the file if no process uses the directory.',
  });
}

/** Moves a dead holder's file away. If another process was faster, what was moved is its live lock: it is put back. */
function setAside(file: string, dead: Holder): void {
  const aside = `${file}.${randomUUID()}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  if (read(aside)?.token !== dead.token) {
    try {
      linkSync(aside, file);
    } catch {
      // A third process has it by now; the second will find out when it looks at its lock.
    }
  }
  rmSync(aside, { force: true });
}

function isAlive(holder: Holder, file: string): boolean {
  if (holder.host !== hostname()) return Date.now() - statSync(file).mtimeMs < silentMs;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function heldError(directory: string, holder: Holder, file: string): WarehouseError {
  const who =
    holder.pid === process.pid && holder.host === hostname()
      ? `this process (${holder.pid}) already`
      : `process ${holder.pid}${holder.host === hostname() ? '' : ` on ${holder.host}`}`;
  return new WarehouseError(
    'conflict',
    `The data directory ${directory} is in use by ${who}, since ${holder.since}. It serves one process at a time.`,
    false,
    { hint: `End that process first. If there is none, delete ${file}.` },
  );
}

function read(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

function touch(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Gone with its directory; there is nothing left to hold.
  }
}
