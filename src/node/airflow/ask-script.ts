import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The script that runs under the user's Python: beside the bundle, its chunks or this file. */
export function askScript(): string | undefined {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  return [here, join(here, '..')].map((folder) => join(folder, 'ask-airflow.py')).find((file) => existsSync(file));
}
