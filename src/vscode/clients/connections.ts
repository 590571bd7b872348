import * as vscode from 'vscode';
import type { ConnectionConfig } from '../../core/warehouse/port/connection-config.ts';
import { isWorldAnswer } from '../host/run-api.ts';
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

export function connections(secrets: vscode.SecretStorage): Connections {
  const keyOf = (client: WorkspaceClient, name: string): string => `password ${client.folder.uri.toString()} ${name}`;

  const resolve: Connections['resolve'] = async (client, name) => {
    const found = await client.call('connection', { name });
    if ('problem' in found || found.engine !== 'postgres' || found.password !== undefined) return found;
    return { ...found, password: await secrets.get(keyOf(client, name)) };
  };

  return {
    resolve,
    async withPassword(client, name, work) {
      const connection = await resolve(client, name);
      if ('problem' in connection) return connection;
      const answer = await work(connection);
      if (!isWorldAnswer(answer) || answer.error !== 'password' || connection.engine !== 'postgres') return answer;
      const password = await vscode.window.showInputBox({
        title: `Password of ${connection.user ?? 'the user'} on ${name}`,
        prompt: `${answer.message.replace(/\.$/, '')}. It is kept in this machine's secret store, never in a file of the workspace.`,
        password: true,
        ignoreFocusOut: true,
      });
      if (password === undefined) return answer;
      const again = await work({ ...connection, password });
      if (!(isWorldAnswer(again) && again.error === 'password')) await secrets.store(keyOf(client, name), password);
      return again;
    },
    async forget(client, name) {
      await secrets.delete(keyOf(client, name));
    },
  };
}
