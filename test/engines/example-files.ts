import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mayBeDagFile } from '../../src/core/pipeline/readers/airflow/read-airflow-file.ts';

/** The example DAGs that an installed Airflow and its providers ship, with everything that they import. */
export interface ExampleFiles {
  /** `site-packages`, absolute. */
  readonly root: string;
  readonly python: string;
  /** All Python files of example folders, by path from the root. */
  readonly texts: ReadonlyMap<string, string>;
  /** Those that Airflow itself would load. */
  readonly dagFiles: readonly string[];
}

export function exampleFiles(version: 2 | 3): ExampleFiles {
  const venv = fileURLToPath(new URL(`../../.venv-airflow${version}`, import.meta.url));
  const lib = join(venv, 'lib');
  const python = readdirSync(lib).find((name) => name.startsWith('python'));
  const root = join(lib, python ?? '', 'site-packages');
  const texts = new Map<string, string>();
  for (const entry of readdirSync(join(root, 'airflow'), { withFileTypes: true, recursive: true })) {
    const path = relative(root, join(entry.parentPath, entry.name)).split(sep).join('/');
    if (!entry.isFile() || !/\/example_dags\/.*\.(?:py|sql)$/.test(path)) continue;
    texts.set(path, readFileSync(join(root, path), 'utf8'));
  }
  const dagFiles = [...texts]
    .filter(([path, text]) => path.endsWith('.py') && !/\/(?:plugins|libs)\//.test(path) && mayBeDagFile(text))
    .map(([path]) => path)
    .sort();
  return { root, python: venv, texts, dagFiles };
}
