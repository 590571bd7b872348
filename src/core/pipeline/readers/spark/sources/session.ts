import { withoutLeadingComments } from '../../../../sql/lex/leading-comments.ts';
import { argument } from '../../../python/calls/call.ts';
import { markParameters } from '../../../python/library/format-text.ts';
import { hostValue, none, unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, HostObject, Interpreter, Value } from '../../../python/values/value.ts';
import { opaqueFrame, queryFrame, tableFrame } from '../frames/frame.ts';
import { overwritesOfSession, sparkWorkOf } from '../session/spark-work.ts';
import { holeOf } from '../text/sql-parts.ts';
import { readerValue } from './reader.ts';

const method = (type: string, call: (given: Call, run: Interpreter) => Value): Value =>
  hostValue({ type: `spark-${type}`, isFree: true, call });

/** `SparkSession.builder…getOrCreate()` with what it is told on the way. */
export function builder(): Value {
  const chain: Value = hostValue({
    type: 'spark-builder',
    isFree: true,
    attribute(name) {
      if (name === 'getOrCreate' || name === 'create') return method('get-session', () => session);
      return method('builder-method', (call, run) => {
        if (name === 'config') set(call, run);
        return chain;
      });
    },
  });
  return chain;
}

/** A setting of the session: `("name", value)`, `key=`, `map={…}`. */
function set(call: Call, run: Interpreter): void {
  const { settings } = sparkWorkOf(run);
  const key = plainText(argument(call, 'key', 0)?.value);
  const value = argument(call, 'value', 1)?.value;
  if (key !== undefined && value !== undefined) settings.set(key.toLowerCase(), value);
  const map = call.keywords.get('map')?.value;
  if (map?.kind === 'dict') for (const [name, entry] of map.entries) settings.set(name.toLowerCase(), entry.value);
}

const configuration: Value = hostValue({
  type: 'spark-conf',
  isFree: true,
  attribute: (name) =>
    method('conf-method', (call, run) => {
      if (name === 'set') set(call, run);
      return name === 'get' ? unknown('a setting of the session') : none;
    }),
});

const catalog: Value = hostValue({
  type: 'spark-catalog',
  isFree: true,
  attribute: () => method('catalog-method', () => unknown('what the catalog has')),
});

const context: Value = hostValue({
  type: 'spark-context',
  isFree: true,
  attribute: (name) => method('context-method', () => unknown(`what ${name} of Spark's context gives`)),
});

const sessionHost: HostObject = {
  type: 'spark-session',
  isFree: true,
  attribute(name) {
    switch (name) {
      case 'read':
        return readerValue(false);
      case 'readStream':
        return readerValue(true);
      case 'conf':
        return configuration;
      case 'catalog':
        return catalog;
      case 'sparkContext':
        return context;
      case 'builder':
        return builder();
      case 'table':
        return method('table', (call, run) => {
          const table = argument(call, 'tableName', 0);
          if (table === undefined) return unknown('no table is named');
          return tableFrame(table.value.kind === 'text' ? table.value : holeOf(table.value, table.valueAt, run), run);
        });
      case 'sql':
        return method('sql', sendSql);
      case 'setConf':
        return method('set-conf', (call, run) => {
          set(call, run);
          return none;
        });
      case 'createDataFrame':
      case 'range':
      case 'emptyDataFrame':
        return method('made-rows', (call, run) => opaqueFrame('its rows are made in Python', call.at, run));
      case 'newSession':
      case 'getActiveSession':
        return method('session', () => session);
      case 'stop':
        return method('stop', () => none);
      default:
        return undefined;
    }
  },
  enter: () => session,
};

/** `SparkSession`; what it is told to do is told to the task that is being followed. */
export const session: Value = hostValue(sessionHost);

const queryWords = /^\(*\s*(?:select|with|from|values|table|show|describe|desc|explain)\b/i;

/** `spark.sql(…)`: a query gives a frame, anything else is done at once. */
function sendSql(call: Call, run: Interpreter): Value {
  const work = sparkWorkOf(run);
  const given = argument(call, 'sqlQuery', 0);
  if (given === undefined) return unknown('no SQL is given');
  if (given.value.kind !== 'text') {
    const reason = given.value.kind === 'unknown' ? given.value.reason : 'it is known at run time only';
    work.unread('statement', `the SQL that ${call.callee}(…) sends is not known: ${reason}`, given.valueAt);
    return opaqueFrame('its SQL is not known', call.at, run);
  }
  const parameters = argument(call, 'args', 1)?.value;
  const text = parameters === undefined ? given.value : markParameters(given.value, parameters);
  const words = withoutLeadingComments(text.mapped.text);
  if (queryWords.test(words) && !/\binsert\s+(?:into|overwrite)\b/i.test(words)) return queryFrame(text, run);
  const setting = /^\s*set\s+([\w.]+)\s*=\s*([\w.]+)/i.exec(words);
  const [, name, value] = setting ?? [];
  if (name !== undefined && value !== undefined)
    work.settings.set(name.toLowerCase(), { kind: 'text', mapped: { text: value, pieces: [] }, holes: [], clocks: [] });
  const overwrites = overwritesOfSession(work);
  work.note({ text, call, ...(overwrites && { overwrites }) });
  return opaqueFrame('a statement gives no rows', call.at, run);
}
