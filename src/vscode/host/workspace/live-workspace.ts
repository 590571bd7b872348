import type { WorkspaceFacts } from '../../../core/lineage/facts/workspace-facts.ts';
import { buildWorkspaceFacts } from '../../../core/lineage/workspace/build-workspace-facts.ts';
import { createWorkspaceIndex, type WorkspaceIndex } from '../../../core/lineage/workspace/workspace-index.ts';
import { createWorkspaceChecker, type WorkspaceChecker } from '../../../core/lint/check.ts';
import type { Finding } from '../../../core/lint/model/finding.ts';
import type { DatabaseDefinitions } from '../../../core/pipeline/model/database-definitions.ts';
import type { FileReading, TaskId } from '../../../core/pipeline/model/model.ts';
import type { WorkspaceReading } from '../../../core/pipeline/model/workspace-reading.ts';
import { problemsOnce } from '../../../core/pipeline/workspace/problems-once.ts';
import { createWorkspaceReader, type WorkspaceReader } from '../../../core/pipeline/workspace/read-workspace.ts';
import type { PlannableTask } from '../../../core/plan/model/plan-request.ts';
import { plannableTasks } from '../../../core/plan/tasks/plannable-tasks.ts';
import { plural } from '../../../core/text/plural.ts';
import type { Problem } from '../../../core/text/span.ts';
import type { AirflowSettings } from '../../../node/airflow/airflow-memory.ts';
import { pythonPath } from '../../../node/airflow/python-path.ts';
import { checkWithGrammars } from '../../../node/check-with-grammars.ts';
import type { Config } from '../../../node/config/config.ts';
import { unknownDags } from '../../../node/config/unknown-dags.ts';
import { digest } from '../../../node/digest.ts';
import { isSettingsFile } from '../../../node/files/discover-files.ts';
import { type LiveFiles, liveFiles } from '../../../node/files/live-files.ts';
import { findConfig, readerOptions } from '../../../node/load-workspace.ts';
import { loadPythonParser } from '../../../node/python-parser.ts';
import { type SqlGrammars, sqlGrammars } from '../../../node/sql-grammars.ts';
import type { WorkspaceSettings } from '../workspace-api.ts';
import { watchAirflow } from './airflow-watch.ts';

/** The workspace as it stands, joined up; made anew only when a text or a setting has changed. */
export interface LiveState {
  readonly root: string;
  readonly config: Config;
  readonly settings: WorkspaceSettings;
  readonly facts: WorkspaceFacts;
  /** Everything that could not be read, `backfill.yaml` included. */
  readonly problems: readonly Problem[];
  /** Any text that a place may refer to; `backfill.yaml` as it is on disk. */
  text(file: string): string | undefined;
  /**
   * What decides the tasks and intervals of a file beside its own text: files it uses, and those with settings; with the
   * hash of their text, `null` where there is none.
   */
  basis(file: string): readonly (readonly [path: string, hash: string | null])[];
  /** Whether a real Airflow confirms or corrects what the files say. */
  readonly asksAirflow: boolean;
  tasks(): readonly PlannableTask[];
  /** Children of each task, by table or by order. */
  children(): ReadonlyMap<TaskId, readonly TaskId[]>;
  findings(): Promise<readonly Finding[]>;
}

/** A file read alone, and the scheduler of its workspace. */
export interface FirstLook {
  readonly facts: WorkspaceFacts;
  readonly scheduler: string | undefined;
}

/** The scheduler that a page begins with, by its name. */
export const schedulerIn = ({ schedulers }: Config): string | undefined => schedulers.keys().next().value;

export interface LiveWorkspace {
  readonly settings: WorkspaceSettings;
  state(): LiveState;
  /**
   * What a DAG file says by itself, while a large workspace has not been read yet: its pipelines and tasks are told, what
   * they have to do with those of other files is not. `undefined`: the workspace has been read, or soon is.
   */
  firstLook(path: string): FirstLook | undefined;
  configure(settings: WorkspaceSettings): void;
  cover(path: string, text: string | undefined): void;
  changed(paths: readonly string[]): void;
  /** What the database that plans are for has beside the files; `undefined`: none is known. */
  learn(database: DatabaseDefinitions | undefined): void;
}

/** A workspace of fewer files is read before anybody notices. */
const manyFiles = 100;
/** Files that are read before others get their turn. */
const pieceOfFiles = 20;

const configFile = /^backfill\.ya?ml$/;

/** `backfill.yaml` as it was read. */
interface ReadConfig {
  readonly config: Config;
  readonly text: string | undefined;
  readonly problems: readonly Problem[];
}

function readConfigOf(root: string): ReadConfig {
  const problems: Problem[] = [];
  return { ...findConfig(root, problems), problems };
}

/** What remembers its work from one edit to the next. */
interface KeptWork {
  readonly grammars: SqlGrammars;
  readonly index: WorkspaceIndex;
  /** Of the files with the database. */
  readonly joined: WorkspaceIndex;
  readonly checker: WorkspaceChecker;
}

/**
 * Reads a workspace and keeps it current. Reading itself waits until somebody asks for the state; `onAnswer` is called
 * when a real Airflow has said something or the rest of a large workspace was read, so that the state is another one;
 * `onReading`, while that is read, with the Python files that are done.
 */
export async function openLiveWorkspace(
  root: string,
  first: WorkspaceSettings,
  onAnswer: (said: string) => void,
  onReading: (done: number, total: number) => void,
): Promise<LiveWorkspace> {
  const loading = loadPythonParser();
  const live = liveFiles(root);
  const parser = await loading;
  const kept: KeptWork = {
    grammars: sqlGrammars(),
    index: createWorkspaceIndex(),
    joined: createWorkspaceIndex(),
    checker: createWorkspaceChecker(),
  };
  let settings = first;
  let reader: { readonly key: string; readonly reader: WorkspaceReader } | undefined;
  let read: ReadConfig | undefined;
  let current: LiveState | undefined;
  let database: DatabaseDefinitions | undefined;
  let readings: readonly FileReading[] = [];
  const airflow = watchAirflow({
    root,
    files: live.files,
    readings: () => readings,
    onAnswer(said) {
      current = undefined;
      onAnswer(said);
    },
  });

  const readerFor = ({ config }: ReadConfig): WorkspaceReader => {
    const options = readerOptions({ ...config, airflow: airflowOf(config, settings) });
    const key = JSON.stringify(options);
    if (reader?.key !== key)
      reader = { key, reader: createWorkspaceReader(parser, { ...options, ast: kept.grammars.reader }) };
    return reader.reader;
  };

  const isRead = (): boolean => current !== undefined || readings.length > 0;
  const readAlone = (paths: readonly string[]): { readonly config: Config; readonly reading: WorkspaceReading } => {
    read ??= readConfigOf(root);
    return { config: read.config, reading: readerFor(read).read(live.files, undefined, new Set(paths)) };
  };

  const state = (): LiveState => {
    read ??= readConfigOf(root);
    if (current === undefined) {
      airflow.follow(airflowToAsk(root, read.config, settings));
      const reading = readerFor(read).read(live.files, airflow.answers());
      readings = reading.files;
      current = makeState(root, reading, live, withFailure(read, airflow.failure()), settings, kept, database);
    }
    return current;
  };

  /** Piece by piece, so that others are answered meanwhile. */
  const readAll = async (): Promise<void> => {
    const paths = live.files.paths().filter((path) => path.endsWith('.py'));
    for (let from = 0; from < paths.length && !isRead(); from += pieceOfFiles) {
      onReading(from, paths.length);
      readAlone(paths.slice(from, from + pieceOfFiles));
      await new Promise((resolve) => setImmediate(resolve));
    }
    onReading(paths.length, paths.length);
    state();
    onAnswer(`${plural(live.files.paths().length, 'file')} were read`);
  };
  let isReading = false;

  return {
    get settings() {
      return settings;
    },
    firstLook(path) {
      if (isRead() || !path.endsWith('.py') || live.files.paths().length < manyFiles) return undefined;
      const alone = readAlone([path]);
      const facts = buildWorkspaceFacts(alone.reading, alone.config.declared, alone.config.sources);
      if (!isReading)
        setImmediate(() => void readAll().catch((error: Error) => onAnswer(`not read: ${error.message}`)));
      isReading = true;
      return namesakes(facts, live, path) ? undefined : { facts, scheduler: schedulerIn(alone.config) };
    },
    state,
    configure(next) {
      settings = next;
      current = undefined;
    },
    cover(path, text) {
      live.cover(path, text);
      current = undefined;
    },
    learn(found) {
      database = found;
      current = undefined;
    },
    changed(paths) {
      if (paths.some((path) => configFile.test(path))) read = undefined;
      for (const path of paths) live.changed(path);
      current = undefined;
      airflow.look();
    },
  };
}

/** Whether another file may have a DAG of the same name: they are told apart when all are read. */
function namesakes({ pipelines }: WorkspaceFacts, { files }: LiveFiles, path: string): boolean {
  const ids = pipelines.map(({ id }) => id);
  return files
    .paths()
    .some((other) => other !== path && other.endsWith('.py') && ids.some((id) => names(files.read(other) ?? '', id)));
}

const names = (text: string, id: string): boolean => text.includes(`"${id}"`) || text.includes(`'${id}'`);

function makeState(
  root: string,
  reading: WorkspaceReading,
  live: LiveFiles,
  { config, text, problems }: ReadConfig,
  settings: WorkspaceSettings,
  { grammars, index, joined, checker }: KeptWork,
  database: DatabaseDefinitions | undefined,
): LiveState {
  const coded = index.update(reading, config.declared, config.sources);
  const facts = database === undefined ? coded : joined.update(reading, config.declared, config.sources, database);
  const tasks = once(() => plannableTasks(facts, digest, coded));
  return {
    root,
    config,
    settings,
    facts,
    problems: [
      ...problems,
      ...live.problems,
      ...problemsOnce(reading.files),
      ...unknownDags(config, facts.pipelines),
      ...facts.problems,
    ],
    text: (file) => (file === config.file ? text : (facts.text(file) ?? live.files.read(file))),
    basis: (file) =>
      [
        ...new Set([
          config.file,
          ...(reading.files.find((one) => one.file === file)?.dependsOn ?? []),
          ...live.files.paths().filter(isSettingsFile),
        ]),
      ].map((path) => {
        const found = path === config.file ? text : live.files.read(path);
        return [path, found === undefined ? null : digest(found)] as const;
      }),
    asksAirflow: airflowToAsk(root, config, settings) !== undefined,
    tasks,
    children: once(() => childrenOf(tasks())),
    findings: once(() =>
      checkWithGrammars(
        coded,
        grammars,
        { severities: { ...config.rules, ...settings.severities }, folders: config.folders },
        checker,
      ),
    ),
  };
}

/** None in a workspace that is not trusted: Airflow runs the code of the DAG files. */
function airflowToAsk(
  root: string,
  { airflow, variables }: Config,
  { airflowPython, trusted }: WorkspaceSettings,
): AirflowSettings | undefined {
  const named = airflowPython ?? airflow.python;
  return !trusted || named === undefined ? undefined : { python: pythonPath(named, root), variables };
}

function withFailure(read: ReadConfig, failure: string | undefined): ReadConfig {
  if (failure === undefined) return read;
  const problem: Problem = {
    message: `Airflow was not asked: ${failure}. Everything is shown as it was read.`,
    at: undefined,
    severity: 'warning',
  };
  return { ...read, problems: [...read.problems, problem] };
}

/** Made when first asked for, then kept. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const airflowOf = ({ airflow }: Config, { airflowVersion }: WorkspaceSettings): Config['airflow'] =>
  airflowVersion === 'auto' ? airflow : { ...airflow, version: airflowVersion };

function childrenOf(tasks: readonly PlannableTask[]): ReadonlyMap<TaskId, readonly TaskId[]> {
  const children = new Map<TaskId, Set<TaskId>>();
  for (const { id, reads, after } of tasks) {
    for (const { parent } of [...reads, ...after]) {
      if (parent === id) continue;
      const known = children.get(parent);
      if (known === undefined) children.set(parent, new Set([id]));
      else known.add(id);
    }
  }
  return new Map([...children].map(([parent, its]) => [parent, [...its]]));
}
