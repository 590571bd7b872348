import type { TestProject } from 'vitest/node';
import { startPostgres } from './postgres-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: { host: string; port: number; user: string; password: string };
  }
}

/** One server for the whole suite; each test file makes databases of its own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startPostgres(['max_connections=60', 'deadlock_timeout=200ms']);
  const { host, port, user, password } = server;
  project.provide('postgres', { host, port, user, password });
  return () => server.stop();
}
