import type { TestProject } from 'vitest/node';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

type Address = Pick<PostgresServer, 'host' | 'port' | 'user' | 'password'>;

declare module 'vitest' {
  interface ProvidedContext {
    postgres: readonly Address[];
  }
}

/**
 * A server for each worker of the suite, so that files which run side by side share no roles, settings, counters or
 * sessions; each test file makes databases of its own. `the-server.ts` says which one is a file's.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const started: PostgresServer[] = [];
  // A project has a number of its own only where it sets one.
  const { maxWorkers }: { maxWorkers?: number } = project.config;
  const workers = maxWorkers ?? project.vitest.config.maxWorkers;
  for (let worker = 0; worker < workers; worker++) {
    started.push(await startPostgres(['max_connections=60', 'deadlock_timeout=200ms']));
  }
  project.provide(
    'postgres',
    started.map(({ host, port, user, password }) => ({ host, port, user, password })),
  );
  return async () => {
    for (const server of started) await server.stop();
  };
}
