import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AirflowAnswer } from '../../core/pipeline/readers/airflow/answers/airflow-answer.ts';
import { decodeAnswer } from '../../core/pipeline/readers/airflow/answers/decode-answer.ts';
import { airflowEnvironment, pythonFolders } from './airflow-environment.ts';
import { askScript } from './ask-script.ts';
import { redact } from './redact.ts';
import { runPython } from './run-python.ts';

export interface AirflowQuestion {
  /** A Python, or the folder of a virtual environment; absolute, or a name on the path. */
  readonly python: string;
  /** The workspace, absolute. */
  readonly root: string;
  /** The files to load, relative to the root with `/`. Their code is run. */
  readonly files: readonly string[];
  /** Airflow Variables that the files may ask for while they load. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** What the workspace sets for the Airflow that is deployed; the environment of this process beats it. */
  readonly deployed?: Readonly<Record<string, string>>;
  /** Set over the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Longest time in milliseconds; left out, a minute and one second a file. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export type AskedAirflow =
  | { readonly ok: true; readonly answer: AirflowAnswer }
  /** In words: what, where, what to do. */
  | { readonly ok: false; readonly message: string };

const mostAnswerBytes = 256_000_000;

/**
 * Lets the Airflow of a Python load files of the workspace and tells what its scheduler would see. Runs the user's
 * code: only to be called where they asked for it. Never rejects; leaves nothing behind but what that code does.
 */
export async function askAirflow(question: AirflowQuestion): Promise<AskedAirflow> {
  const { root, files, signal } = question;
  const script = askScript();
  if (script === undefined) return failed('ask-airflow.py is missing beside the program; install it again');
  const folder = await mkdtemp(join(tmpdir(), 'backfill-airflow-'));
  try {
    const request = join(folder, 'request.json');
    const answerFile = join(folder, 'answer.json');
    await writeFile(
      request,
      JSON.stringify({ files: files.map((file) => join(root, file)), pythonPath: pythonFolders(root, files) }),
    );
    const environment = airflowEnvironment(process.env, folder, root, question);
    const ended = await runPython(question.python, [script, request, answerFile], {
      cwd: root,
      environment,
      timeoutMs: question.timeoutMs ?? 60_000 + 1000 * files.length,
      signal,
    });
    if (!ended.ok) return failed(redact(ended.message, environment));
    const size = await stat(answerFile).then(
      (found) => found.size,
      () => undefined,
    );
    if (size === undefined) return failed(`${question.python} ended without an answer; a DAG file may have ended it`);
    if (size > mostAnswerBytes) return failed(`its answer is larger than ${mostAnswerBytes / 1e6} MB`);
    const decoded = decodeAnswer(await readFile(answerFile, 'utf8'), files);
    if (decoded.ok) return { ok: true, answer: redacted(decoded.answer, environment) };
    return failed(
      decoded.reason === 'torn'
        ? `the answer of ${question.python} is torn; ask again`
        : `${question.python} has no Airflow; name the Python of the environment that your DAGs run in`,
    );
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {});
  }
}

const failed = (message: string): AskedAirflow => ({ ok: false, message });

const redacted = (answer: AirflowAnswer, environment: NodeJS.ProcessEnv): AirflowAnswer => ({
  ...answer,
  errors: answer.errors.map(({ file, message }) => ({ file, message: redact(message, environment) })),
});
