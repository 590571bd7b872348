import type { FileReading, FileSet } from '../../../core/pipeline/model/model.ts';
import type { AirflowAnswers } from '../../../core/pipeline/readers/airflow/answers/airflow-answer.ts';
import { plural } from '../../../core/text/plural.ts';
import { type AirflowMemory, type AirflowSettings, createAirflowMemory } from '../../../node/airflow/airflow-memory.ts';

/** Asks a real Airflow in the background, once for what is saved; nobody waits for it. */
export interface AirflowWatch {
  answers(): AirflowAnswers;
  /** Why Airflow could not be asked; `undefined` when it could, or is not to be asked. */
  failure(): string | undefined;
  /** Which Airflow is to be asked from now on; `undefined` asks none and forgets what was said. */
  follow(settings: AirflowSettings | undefined): void;
  /** Files may have changed on disk. */
  look(): void;
}

export interface WatchedWorkspace {
  readonly root: string;
  readonly files: FileSet;
  /** As last read: what a file depends on is asked about anew with it. */
  readings(): readonly FileReading[];
  /** Something was learned, or could not be. */
  onAnswer(said: string): void;
}

/** Saving several files, or a branch switch, is one question. */
const quietMs = 1000;

export function watchAirflow({ root, files, readings, onAnswer }: WatchedWorkspace): AirflowWatch {
  let followed = '';
  let memory: AirflowMemory | undefined;
  let failure: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: AbortController | undefined;
  let again = false;

  const ask = async (): Promise<void> => {
    const current = memory;
    if (current === undefined) return;
    if (running !== undefined) {
      again = true;
      return;
    }
    const cancel = new AbortController();
    running = cancel;
    const before = current.answers;
    const refused = await current.refresh(files, readings(), cancel.signal);
    // Another Airflow was chosen meanwhile; its own question follows.
    if (running !== cancel) return;
    running = undefined;
    if (refused !== failure || current.answers !== before) {
      failure = refused;
      onAnswer(
        refused === undefined
          ? `Airflow has loaded ${plural(current.answers.size, 'DAG file')}`
          : `Airflow was not asked: ${refused}`,
      );
    }
    if (again) {
      again = false;
      look();
    }
  };
  const look = (): void => {
    if (memory === undefined) return;
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), quietMs);
    timer.unref();
  };

  return {
    answers: () => memory?.answers ?? new Map(),
    failure: () => failure,
    follow(settings) {
      const key = JSON.stringify(settings ?? null);
      if (key === followed) return;
      followed = key;
      running?.abort();
      running = undefined;
      again = false;
      failure = undefined;
      memory = settings === undefined ? undefined : createAirflowMemory(root, settings);
      look();
    },
    look,
  };
}
