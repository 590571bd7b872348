import type { FileSet } from '../../../model/model.ts';

/** The script of the workspace that a path on a cluster means, or why it is not known which. */
export type FoundScript = { readonly file: string } | { readonly reason: string };

/** By the end of the path, as far as it agrees: `s3://code/jobs/day.py` is `etl/jobs/day.py`. A notebook has no ending. */
export function findScript(path: string, files: FileSet): FoundScript {
  const wanted = (/\.\w+$/.test(path) ? path : `${path}.py`)
    .split(/[/\\]/)
    .filter((part) => part !== '' && part !== '.');
  const base = wanted.at(-1) ?? '';
  if (!base.endsWith('.py')) return { reason: `${base} is no Python that can be read` };
  const found = files
    .paths()
    .filter((one) => one === base || one.endsWith(`/${base}`))
    .map((file) => ({ file, alike: alikeEnds(file.split('/'), wanted) }))
    .sort((a, b) => b.alike - a.alike);
  const [best, second] = found;
  if (best === undefined) return { reason: `the script ${base} is not in the workspace` };
  if (second?.alike === best.alike)
    return { reason: `the script may be ${best.file} or ${second.file}: the path tells no more than ${base}` };
  return { file: best.file };
}

function alikeEnds(a: readonly string[], b: readonly string[]): number {
  let count = 0;
  while (count < Math.min(a.length, b.length) && a.at(-1 - count) === b.at(-1 - count)) count++;
  return count;
}
