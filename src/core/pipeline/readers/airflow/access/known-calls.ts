import { bigQueryCalls } from './bigquery-calls.ts';
import type { CallAccess } from './call-access.ts';
import { frameCalls } from './frame-calls.ts';
import { hookCalls } from './hook-calls.ts';
import { wranglerCalls } from './wrangler-calls.ts';

/** Calls that read or write a table without SQL text, by the last part of their name; the first that fits counts. */
export const knownCalls: ReadonlyMap<string, readonly CallAccess[]> = join([
  wranglerCalls,
  bigQueryCalls,
  frameCalls,
  hookCalls,
]);

function join(tables: readonly Readonly<Record<string, readonly CallAccess[]>>[]): Map<string, readonly CallAccess[]> {
  const joined = new Map<string, readonly CallAccess[]>();
  for (const table of tables)
    for (const [name, accesses] of Object.entries(table)) joined.set(name, [...(joined.get(name) ?? []), ...accesses]);
  return joined;
}
