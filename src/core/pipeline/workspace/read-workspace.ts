import type { SourceSpan } from '../../text/span.ts';
import type { FileReading, FileSet, Pipeline } from '../model/model.ts';
import type { ReaderOptions } from '../model/reader-options.ts';
import { findsTheSame, type LookedAt, recordingFileSet } from '../model/recording-file-set.ts';
import { taskSqlMaker } from '../model/task-sql-maker.ts';
import type { WorkspaceReading } from '../model/workspace-reading.ts';
import { type ModuleShelf, type SharedModule, SharedModules } from '../python/shared-modules.ts';
import { parsePython } from '../python/syntax/parse-python.ts';
import type { PythonParser } from '../python/syntax/python-parser.ts';
import type { SyntaxTree } from '../python/syntax/syntax-tree.ts';
import type { AirflowAnswers, FileAnswer } from '../readers/airflow/answers/airflow-answer.ts';
import { answerStands, applyAnswer } from '../readers/airflow/answers/apply-answer.ts';
import { mayBeDagFile, readAirflowFile } from '../readers/airflow/read-airflow-file.ts';
import {
  settingsFor,
  type WorkspaceSettings,
  workspaceSettings,
} from '../readers/airflow/schedule/airflow-settings.ts';
import { mayBeSparkJob, readSparkJob } from '../readers/spark-job/read-spark-job.ts';
import { readSqlFile } from '../readers/sql-file/read-sql-file.ts';
import { withBrokenSql } from './broken-sql.ts';
import { joinReadings } from './join-readings.ts';
import { routineJoiner } from './join-routines.ts';
import { keepJoined } from './keep-joined.ts';
import { oncePer, sameItems } from './memo.ts';

export interface WorkspaceReader {
  /**
   * Reads what changed since the last call. Files that cannot be read never stop the others; never throws.
   * `answers` of a real Airflow confirm or correct what the files say, as long as they are still the same files. `only`: these
   * files alone, with what they use, as they are read among all the others; what several files say of a thing is not
   * joined then. The memory is that of the whole reading, which is quicker after it.
   */
  read(files: FileSet, answers?: AirflowAnswers, only?: ReadonlySet<string>): WorkspaceReading;
}

/** What the words of a Python file say it may be. */
interface Scan {
  readonly text: string;
  readonly isDag: boolean;
  readonly isJob: boolean;
  readonly usesSdk: boolean;
}

interface Cached {
  readonly text: string;
  readonly settings: string;
  readonly lookedAt: LookedAt;
  /** Modules of others that it took. */
  readonly modules: readonly SharedModule[];
  /** All paths at the time, when the reading depended on them. */
  readonly paths: string | undefined;
  readonly reading: FileReading;
}

/** Imported modules whose syntax trees are kept between readings. */
const keptModules = 64;

/** A reader with a memory: a file is read again only when its text, or that of a file it used, has changed. */
export function createWorkspaceReader(parser: PythonParser, options: ReaderOptions): WorkspaceReader {
  const cache = new Map<string, Cached>();
  const makeTaskSql = taskSqlMaker(options.ast);
  const modules = new Map<string, { readonly text: string; readonly tree: SyntaxTree }>();
  const shared = new SharedModules();
  const withRoutines = routineJoiner();
  const scans = new Map<string, Scan>();
  let joined: { readonly parts: readonly FileReading[]; readonly whole: readonly FileReading[] } | undefined;

  const scan = (path: string, text: string) => {
    const known = scans.get(path);
    if (known?.text === text) return known;
    // A script may well speak of the DAG that runs it.
    const isJob = mayBeSparkJob(path, text) && !/(?:from|import)\s+airflow\b/.test(text);
    const isDag = !isJob && mayBeDagFile(text);
    const fresh = { text, isDag, isJob, usesSdk: isDag && /(?:from|import)\s+airflow\.sdk\b/.test(text) };
    scans.set(path, fresh);
    return fresh;
  };

  const corrected = new WeakMap<FileReading, { readonly answer: FileAnswer; readonly reading: FileReading }>();
  const withAnswer = (read: FileReading, answer: FileAnswer | undefined, files: FileSet, text: string): FileReading => {
    if (answer === undefined || !answerStands(answer, files)) return read;
    const known = corrected.get(read);
    if (known?.answer === answer) return known.reading;
    const reading = applyAnswer(read, answer, text);
    corrected.set(read, { answer, reading });
    return reading;
  };

  const parse = (path: string, text: string): SyntaxTree => {
    const known = modules.get(path);
    if (known?.text === text) return known.tree;
    const tree = parsePython(parser, text);
    modules.delete(path);
    modules.set(path, { text, tree });
    const [oldest] = modules.keys();
    if (modules.size > keptModules && oldest !== undefined) modules.delete(oldest);
    return tree;
  };

  return {
    read(files, answers, only) {
      const paths = [...files.paths()].sort();
      const allPaths = paths.join('\n');
      shared.begin(files, allPaths);
      const isCurrent = (cached: Cached, text: string, settings: string): boolean => {
        if (cached.text !== text || cached.settings !== settings) return false;
        if (cached.paths !== undefined && cached.paths !== allPaths) return false;
        if (!findsTheSame(cached.lookedAt, files, shared.numbers)) return false;
        return cached.modules.every((module) => shared.isCurrent(module));
      };
      const readCached = (
        path: string,
        text: string,
        settings: string,
        work: (files: FileSet, shelf: ModuleShelf) => Omit<FileReading, 'dependsOn'>,
      ): FileReading => {
        const cached = cache.get(path);
        if (cached !== undefined && isCurrent(cached, text, settings)) return cached.reading;
        const recording = recordingFileSet(files, shared.numbers);
        const used = new Set<SharedModule>();
        const shelf = shared.shelfFor(used);
        const read = withBrokenSql(guarded(path, () => work(recording, shelf)));
        shelf.setAside();
        const lookedAt = recording.lookedAt();
        const dependsOn = foundBy(lookedAt, used).filter((seen) => seen !== path);
        const reading: FileReading = { ...read, dependsOn };
        cache.set(path, {
          text,
          settings,
          lookedAt,
          modules: [...used],
          paths: recording.sawPaths ? allPaths : undefined,
          reading,
        });
        return reading;
      };

      const dagFiles: { readonly path: string; readonly text: string }[] = [];
      const jobFiles: { readonly path: string; readonly text: string }[] = [];
      let usesSdk = false;
      for (const path of paths) {
        if (!path.endsWith('.py')) continue;
        const text = files.read(path);
        if (text === undefined) continue;
        const found = scan(path, text);
        usesSdk ||= found.usesSdk;
        if (found.isDag && only?.has(path) !== false) dagFiles.push({ path, text });
        // Without the others nobody knows whether one of them runs it.
        else if (found.isJob && only === undefined) jobFiles.push({ path, text });
      }
      const told = workspaceSettings(files, options);
      const workspace: WorkspaceSettings = { ...told, version: told.version ?? (usesSdk ? 3 : undefined) };
      const workspaceKey = JSON.stringify([workspace.version, [...workspace.configuration]]);

      const readings: FileReading[] = [];
      const sqlFiles = only === undefined ? paths.filter((path) => path.endsWith('.sql')) : [];
      const all = dagFiles.length + jobFiles.length + sqlFiles.length;
      let seen = 0;
      const next = (): void => options.onFile?.(seen++, all);
      let versionGuessedIn: FileReading | undefined;
      for (const { path, text } of dagFiles) {
        next();
        const settings = settingsFor(text, workspace, options);
        const read = readCached(path, text, workspaceKey, (recording, shelf) =>
          readAirflowFile(path, text, recording, parse, settings, options, makeTaskSql, shelf),
        );
        const reading = withAnswer(read, answers?.get(path), files, text);
        if (reading.pipelines.length === 0 && reading.problems.length === 0) continue;
        if (!settings.versionKnown && reading.pipelines.length > 0) versionGuessedIn ??= reading;
        readings.push(reading);
      }
      const used = new Set(readings.flatMap((reading) => reading.dependsOn));
      for (const { path, text } of jobFiles) {
        next();
        if (!used.has(path)) {
          const reading = readCached(path, text, '', (recording) =>
            readSparkJob(path, text, recording, parse, options, makeTaskSql),
          );
          if (reading.pipelines.length > 0) readings.push(reading);
        }
      }
      for (const { dependsOn } of readings) for (const path of dependsOn) used.add(path);
      // Without the others nobody knows whether one of them runs it.
      for (const path of sqlFiles) {
        next();
        if (used.has(path)) continue;
        const text = files.read(path);
        if (text === undefined) continue;
        readings.push(
          readCached(path, text, '', (recording) => readSqlFile(path, text, recording, options, makeTaskSql)),
        );
      }
      if (only !== undefined) return withTexts(joinReadings(readings), files);
      for (const path of cache.keys()) if (files.read(path) === undefined) cache.delete(path);

      const same = joined !== undefined && sameItems(joined.parts, readings);
      const whole =
        same && joined !== undefined
          ? joined.whole
          : keepJoined(joined?.whole ?? [], joinReadings(sayVersion(withRoutines(readings), versionGuessedIn, files)));
      joined = { parts: readings, whole };
      return withTexts(whole, files);
    },
  };
}

/** Readings with the texts that they are of. */
function withTexts(readings: readonly FileReading[], files: FileSet): WorkspaceReading {
  const texts = new Map<string, string>();
  for (const { file, dependsOn } of readings)
    for (const path of [file, ...dependsOn]) {
      const text = files.read(path);
      if (text !== undefined) texts.set(path, text);
    }
  return { files: readings, text: (file) => texts.get(file) };
}

/** The files that were there, of those that a reading and the modules it took looked at. */
function foundBy(lookedAt: LookedAt, used: ReadonlySet<SharedModule>): readonly string[] {
  const found = new Set(lookedAt.found.keys());
  for (const module of used) for (const path of foundByModule(module)) found.add(path);
  return [...found];
}

const foundByModule = oncePer(
  ({ closure }: SharedModule): ReadonlySet<string> =>
    new Set(closure.flatMap(({ lookedAt }) => [...lookedAt.found.keys()])),
);

/** A defect of the reader must not take the other files along. */
function guarded(file: string, work: () => Omit<FileReading, 'dependsOn'>): Omit<FileReading, 'dependsOn'> {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      file,
      pipelines: [],
      problems: [
        {
          message: `This file could not be read because of a defect in the reader: ${reason}. The other files are not affected.`,
          at: { file, start: 0, end: 0 },
          severity: 'error',
        },
      ],
    };
  }
}

/** Said once for a workspace, at its first DAG. */
function sayVersion(
  readings: readonly FileReading[],
  guessedIn: FileReading | undefined,
  files: FileSet,
): readonly FileReading[] {
  return readings.map((reading) =>
    reading === guessedIn
      ? {
          ...reading,
          problems: [
            ...reading.problems,
            {
              message:
                'Nothing in the workspace says which Airflow version runs these DAGs; version 2 is taken. Pin apache-airflow in a requirements file, or set the version in the settings.',
              at: nameOfCall(reading.pipelines[0], files),
              severity: 'info' as const,
            },
          ],
        }
      : reading,
  );
}

/** `DAG` of `DAG(…)`, `@dag` of a decorator: the whole call would mark the whole file. */
function nameOfCall(pipeline: Pipeline | undefined, files: FileSet): SourceSpan | undefined {
  if (pipeline === undefined) return undefined;
  const { file, start, end } = pipeline.at;
  const name = /^@?[\w.]+/.exec(files.read(file)?.slice(start, end) ?? '')?.[0];
  return { file, start, end: name === undefined ? end : start + name.length };
}
