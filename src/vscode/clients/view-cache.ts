import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DocumentView } from '../../core/view/document/document-view.ts';
import { keptText, readKept, shownFirst, type ViewBasis } from '../../core/view/kept/kept-view.ts';
import { digest } from '../../node/digest.ts';

/** Files of which something is kept; the oldest go first. */
const mostKept = 300;
/** Longer than any; what is larger was not written here. */
const mostBytes = 2_000_000;

/** A document as it is asked about. */
export interface CachedDocument {
  /** Absolute. */
  readonly root: string;
  /** Relative to the root, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Whatever else decides what is shown. */
  readonly settings: string;
}

/**
 * What was shown of files, on disk: by their content and the version of the product. It is shown first when a window
 * starts, and for nothing else; what is broken, foreign or older than what it was made of counts as not there.
 */
export interface ViewCache {
  find(document: CachedDocument, now: number): Promise<DocumentView | undefined>;
  keep(document: CachedDocument, view: DocumentView, basis: ViewBasis): Promise<void>;
  clear(): Promise<void>;
}

/** `folder`: where it is, absolute; `undefined` keeps nothing. */
export function viewCache(folder: string | undefined, version: string): ViewCache {
  const written = new Set<string>();
  const fileOf = (base: string, { root, path, text, settings }: CachedDocument): string =>
    join(base, `${digest(JSON.stringify([version, root, path, settings, text]))}.json`);
  return {
    async find(document, now) {
      if (folder === undefined) return undefined;
      try {
        const file = fileOf(folder, document);
        if ((await stat(file)).size > mostBytes) return undefined;
        const kept = readKept(await readFile(file, 'utf8'), document.text.length);
        if (kept === undefined || now >= kept.until) return undefined;
        const stands = await Promise.all(
          kept.files.map(async ([path, hash]) => (await hashOf(join(document.root, path))) === hash),
        );
        return stands.every(Boolean) ? shownFirst(kept) : undefined;
      } catch {
        return undefined;
      }
    },
    async keep(document, view, basis) {
      if (folder === undefined) return;
      const file = fileOf(folder, document);
      const text = keptText(view, basis);
      const key = `${file} ${digest(text)}`;
      if (written.has(key) || text.length > mostBytes) return;
      const isFirst = written.size === 0;
      written.add(key);
      try {
        await mkdir(folder, { recursive: true });
        // Two windows may write at once: each file is there as a whole or not at all.
        const fresh = `${file}.${process.pid}`;
        await writeFile(fresh, text);
        await rename(fresh, file);
        if (isFirst) await prune(folder);
      } catch {
        // A full or read-only disk keeps nothing, and nothing needs it.
      }
    },
    async clear() {
      written.clear();
      if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Takes the oldest away where there are too many. */
async function prune(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= mostKept) return;
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })));
  aged.sort((a, b) => a.at - b.at);
  for (const { name } of aged.slice(0, names.length - mostKept)) await rm(join(folder, name), { force: true });
}

/** As the reading of a workspace hashes a text; `null` where there is none. */
async function hashOf(file: string): Promise<string | null> {
  const bytes = await readFile(file).catch(() => undefined);
  return bytes === undefined ? null : digest(new TextDecoder('utf-8').decode(bytes));
}
