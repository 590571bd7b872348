import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const blockSize = 512;

/**
 * Unpacks the initial data directory that the build makes, where there is one and the directory does not exist yet;
 * otherwise the engine initialises it by itself, which takes several times longer. Appears whole or not at all.
 */
export async function unpackInitialDirectory(directory: string): Promise<void> {
  const archive = archiveFile();
  if (archive === undefined || existsSync(directory)) return;
  const partial = `${directory}.partial-${process.pid}`;
  try {
    const tar = await promisify(gunzip)(await readFile(archive));
    await mkdir(partial, { recursive: true, mode: 0o700 });
    for (const entry of entries(tar)) {
      const path = join(partial, entry.name);
      await mkdir(entry.content === undefined ? path : dirname(path), { recursive: true, mode: 0o700 });
      if (entry.content !== undefined) await writeFile(path, entry.content, { mode: 0o600 });
    }
    await rename(partial, directory);
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Entries of a plain tar: folders without content, files with theirs. */
function* entries(tar: Buffer): Generator<{ readonly name: string; readonly content: Buffer | undefined }> {
  for (let at = 0; at + blockSize <= tar.length; ) {
    const header = tar.subarray(at, at + blockSize);
    const name = text(header, 0, 100);
    if (name === '') return;
    const size = Number.parseInt(text(header, 124, 12), 8) || 0;
    const start = at + blockSize;
    const folder = text(header, 156, 1) === '5';
    yield { name: name.replace(/^\/+/, ''), content: folder ? undefined : tar.subarray(start, start + size) };
    at = start + Math.ceil(size / blockSize) * blockSize;
  }
}

const text = (header: Buffer, start: number, length: number): string =>
  header
    .toString('latin1', start, start + length)
    .replace(/\0.*$/s, '')
    .trim();

/** Beside the program when bundled (or one folder up from its chunks), in the build's folder when run from source. */
function archiveFile(): string | undefined {
  const places = ['./', '../', '../../../dist/'].map((folder) => `${folder}pglite-initial.tar.gz`);
  return places.map((place) => fileURLToPath(new URL(place, import.meta.url))).find((file) => existsSync(file));
}
