import type { FileSet } from '../../../model/model.ts';
import { mayBeDagFile } from '../read-airflow-file.ts';

/** The files that Airflow would look into for DAGs, sorted. */
export const dagFiles = (files: FileSet): readonly string[] =>
  files
    .paths()
    .filter((path) => path.endsWith('.py') && mayBeDagFile(files.read(path) ?? ''))
    .sort();
