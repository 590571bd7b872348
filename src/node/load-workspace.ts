import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkspaceFacts } from '../core/lineage/facts/workspace-facts.ts';
import { buildWorkspaceFacts } from '../core/lineage/workspace/build-workspace-facts.ts';
import type { DatabaseDefinitions } from '../core/pipeline/model/database-definitions.ts';
import type { FileSet } from '../core/pipeline/model/model.ts';
import type { ReaderConnection, ReaderOptions } from '../core/pipeline/model/reader-options.ts';
import { placeOfDatabase } from '../core/pipeline/model/reader-options.ts';
import type { WorkspaceReading } from '../core/pipeline/model/workspace-reading.ts';
import { problemsOnce } from '../core/pipeline/workspace/problems-once.ts';
import { createWorkspaceReader, type WorkspaceReader } from '../core/pipeline/workspace/read-workspace.ts';
import type { PlannableTask } from '../core/plan/model/plan-request.ts';
import { plannableTasks } from '../core/plan/tasks/plannable-tasks.ts';
import { schemasOf } from '../core/sql/names/search-path.ts';
import type { Problem } from '../core/text/span.ts';
import { postgresZone } from '../core/time/zones/postgres-zone.ts';
import { isZone } from '../core/time/zones/zone.ts';
import { createAirflowMemory } from './airflow/airflow-memory.ts';
import { pythonPath } from './airflow/python-path.ts';
import { type Config, type ConnectionSpec, emptyConfig } from './config/config.ts';
import { readConfig } from './config/read-config.ts';
import { unknownDags } from './config/unknown-dags.ts';
import { digest } from './digest.ts';
import { diskFiles, readText } from './files/disk-files.ts';
import { parseYaml } from './parse-yaml.ts';
import { loadPythonParser } from './python-parser.ts';
import { type SqlGrammars, sqlGrammars } from './sql-grammars.ts';

const configNames = ['backfill.yaml', 'backfill.yml'] as const;

/** A workspace as it is on disk now: read, joined up, with everything that could not be read. */
export interface Workspace {
  /** Absolute. */
  readonly root: string;
  readonly config: Config;
  readonly files: FileSet;
  readonly reading: WorkspaceReading;
  readonly facts: WorkspaceFacts;
  /** The tasks as the planner sees them, with the hashes of their code. */
  readonly tasks: readonly PlannableTask[];
  readonly problems: readonly Problem[];
  /** For `checkWithGrammars`. */
  readonly grammars: SqlGrammars;
  /** Any text that a place may refer to, the configuration included. */
  text(file: string): string | undefined;
}

export interface AskOptions {
  /** Whose Airflow is asked: that of a Python (absolute, or a name on the path), or the one that `backfill.yaml` names. */
  readonly airflow?: { readonly python: string } | 'configured' | undefined;
  /** Called before a real Airflow loads the files, which takes its time. */
  readonly onAsk?: (python: string) => void;
  /** Told what is done and how far it is; `of` is 0 where nobody counts. */
  readonly onWork?: (what: string, done: number, of: number) => void;
}

/**
 * Reads all pipeline files below a folder and resolves across them. Never throws for what the files hold. Their code is
 * run only where a Python with Airflow is named.
 */
export async function loadWorkspace(root: string, ask: AskOptions = {}): Promise<Workspace> {
  const loading = loadPythonParser();
  const disk = diskFiles(root);
  const parser = await loading;
  const problems: Problem[] = [];
  const settings = findConfig(root, problems);
  const { config } = settings;
  const grammars = sqlGrammars();
  const onFile = (done: number, of: number): void => ask.onWork?.('reading files', done, of);
  const options = { ...readerOptions(config), ast: grammars.reader, onFile };
  const reader = createWorkspaceReader(parser, options);
  const reading = await readWithAirflow(reader, disk.files, root, config, ask, problems);
  ask.onWork?.('following tables from task to task', 0, 0);
  const facts = buildWorkspaceFacts(reading, config.declared, config.sources);
  // A check needs none of them.
  let tasks: readonly PlannableTask[] | undefined;
  const text = (file: string): string | undefined =>
    file === config.file ? settings.text : (reading.text(file) ?? disk.files.read(file));
  return {
    root,
    config,
    files: disk.files,
    reading,
    facts,
    get tasks() {
      tasks ??= plannableTasks(facts, digest);
      return tasks;
    },
    problems: [
      ...problems,
      ...disk.problems,
      ...problemsOnce(reading.files),
      ...unknownDags(config, facts.pipelines),
      ...facts.problems,
    ],
    grammars,
    text,
  };
}

/** The workspace with what the database that it is run on has beside the files. Hashes of code stay those of the files. */
export function withDatabase(workspace: Workspace, database: DatabaseDefinitions): Workspace {
  const { reading, config, facts: coded } = workspace;
  const facts = buildWorkspaceFacts(reading, config.declared, config.sources, database);
  return { ...workspace, facts, tasks: plannableTasks(facts, digest, coded) };
}

/** As the files say it, or as Airflow does where one was named and answers. */
async function readWithAirflow(
  reader: WorkspaceReader,
  files: FileSet,
  root: string,
  { file, airflow, variables }: Config,
  { airflow: asked, onAsk }: AskOptions,
  problems: Problem[],
): Promise<WorkspaceReading> {
  const read = reader.read(files);
  if (asked === undefined) return read;
  const place = asked === 'configured' ? { file, start: 0, end: 0 } : undefined;
  const python = asked === 'configured' ? airflow.python && pythonPath(airflow.python, root) : asked.python;
  if (python === undefined) {
    const message = `Airflow was not asked: ${file} names none. Set airflow.python there, or give --airflow-python.`;
    problems.push({ message, at: undefined, severity: 'warning' });
    return read;
  }
  onAsk?.(python);
  const memory = createAirflowMemory(root, { python, variables });
  const failure = await memory.refresh(files, read.files);
  if (failure !== undefined)
    problems.push({
      message: `Airflow was not asked: ${failure}. Everything is shown as it was read.`,
      at: place,
      // Whoever names a Python on the command line rests on its answer.
      severity: asked === 'configured' ? 'warning' : 'error',
    });
  return reader.read(files, memory.answers);
}

/** `backfill.yaml` of a folder, or the defaults. */
export function findConfig(
  root: string,
  problems: Problem[],
): { readonly config: Config; readonly text: string | undefined } {
  const name = configNames.find((candidate) => existsSync(join(root, candidate)));
  if (name === undefined) return { config: emptyConfig, text: undefined };
  const unread: Problem[] = [];
  const text = readText(root, name, unread);
  if (text === undefined) {
    const said = unread.map((problem) => ({ ...problem, severity: 'error' as const }));
    problems.push(...said);
    return { config: { ...emptyConfig, file: name, slip: said[0] }, text };
  }
  const read = readConfig(name, text);
  problems.push(...read.problems);
  return { config: read.config, text };
}

/** Names of settings are the same in any case. */
const settingNamed = (settings: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.entries(settings).find(([key]) => key.toLowerCase() === name)?.[1];

/** By the name of the database: one server has many addresses. What only the environment says is not known here. */
function placeOf({ engine, database, directory }: ConnectionSpec): string | undefined {
  const text = engine === 'pglite' ? directory : database;
  if (engine === 'spark' || text === undefined || text.names.length > 0) return undefined;
  return engine === 'pglite' ? `pglite ${text.source}` : placeOfDatabase(text.source);
}

function readerConnection(spec: ConnectionSpec): ReaderConnection {
  const { engine, settings } = spec;
  const place = placeOf(spec);
  if (engine === 'spark') {
    const sparkZone = settingNamed(settings, 'spark.sql.session.timezone');
    return { dialect: 'spark', ...(sparkZone !== undefined && isZone(sparkZone) && { zone: sparkZone }) };
  }
  const set = settingNamed(settings, 'timezone');
  const zone = set === undefined ? undefined : postgresZone(set);
  const path = settingNamed(settings, 'search_path');
  return {
    dialect: 'postgres',
    ...(zone !== undefined && { zone }),
    ...(path !== undefined && { searchPath: schemasOf(path) }),
    ...(place !== undefined && { place }),
  };
}

export function readerOptions(config: Config): ReaderOptions {
  const { airflow, connections, defaultConnection, dags, dialect, dialects, environment, variables } = config;
  const engines = [...connections.values()].flatMap((spec) => {
    const known = readerConnection(spec);
    return [spec.name, ...spec.airflowIds].map((id) => [id, known] as const);
  });
  const preset = defaultConnection === undefined ? undefined : connections.get(defaultConnection);
  return {
    airflowVersion: airflow.version,
    createCronDataIntervals: airflow.createCronDataIntervals,
    createDeltaDataIntervals: airflow.createDeltaDataIntervals,
    defaultDialect: dialect ?? 'postgres',
    connections: Object.fromEntries([
      ...Object.entries(dialects).map(([id, named]) => [id, { dialect: named }] as const),
      // Of several connections that an id means, the first is it where a task names no database.
      ...engines.reverse(),
    ]),
    ...(preset && { defaultConnection: readerConnection(preset) }),
    dags,
    variables,
    environment,
    parseYaml,
  };
}
