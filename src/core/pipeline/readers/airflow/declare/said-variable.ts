import { argument } from '../../../python/calls/call.ts';
import { parsedValue } from '../../../python/library/plain-data.ts';
import { truthOf } from '../../../python/values/make-value.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';
import type { Program } from '../program/program.ts';

/**
 * What `Variable.get(…)` gives while the file is loaded, where `backfill.yaml` says it. What a task asks for while it runs may be
 * what an earlier run has left there.
 */
export function saidVariable({ variables, running }: Program, name: string, call: Call): Value | undefined {
  if (running !== undefined || !Object.hasOwn(variables, name)) return undefined;
  const said = variables[name];
  const given = argument(call, 'deserialize_json')?.value;
  if (given !== undefined && truthOf(given) !== false) {
    const text = typeof said === 'string' ? said : JSON.stringify(said);
    return parsedValue(derivedText(text, call.at), JSON.parse);
  }
  return typeof said === 'string' || typeof said === 'number' ? derivedText(String(said), call.at) : undefined;
}

/** What an environment variable of the scheduler holds, where `backfill.yaml` says it. */
export function saidEnvironment({ environment }: Program, key: Value | undefined): Value | undefined {
  const name = plainText(key);
  const said = name !== undefined && Object.hasOwn(environment, name) ? environment[name] : undefined;
  return said === undefined ? undefined : derivedText(said);
}
