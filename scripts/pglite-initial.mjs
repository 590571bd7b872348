// Makes the data directory that new embedded databases start from: initialising one takes many times longer than
// unpacking one. Kept between builds, because it depends on nothing but the engine's version.
import { access, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';

/** Path of a gzipped tar of a freshly initialised data directory. */
export async function pgliteInitial() {
  const manifest = JSON.parse(await readFile('node_modules/@electric-sql/pglite/package.json', 'utf8'));
  const folder = 'node_modules/.cache/backfill-assistant';
  const file = `${folder}/pglite-${manifest.version}.tar.gz`;
  const made = await access(file).then(
    () => true,
    () => false,
  );
  if (made) return file;
  const db = await PGlite.create();
  const dump = await db.dumpDataDir('gzip');
  await db.close();
  await mkdir(folder, { recursive: true });
  // Renamed when finished, so that a build that is broken off leaves no half file.
  await writeFile(`${file}.${process.pid}`, Buffer.from(await dump.arrayBuffer()));
  await rename(`${file}.${process.pid}`, file);
  return file;
}
