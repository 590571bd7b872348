import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Addition, addConnection } from './add-connection.ts';

/** Writes a connection or a scheduler into the workspace's `backfill.yaml`, whole or not at all. Throws in words for a person. */
export function writeConnection(root: string, addition: Addition): void {
  const file = join(root, existsSync(join(root, 'backfill.yml')) ? 'backfill.yml' : 'backfill.yaml');
  const added = addConnection(existsSync(file) ? readFileSync(file, 'utf8') : undefined, addition);
  if ('wrong' in added) throw new Error(added.wrong);
  const half = `${file}.${process.pid}.tmp`;
  writeFileSync(half, added.text);
  renameSync(half, file);
}

/** The name, or the name with the first number that nobody has. */
export function freeName(name: string, taken: Iterable<string>): string {
  const known = new Set(taken);
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name}${number}`;
    if (!known.has(candidate)) return candidate;
  }
}
