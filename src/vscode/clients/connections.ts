import type * as vscode from 'vscode';
import type { ConnectionConfig, PostgresConnection } from '../../core/warehouse/port/connection-config.ts';
import { isWorldAnswer } from '../host/run-api.ts';
import { keptSecrets } from './kept-secrets.ts';
import { passwordKey } from './secret-keys.ts';
import type { WorkspaceClient } from './workspace-client.ts';

/** Passwords of the workspace's connections: in the system's secret store, in memory while a run uses them, nowhere else. */
export interface Connections {
  /** The connection with its stored password, if it has one; a problem is said in words. */
  resolve(client: WorkspaceClient, name: string): Promise<ConnectionConfig | { readonly problem: string }>;
  /**
   * Does the work; when the server refuses the password (or misses one), asks for it once, keeps it, and does the work
   * again.
   */
  withPassword<T>(
    client: WorkspaceClient,
    name: string,
    work: (connection: ConnectionConfig) => Promise<T>,
  ): Promise<T | { readonly problem: string }>;
  forget(client: WorkspaceClient, name: string): Promise<void>;
}

export function connections(storage: vscode.SecretStorage): Connections {
  const secrets = keptSecrets(storage);
  const keyOf = ({ folder }: WorkspaceClient, connection: PostgresConnection): string =>
    passwordKey(folder.uri.toString(), connection);
  return {
    async resolve(client, name) {
      const found = await client.call('connection', { name });
      if ('problem' in found || found.engine !== 'postgres' || found.password !== undefined) return found;
      return { ...found, password: await secrets.get(keyOf(client, found)) };
    },
    async withPassword(client, name, work) {
      const found = await client.call('connection', { name });
      if ('problem' in found) return found;
      if (found.engine !== 'postgres') return work(found);
      return secrets.use(
        {
          key: keyOf(client, found),
          title: `Password of ${found.user ?? 'the user'} on ${name}`,
          first: found.password,
        },
        (password) => work({ ...found, password }),
        (answer) => (isWorldAnswer(answer) && answer.error === 'password' ? answer.message : undefined),
      );
    },
    async forget(client, name) {
      const found = await client.call('connection', { name });
      if (!('problem' in found) && found.engine === 'postgres') await secrets.forget(keyOf(client, found));
    },
  };
}
