import { isAbsolute, resolve } from 'node:path';
import type { Problem } from '../../core/text/span.ts';
import type {
  ConnectionConfig,
  DatabaseConnection,
  LakeConnection,
} from '../../core/warehouse/port/connection-config.ts';
import { didYouMean } from '../nearest-names.ts';
import type { Config, ConnectionSpec } from './config.ts';
import { type EnvText, resolveEnvText } from './env-text.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A connection ready to be opened: by name, or the default one. Environment references are looked up here; what is
 * missing is said by name, values are never shown. None is while the file has an error: `protected`, snapshots or a hold
 * may be what was not understood.
 */
export function resolveConnection(
  config: Config,
  name: string | undefined,
  root: string,
  env: Environment,
): { readonly connection: ConnectionConfig } | { readonly problem: Problem } {
  const { slip, file } = config;
  if (slip !== undefined) {
    const message = `no database is worked on while ${file} has an error (${slip.message}); mend it first`;
    return { problem: { ...slip, message } };
  }
  const wanted = name ?? config.defaultConnection;
  if (wanted === undefined) return { problem: noConnection(config) };
  const spec = config.connections.get(wanted);
  if (spec === undefined) {
    const known =
      config.connections.size === 0 ? `; ${config.file} has none` : didYouMean(wanted, config.connections.keys());
    return { problem: { message: `there is no connection ${wanted}${known}`, at: undefined, severity: 'error' } };
  }
  const missing: string[] = [];
  const connection = connectionOf(spec, looking(env, missing), root, config.connections, env);
  if (missing.length > 0) {
    const names = [...new Set(missing)].join(', ');
    const message = `connection ${wanted} needs the environment variable ${names}, which is not set`;
    return { problem: { message, at: spec.at, severity: 'error' } };
  }
  const database = connection.engine === 'spark' ? connection.ledger : connection;
  if (database.engine === 'postgres' && database.port !== undefined && !(database.port > 0 && database.port < 65_536)) {
    return {
      problem: {
        message: `connection ${database.name}: the port is not a number from 1 to 65535`,
        at: spec.at,
        severity: 'error',
      },
    };
  }
  return { connection };
}

/** Where a task's operator says that it runs: an Airflow connection, and a database in place of that connection's own. */
export interface TaskPlace {
  readonly airflowId: string | undefined;
  readonly database: string | undefined;
}

/**
 * Name of the connection that a task means: equal name or listed id, and of several the one with the database that the
 * task names; `undefined` when none does. A task that names no id means the default connection.
 */
export function connectionFor(
  config: Config,
  { airflowId, database }: TaskPlace,
  env: Environment,
): string | undefined {
  const { connections, defaultConnection } = config;
  const own = airflowId === undefined ? defaultConnection : airflowId;
  const listed = [...connections.values()].filter(({ airflowIds }) => own !== undefined && airflowIds.includes(own));
  const named = own !== undefined && connections.has(own) ? [own] : [];
  const meant = [...named, ...listed.map(({ name }) => name)];
  return database === undefined ? meant[0] : meant.find((name) => databaseOf(config, name, env) === database);
}

/** The connection of the database that has the claims and records of another one's units; of a database, itself. */
export function ledgerOf({ connections }: Config, name: string): string {
  const spec = connections.get(name);
  return spec?.engine === 'spark' ? (spec.ledger ?? name) : name;
}

/** The database of a connection where `backfill.yaml` says it. */
export function databaseOf({ connections }: Config, name: string, env: Environment): string | undefined {
  const text = connections.get(name)?.database;
  const found = text === undefined ? undefined : resolveEnvText(text, env);
  return found !== undefined && 'value' in found ? found.value : undefined;
}

type Look = (text: EnvText | undefined) => string | undefined;

const looking =
  (env: Environment, missing: string[]): Look =>
  (text) => {
    if (text === undefined) return undefined;
    const found = resolveEnvText(text, env);
    if ('value' in found) return found.value;
    missing.push(...found.missing);
    return undefined;
  };

function connectionOf(
  spec: ConnectionSpec,
  look: Look,
  root: string,
  all: Config['connections'],
  env: Environment,
): ConnectionConfig {
  const withLakes = (database: ConnectionSpec): DatabaseConnection => {
    const lakes = [...all.values()].filter(({ engine, ledger }) => engine === 'spark' && ledger === database.name);
    const connection = databaseConnection(database, look, root);
    return lakes.length === 0 ? connection : { ...connection, lakes: lakes.map((lake) => lakeBeside(lake, env)) };
  };
  if (spec.engine !== 'spark') return withLakes(spec);
  const { name } = spec;
  const named = spec.ledger === undefined ? undefined : all.get(spec.ledger);
  const own = { name, settings: {}, airflowIds: [], protected: false };
  return {
    ...lakeConnection(spec, look),
    ledger:
      named === undefined
        ? { ...own, engine: 'pglite', directory: resolve(root, `.backfill/ledger-${name}`) }
        : withLakes(named),
  };
}

const lakeConnection = (spec: ConnectionSpec, look: Look): LakeConnection => ({
  name: spec.name,
  settings: spec.settings,
  airflowIds: spec.airflowIds,
  protected: spec.protected,
  engine: 'spark',
  url: look(spec.url) ?? '',
  token: look(spec.token),
});

/** What it lacks is said when it is asked for: the database beside it is there without it. */
function lakeBeside(spec: ConnectionSpec, env: Environment): LakeConnection {
  const missing: string[] = [];
  const connection = lakeConnection(spec, looking(env, missing));
  return missing.length === 0 ? connection : { ...connection, missing };
}

function databaseConnection(spec: ConnectionSpec, look: Look, root: string): DatabaseConnection {
  const { name, settings, airflowIds } = spec;
  const common = { name, settings, airflowIds, protected: spec.protected };
  if (spec.engine === 'pglite') {
    const directory = look(spec.directory) ?? '';
    return { ...common, engine: 'pglite', directory: isAbsolute(directory) ? directory : resolve(root, directory) };
  }
  const port = look(spec.port);
  const rootCertificate = look(spec.sslrootcert);
  return {
    ...common,
    engine: 'postgres',
    host: look(spec.host),
    port: port === undefined ? undefined : Number(port),
    database: look(spec.database),
    user: look(spec.user),
    password: look(spec.password),
    service: look(spec.service),
    sslmode: spec.sslmode,
    sslrootcert:
      rootCertificate === undefined || rootCertificate === 'system' ? rootCertificate : resolve(root, rootCertificate),
  };
}

function noConnection(config: Config): Problem {
  const many = config.connections.size > 1;
  const message = many
    ? `${config.file} has several connections and no defaultConnection; name one of ${[...config.connections.keys()].join(', ')}`
    : `no connection: add one under connections in ${config.file}, e.g. sandbox: { engine: pglite, directory: .backfill/sandbox }`;
  return { message, at: undefined, severity: 'error' };
}
