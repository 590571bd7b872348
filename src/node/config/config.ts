import type { DeclaredFacts } from '../../core/lineage/facts/declared-facts.ts';
import { type DeclaredSources, noSources } from '../../core/lineage/facts/declared-sources.ts';
import type { Severities } from '../../core/lint/check.ts';
import type { DeclaredDag } from '../../core/pipeline/model/reader-options.ts';
import type { UnitOptions } from '../../core/run/unit/unit-job.ts';
import type { DialectName } from '../../core/sql/model/dialect-name.ts';
import type { Problem, SourceSpan } from '../../core/text/span.ts';
import type { EnvText } from './env-text.ts';

/** A connection as written; environment references are looked up when it is opened, never before. */
export interface ConnectionSpec {
  readonly name: string;
  readonly at: SourceSpan;
  readonly engine: 'postgres' | 'pglite' | 'spark';
  readonly host: EnvText | undefined;
  readonly port: EnvText | undefined;
  readonly database: EnvText | undefined;
  readonly user: EnvText | undefined;
  readonly password: EnvText | undefined;
  readonly service: EnvText | undefined;
  readonly sslmode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full' | undefined;
  /** Relative to the workspace, or `system`. */
  readonly sslrootcert: EnvText | undefined;
  /** Of a PGlite database, relative to the workspace. */
  readonly directory: EnvText | undefined;
  /** Of a Spark Connect server. */
  readonly url: EnvText | undefined;
  readonly token: EnvText | undefined;
  /** Name of the connection that has its ledger; `undefined`: a database of the workspace. */
  readonly ledger: string | undefined;
  readonly settings: Readonly<Record<string, string>>;
  readonly protected: boolean;
  /** Units at work on it at once, of all runs together. */
  readonly concurrency: number | undefined;
  readonly airflowIds: readonly string[];
  /** Connection that previews of its runs go to instead, e.g. a clone. */
  readonly preview: string | undefined;
}

/** A scheduler as written; environment references are looked up when it is opened, never before. */
export interface SchedulerSpec {
  readonly name: string;
  readonly at: SourceSpan;
  readonly url: EnvText;
  readonly user: EnvText | undefined;
  readonly password: EnvText | undefined;
  readonly token: EnvText | undefined;
  /** Where its OpenLineage events are: a path from the folder of the workspace, or the address of a collector. */
  readonly events: string | undefined;
  readonly eventsToken: EnvText | undefined;
}

/** How runs go where neither the command line nor the editor says otherwise. */
export interface RunSettings
  extends Pick<UnitOptions, 'compare' | 'samples' | 'holdShrinkPercent' | 'keepBeforeRows' | 'earlyCutoff'> {
  readonly keepBeforeDays: number;
  /** `undefined`: tables that a scheduler writes too. */
  readonly lockTable: boolean | undefined;
  readonly vacuum: 'advise' | 'run' | 'off';
  readonly concurrency: number;
  readonly tableConcurrency: number | undefined;
  readonly lockTimeoutMs: number;
  readonly statementTimeoutMs: number;
  readonly leaseMs: number;
}

/** `backfill.yaml`, read. A workspace without one has the defaults. */
export interface Config {
  readonly file: string;
  /** The first error in it. What it was meant to say is not known, so that no database is worked on until it is mended. */
  readonly slip: Problem | undefined;
  readonly connections: ReadonlyMap<string, ConnectionSpec>;
  /** Used by tasks that name no known connection; the only one where there is only one. */
  readonly defaultConnection: string | undefined;
  readonly schedulers: ReadonlyMap<string, SchedulerSpec>;
  readonly airflow: {
    readonly version: 2 | 3 | 'auto';
    /** A Python with Airflow to be asked, as written. */
    readonly python: string | undefined;
    /** Airflow's `[scheduler] create_cron_data_intervals`. */
    readonly createCronDataIntervals: boolean | undefined;
    readonly createDeltaDataIntervals: boolean | undefined;
  };
  /** SQL dialect where neither the file, the operator nor the connection tells it. */
  readonly dialect: DialectName | undefined;
  /** SQL dialect by Airflow connection id. */
  readonly dialects: Readonly<Record<string, DialectName>>;
  /** Airflow Variables and params that templates may use. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** When DAGs run, where their files do not say it. */
  readonly dags: Readonly<Record<string, DeclaredDag>>;
  readonly declared: DeclaredFacts;
  readonly sources: DeclaredSources;
  readonly rules: Severities;
  /** The same by folder, relative to the file, with `/`. */
  readonly folders: ReadonlyMap<string, Severities>;
  readonly run: RunSettings;
  /** How rows are compared where a task does not say so for its table. */
  readonly diff: { readonly floatTolerance: number | undefined };
}

export const defaultRunSettings: RunSettings = {
  vacuum: 'advise',
  concurrency: 4,
  tableConcurrency: undefined,
  compare: 'rows',
  samples: 5,
  holdShrinkPercent: 50,
  keepBeforeRows: 100_000,
  keepBeforeDays: 30,
  earlyCutoff: true,
  lockTable: undefined,
  lockTimeoutMs: 30_000,
  statementTimeoutMs: 3_600_000,
  leaseMs: 60_000,
};

export const emptyConfig: Config = {
  file: 'backfill.yaml',
  slip: undefined,
  connections: new Map(),
  defaultConnection: undefined,
  schedulers: new Map(),
  airflow: {
    version: 'auto',
    python: undefined,
    createCronDataIntervals: undefined,
    createDeltaDataIntervals: undefined,
  },
  dialect: undefined,
  dialects: {},
  variables: {},
  environment: {},
  params: {},
  dags: {},
  declared: new Map(),
  sources: noSources,
  rules: {},
  folders: new Map(),
  run: defaultRunSettings,
  diff: { floatTolerance: undefined },
};
