import { plural } from '../../text/plural.ts';
import type { Problem } from '../../text/span.ts';
import type { FileReading } from '../model/model.ts';

/** What the readings of files have to say, once for a place: of a module that many files import, with how many. */
export function problemsOnce(readings: readonly FileReading[]): readonly Problem[] {
  const found = new Map<string, { readonly problem: Problem; readonly files: Set<string> }>();
  for (const { file, problems } of readings)
    for (const problem of problems) {
      const { message, at } = problem;
      const key = JSON.stringify(at === undefined ? [message, file] : [message, at.file, at.start, at.end]);
      const known = found.get(key);
      if (known === undefined) found.set(key, { problem, files: new Set([file]) });
      else known.files.add(file);
    }
  return [...found.values()].map(({ problem, files }) =>
    files.size === 1
      ? problem
      : { ...problem, message: `${problem.message} This concerns ${plural(files.size, 'DAG file')}.` },
  );
}
