import type { Call, Value } from '../../../python/values/value.ts';
import type { Program } from '../program/program.ts';
import { type Client, clientOf, isDatabase } from './client.ts';

/** The database that a call reaches: its receiver, else the first argument that is one (`read_sql(query, con)`). */
export function databaseOf(self: Value | undefined, call: Call): Client | undefined {
  const own = clientOf(self);
  if (isDatabase(own)) return own;
  for (const value of argumentsOf(call)) {
    const client = clientOf(value);
    if (isDatabase(client)) return client;
  }
  return own;
}

export const argumentsOf = (call: Call): readonly Value[] => [
  ...call.positional,
  ...[...call.keywords.values()].map(({ value }) => value),
];

/** Numbers the connection that a call goes over: a hook opens one per call, a cursor or connection is one. */
export function sessionOf(program: Program, client: Client | undefined, call: Call): number {
  const key: unknown = client === undefined ? program.running : /Hook$/.test(client.type) ? call : client.opened;
  const number = program.sessions.get(key) ?? program.sessions.size;
  program.sessions.set(key, number);
  return number;
}
