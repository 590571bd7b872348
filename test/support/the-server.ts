import { inject } from 'vitest';

/** The address of the PostgreSQL that belongs to the worker in which this file runs (`postgres-setup.ts`). */
export function theServer() {
  const servers = inject('postgres');
  const worker = Number(process.env.VITEST_POOL_ID ?? 1) - 1;
  const server = servers[worker % servers.length];
  if (server === undefined) throw new Error('the suite has started no server');
  return server;
}
