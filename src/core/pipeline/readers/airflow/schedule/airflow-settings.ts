import { isZone } from '../../../../time/zones/zone.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';
import type { FileSet } from '../../../model/model.ts';
import type { ReaderOptions } from '../../../model/reader-options.ts';
import { airflowVersionOf } from './airflow-version.ts';

/** What decides how a DAG file is understood beside its text. */
export interface AirflowSettings {
  readonly version: 2 | 3;
  /** False when nothing says the version and 2 was taken. */
  readonly versionKnown: boolean;
  readonly defaultZone: ZoneName;
  readonly catchupByDefault: boolean;
  /** Of tasks that say none, where the configuration has another number than Airflow's 0. */
  readonly defaultRetries: number | undefined;
  /** What a bare cron string and a bare timedelta give. */
  readonly cronIntervals: 'tick-to-tick' | 'zero-width';
  readonly deltaIntervals: 'tick-to-tick' | 'zero-width';
}

/** What the workspace says for all its DAG files. */
export interface WorkspaceSettings {
  readonly version: 2 | 3 | undefined;
  readonly configuration: ReadonlyMap<string, string>;
}

export function workspaceSettings(files: FileSet, options: ReaderOptions): WorkspaceSettings {
  const version = options.airflowVersion === 'auto' ? airflowVersionOf(files) : options.airflowVersion;
  return { version, configuration: configurationOf(files) };
}

/** Files that set the environment of a scheduler, which beats its `airflow.cfg`. */
const environmentFile =
  /(?:^|\/)(?:\.env|[^/]*\.env|(?:[^/]*\.)?[Dd]ockerfile(?:\.[^/]*)?|(?:docker-)?compose[^/]*\.ya?ml|airflow_settings\.ya?ml)$/;
const environmentEntry = /\bAIRFLOW__([A-Z]+(?:_[A-Z]+)*)__([A-Z]+(?:_[A-Z]+)*)\b["']?\s*[:=]\s*["']?([^"'\s#]*)/g;

/** `section.key` in lower case by value. An entry on which two files of one kind disagree is left out. */
function configurationOf(files: FileSet): ReadonlyMap<string, string> {
  const paths = files.paths();
  const read = (pattern: RegExp, entries: (text: string) => ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
    agreed(paths.filter((path) => pattern.test(path)).map((path) => entries(files.read(path) ?? '')));
  return new Map([...read(/(?:^|\/)airflow\.cfg$/, parseConfiguration), ...read(environmentFile, parseEnvironment)]);
}

/** Settings that decide which intervals a DAG has. */
const decidingSettings: readonly string[] = [
  'core.default_timezone',
  'core.default_task_retries',
  'scheduler.catchup_by_default',
  'scheduler.create_cron_data_intervals',
  'scheduler.create_delta_data_intervals',
];

/** What the files of the workspace set for the Airflow that is deployed, as the environment of another one. */
export function deployedEnvironment(files: FileSet): Readonly<Record<string, string>> {
  const configuration = configurationOf(files);
  return Object.fromEntries(
    decidingSettings.flatMap((key) => {
      const value = configuration.get(key);
      // A value that the shell or the machine fills in is not known here.
      if (value === undefined || /^$|\$|^system$/i.test(value)) return [];
      return [[`AIRFLOW__${key.toUpperCase().replace('.', '__')}`, value]];
    }),
  );
}

function agreed(all: readonly ReadonlyMap<string, string>[]): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  const disputed = new Set<string>();
  for (const one of all)
    for (const [key, value] of one) {
      if ((values.get(key) ?? value) !== value) disputed.add(key);
      values.set(key, value);
    }
  for (const key of disputed) values.delete(key);
  return values;
}

function parseEnvironment(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(environmentEntry)].map(([, section = '', key = '', value = '']) => [
      `${section}.${key}`.toLowerCase(),
      value,
    ]),
  );
}

function parseConfiguration(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r\n?|\n/)) {
    const heading = /^\s*\[([^\]]+)\]/.exec(line);
    if (heading?.[1] !== undefined) section = heading[1].trim().toLowerCase();
    const entry = /^\s*(\w+)\s*=\s*([^#]*?)\s*(?:#.*)?$/.exec(line);
    if (entry?.[1] !== undefined) values.set(`${section}.${entry[1].toLowerCase()}`, entry[2] ?? '');
  }
  return values;
}

/** What only one of the versions understands. */
function versionOfText(text: string): 2 | 3 | undefined {
  if (/(?:from|import)\s+airflow\.sdk\b/.test(text)) return 3;
  return /\bschedule_interval\s*=|\bairflow\.(?:operators|sensors|hooks)\.\w+_(?:operator|sensor|hook)\b|\bairflow\.utils\.dates\b/.test(
    text,
  )
    ? 2
    : undefined;
}

/** The settings for one file: its own imports tell the version where the workspace does not. */
export function settingsFor(text: string, workspace: WorkspaceSettings, options: ReaderOptions): AirflowSettings {
  const told = workspace.version ?? versionOfText(text);
  const version = told ?? 2;
  const configured = (key: string): boolean | undefined => {
    const value = workspace.configuration.get(key);
    return value === undefined ? undefined : /^(?:true|t|1)$/i.test(value);
  };
  const retries = workspace.configuration.get('core.default_task_retries');
  const zone = workspace.configuration.get('core.default_timezone');
  const tiles = (told: boolean): 'tick-to-tick' | 'zero-width' => (told ? 'tick-to-tick' : 'zero-width');
  const cronIntervals =
    options.createCronDataIntervals ?? configured('scheduler.create_cron_data_intervals') ?? version === 2;
  return {
    version,
    versionKnown: told !== undefined,
    defaultZone: zone !== undefined && !/^(?:utc|system)$/i.test(zone) && isZone(zone) ? zone : 'UTC',
    catchupByDefault: configured('scheduler.catchup_by_default') ?? version === 2,
    defaultRetries: retries !== undefined && /^\d+$/.test(retries) ? Number(retries) : undefined,
    cronIntervals: tiles(cronIntervals),
    // Airflow 3 decides timedeltas by the option for crons; its create_delta_data_intervals changes nothing (3.0 to 3.3).
    deltaIntervals: tiles(version === 2 || (options.createDeltaDataIntervals ?? cronIntervals)),
  };
}
