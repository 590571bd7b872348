import type { AstReader } from '../../sql/ast/ast-reader.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** What the user's settings say about a connection of the scheduler. */
export interface ReaderConnection {
  readonly dialect: DialectName;
  /** The zone that its sessions have; left out where nobody says it. */
  readonly zone?: ZoneName;
  /** Schemas that its sessions look through; left out where nobody says it. */
  readonly searchPath?: readonly string[];
  /** Told apart from every other one: two texts are two databases. Left out where nobody says which one it is. */
  readonly place?: string;
}

/** When a DAG runs and what its templates get, where its file does not say it, or not for those who run it from here. */
export interface DeclaredDag {
  /** A cron expression or preset. */
  readonly schedule: string | undefined;
  /** As written; without an offset in the DAG's zone. */
  readonly startDate: string | undefined;
  readonly endDate: string | undefined;
  readonly zone: ZoneName | undefined;
  readonly catchup: boolean | undefined;
  /** Folders of template files, in place of its `template_searchpath`; `undefined`: as the file says. */
  readonly templateSearchPath?: readonly string[] | undefined;
  /** Variables and params of its templates, by name, over those for all DAGs. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
}

/** What the user's settings say about the scheduler, where the files do not. */
export interface ReaderOptions {
  /** `auto` reads requirements, lock files and imports; what stays unknown counts as 2 and is said. */
  readonly airflowVersion: 'auto' | 2 | 3;
  /** `[scheduler] create_cron_data_intervals`; `undefined`: as the configuration in the workspace says. */
  readonly createCronDataIntervals: boolean | undefined;
  /** The same for timedeltas; `undefined`: as for crons, which is what Airflow 3 really does. */
  readonly createDeltaDataIntervals: boolean | undefined;
  /** Dialect of generic operators and stand-alone files when nothing else tells it. */
  readonly defaultDialect: DialectName;
  /** By connection id. */
  readonly connections: Readonly<Record<string, ReaderConnection>>;
  /** What tasks run on that name no known connection. */
  readonly defaultConnection?: ReaderConnection | undefined;
  /** By DAG: what a person says of it. */
  readonly dags?: Readonly<Record<string, DeclaredDag>>;
  /** Airflow Variables that DAG files may ask for while they are loaded, as a person says them. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** Environment variables of the scheduler, as a person says them. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Plain data of a YAML text; throws for what is none. Left out, YAML files of the workspace are not known. */
  readonly parseYaml?: (text: string) => unknown;
  /** The second opinion that `trust` of a statement asks; left out, every reading is trusted. */
  readonly ast?: AstReader;
  /** Told of each file that is done, and how many there are. */
  readonly onFile?: (done: number, of: number) => void;
}

export const defaultReaderOptions: ReaderOptions = {
  airflowVersion: 'auto',
  createCronDataIntervals: undefined,
  createDeltaDataIntervals: undefined,
  defaultDialect: 'postgres',
  connections: {},
};

/** Of `postgres`, the place of the database of that name. */
export const placeOfDatabase = (name: string): string => `postgres ${name}`;

/** The database that a task runs in; `undefined` where it runs elsewhere, or its connection is described by nobody. */
export function placeOfTask(
  executor: { readonly kind: string; readonly connection?: string | undefined; readonly database?: string | undefined },
  { connections, defaultConnection }: Pick<ReaderOptions, 'connections' | 'defaultConnection'>,
): string | undefined {
  if (executor.kind !== 'warehouse') return undefined;
  const { connection, database } = executor;
  const found = connection === undefined ? defaultConnection : connections[connection];
  if (database === undefined) return found?.place;
  return database.includes('{{') || found === undefined ? undefined : placeOfDatabase(database);
}
