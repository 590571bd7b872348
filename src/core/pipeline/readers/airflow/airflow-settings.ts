import { isZone } from '../../../time/zone.ts';
import type { ZoneName } from '../../../time/zone-name.ts';
import type { FileSet } from '../../model.ts';
import type { ReaderOptions } from '../../reader-options.ts';
import { airflowVersionOf } from './airflow-version.ts';

/** What decides how a DAG file is understood beside its text. */
export interface AirflowSettings {
  readonly version: 2 | 3;
  /** False when nothing says the version and 2 was taken. */
  readonly versionKnown: boolean;
  readonly defaultZone: ZoneName;
  readonly catchupByDefault: boolean;
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
  const path = files.paths().find((candidate) => /(?:^|\/)airflow\.cfg$/.test(candidate));
  return { version, configuration: parseConfiguration(path === undefined ? '' : (files.read(path) ?? '')) };
}

/** `section.key` in lower case by value. */
function parseConfiguration(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r\n?|\n/)) {
    const heading = /^\s*\[([^\]]+)\]/.exec(line);
    if (heading?.[1] !== undefined) section = heading[1].trim().toLowerCase();
    const entry = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line);
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
  const zone = workspace.configuration.get('core.default_timezone');
  const tiles = (option: boolean | undefined, key: string): 'tick-to-tick' | 'zero-width' =>
    version === 2 || (option ?? configured(key) ?? false) ? 'tick-to-tick' : 'zero-width';
  return {
    version,
    versionKnown: told !== undefined,
    defaultZone: zone !== undefined && !/^(?:utc|system)$/i.test(zone) && isZone(zone) ? zone : 'UTC',
    catchupByDefault: configured('scheduler.catchup_by_default') ?? version === 2,
    cronIntervals: tiles(options.createCronDataIntervals, 'scheduler.create_cron_data_intervals'),
    deltaIntervals: tiles(options.createDeltaDataIntervals, 'scheduler.create_delta_data_intervals'),
  };
}
