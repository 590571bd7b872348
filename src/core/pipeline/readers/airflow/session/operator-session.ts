import type { DialectName } from '../../../../sql/model/dialect-name.ts';
import type { SessionSetting, TaskSession } from '../../../model/task-session.ts';
import { truthOf } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { DictEntry, DictValue, Keyword, Value } from '../../../python/values/value.ts';
import { wordOf } from '../program/arguments.ts';
import { type TaskBuilder, taskArgument } from '../program/program.ts';
import { handlerRefusal } from './result-handler.ts';
import { startOptions } from './start-options.ts';

/** Why a run from here would not send the SQL as the operator does. */
export interface UnreadSession {
  readonly reason: string;
}

/** Parameters of PostgresHook that change nothing about what its SQL does. */
const harmless: ReadonlySet<string> = new Set([
  'enable_log_db_messages',
  'log_sql',
  'sqlalchemy_scheme',
  'client_log_level',
  'connector_version',
]);

/** Arguments by which operators of other engines say where their SQL runs. */
const places = [
  'database',
  'schema',
  'role',
  'warehouse',
  'catalog',
  'hook_params',
  'runtime_parameters',
  'session_parameters',
  'session_configuration',
  'cluster_identifier',
  'workgroup_name',
  'db_user',
  'http_path',
  'sql_endpoint_name',
];

/**
 * The session that an operator asks its hook for: `database`, `hook_params` and the older `runtime_parameters`, which
 * both reach PostgreSQL as options of the connection's start. `undefined`: the connection's own. What is not known here
 * is named, because another session may mean other tables.
 */
export function operatorSession(task: TaskBuilder, dialect: DialectName): TaskSession | UnreadSession | undefined {
  const handler = handlerRefusal(taskArgument(task, 'handler')?.value);
  if (handler !== undefined) return { reason: handler };
  if (dialect !== 'postgres') {
    const place = places.find((name) => isGiven(taskArgument(task, name)));
    return place === undefined
      ? undefined
      : { reason: `${place} says where its SQL runs, which is understood for PostgreSQL only` };
  }
  const hook = hookParameters(task);
  if ('reason' in hook) return hook;
  const database = databaseOf(task, hook);
  if (database !== undefined && 'reason' in database) return database;
  const settings = settingsOf(task, hook);
  if ('reason' in settings) return settings;
  return database === undefined && settings.length === 0 ? undefined : { database, settings };
}

type Given = Pick<DictEntry, 'value' | 'at'>;
type HookParameters = ReadonlyMap<string, Given>;

const isGiven = (keyword: Keyword | undefined): keyword is Keyword =>
  keyword !== undefined && truthOf(keyword.value) !== false;

function hookParameters(task: TaskBuilder): HookParameters | UnreadSession {
  const given = taskArgument(task, 'hook_params');
  if (!isGiven(given)) return new Map();
  const entries = plainEntries(given.value);
  if (entries === undefined) return { reason: 'its hook_params are not known before it runs' };
  for (const [name, { value }] of entries) {
    if (harmless.has(name) || name === 'options' || name === 'database' || truthOf(value) === false) continue;
    return name === 'schema'
      ? {
          reason:
            'schema in its hook_params is the database for some versions of the provider and nothing for others: say database',
        }
      : { reason: `what ${name} in its hook_params does to its SQL is not known here` };
  }
  return entries;
}

/** Entries of a dict that is spelled out, by name. */
function plainEntries(value: Value): HookParameters | undefined {
  if (value.kind !== 'dict' || value.open) return undefined;
  const { entries }: DictValue = value;
  return [...entries.keys()].every((key) => !key.startsWith('\u0000')) ? entries : undefined;
}

/** An operator's own argument goes into the hook's parameters where these do not say it themselves. */
function databaseOf(task: TaskBuilder, hook: HookParameters): TaskSession['database'] | UnreadSession {
  const own = taskArgument(task, 'database');
  const handed = hook.get('database');
  // SQLExecuteQueryOperator sets it on the hook afterwards; PostgresOperator hands it on as a default.
  const given = task.operator === 'PostgresOperator' ? (handed ?? own) : isGiven(own) ? own : handed;
  if (given === undefined || truthOf(given.value) === false) return undefined;
  const text = plainText(given.value);
  return text === undefined
    ? { reason: 'the database that it runs in is not known before it runs' }
    : { value: text, at: given.at };
}

function settingsOf(task: TaskBuilder, hook: HookParameters): readonly SessionSetting[] | UnreadSession {
  const options = hook.get('options');
  if (options !== undefined) return optionSettings(options);
  const runtime = taskArgument(task, 'runtime_parameters');
  if (!isGiven(runtime)) return [];
  const entries = plainEntries(runtime.value);
  if (entries === undefined) return { reason: 'its runtime_parameters are not known before it runs' };
  const settings: SessionSetting[] = [];
  for (const [name, { value, at }] of entries) {
    const text = plainText(value) ?? wordOf(value);
    if (text === undefined) return { reason: `${name} in its runtime_parameters is not known before it runs` };
    const read = startOptions(`-c ${name}=${text}`);
    if ('unread' in read)
      return {
        reason: `the server refuses ${JSON.stringify(read.unread)}, a part of ${name} in its runtime_parameters`,
      };
    settings.push(...read.settings.map((setting) => ({ ...setting, at })));
  }
  return settings;
}

function optionSettings({ value, at }: Given): readonly SessionSetting[] | UnreadSession {
  if (truthOf(value) === false) return [];
  const text = plainText(value);
  if (text === undefined) return { reason: 'options in its hook_params are not known before it runs' };
  const read = startOptions(text);
  return 'unread' in read
    ? { reason: `${JSON.stringify(read.unread)} in options of its hook_params is not understood here` }
    : read.settings.map((setting) => ({ ...setting, at }));
}
