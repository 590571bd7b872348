import { lineIndex } from '../../../../text/line-index.ts';
import type { Problem } from '../../../../text/span.ts';

/** Why Airflow cannot load a file, at the last of its lines that the traceback names. */
export function loadProblems(file: string, text: string, version: string, errors: readonly string[]): Problem[] {
  const lines = lineIndex(text);
  return errors.map((error) => {
    const places = [...error.matchAll(/File "([^"\n]+)", line (\d+)/g)];
    const own = places.filter(([, path]) => `/${path?.replaceAll('\\', '/')}`.endsWith(`/${file}`)).at(-1);
    const line = own === undefined ? 1 : Number(own[2]);
    const start = lines.offset({ line, column: 1 });
    const reason = error.trim().split(/\r?\n/).at(-1) ?? '';
    return {
      message: `Airflow ${version} cannot load this file: ${reason}. It is shown as it was read without running it.`,
      at: { file, start, end: start + (/^[^\r\n]*/.exec(text.slice(start))?.[0].length ?? 0) },
      severity: 'warning',
    };
  });
}
