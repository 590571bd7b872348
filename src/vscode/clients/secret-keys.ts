import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import type { PostgresConnection } from '../../core/warehouse/port/connection-config.ts';

/**
 * Under which a password is kept. It is one of a user on a server: where the file names another server or user, which a
 * pulled commit may do, what was typed for this one is not found, and never sent there.
 */
export const passwordKey = (
  folder: string,
  { name, user, host, port, service }: Pick<PostgresConnection, 'name' | 'user' | 'host' | 'port' | 'service'>,
): string => `password ${folder} ${name} ${JSON.stringify([user, host, port, service])}`;

/** The same of the login of a scheduler: of a user at an address. */
export const loginKey = (
  folder: string,
  { name, url, login }: Pick<SchedulerConfig, 'name' | 'url' | 'login'>,
): string => `scheduler ${folder} ${name} ${JSON.stringify([url, login.kind === 'password' ? login.user : undefined])}`;
