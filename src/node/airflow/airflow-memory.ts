import type { FileReading, FileSet } from '../../core/pipeline/model/model.ts';
import type { AirflowAnswers, FileAnswer } from '../../core/pipeline/readers/airflow/answers/airflow-answer.ts';
import { dagFiles } from '../../core/pipeline/readers/airflow/answers/dag-files.ts';
import { deployedEnvironment } from '../../core/pipeline/readers/airflow/schedule/airflow-settings.ts';
import { readText } from '../files/disk-files.ts';
import { askAirflow } from './ask-airflow.ts';

/** What a real Airflow said of the files of a workspace; each is asked about once for what it holds. */
export interface AirflowMemory {
  /** For `WorkspaceReader.read`; a new map whenever something was learned. */
  readonly answers: AirflowAnswers;
  /**
   * Asks about every DAG file that has changed on disk since it was asked about, all in one go. Gives why Airflow could
   * not be asked, in words; what was known before stays.
   */
  refresh(files: FileSet, readings: readonly FileReading[], signal?: AbortSignal): Promise<string | undefined>;
}

export interface AirflowSettings {
  /** A Python, or the folder of a virtual environment; absolute, or a name on the path. */
  readonly python: string;
  /** Airflow Variables that DAG files may ask for. */
  readonly variables: Readonly<Record<string, unknown>>;
}

export function createAirflowMemory(root: string, { python, variables }: AirflowSettings): AirflowMemory {
  let answers: AirflowAnswers = new Map();
  let told = '';
  return {
    get answers() {
      return answers;
    },
    async refresh(files, readings, signal) {
      const deployed = deployedEnvironment(files);
      const isToldSame = told === JSON.stringify(deployed);
      const uses = new Map(readings.map(({ file, dependsOn }) => [file, dependsOn]));
      const stale = new Map<string, FileAnswer['texts']>();
      for (const file of dagFiles(files)) {
        const texts = new Map([file, ...(uses.get(file) ?? [])].map((path) => [path, readText(root, path, [])]));
        const known = answers.get(file)?.texts;
        const isKnown =
          isToldSame && known?.size === texts.size && [...texts].every(([path, text]) => known.get(path) === text);
        if (texts.get(file) !== undefined && !isKnown) stale.set(file, texts);
      }
      if (stale.size === 0) return undefined;
      const question = { python, root, files: [...stale.keys()], variables, deployed };
      const asked = await askAirflow({ ...question, ...(signal && { signal }) });
      if (!asked.ok) return asked.message;
      told = JSON.stringify(deployed);
      const { version, dags, errors } = asked.answer;
      const next = new Map(answers);
      for (const [file, texts] of stale)
        next.set(file, {
          version,
          dags: dags.filter((dag) => dag.file === file),
          errors: errors.filter((error) => error.file === file).map(({ message }) => message),
          texts,
        });
      answers = next;
      return undefined;
    },
  };
}
