import * as vscode from 'vscode';
import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import { isWorldAnswer } from '../host/run-api.ts';
import type { WorkspaceClient } from './workspace-client.ts';

/** Passwords and tokens of the workspace's schedulers: in the system's secret store, in memory while they are used. */
export interface Schedulers {
  /** The scheduler with what is stored for it; nobody is asked. */
  resolve(client: WorkspaceClient, name: string): Promise<SchedulerConfig | { readonly problem: string }>;
  /** Does the work; where the login is refused, asks for it once, keeps it, and does the work again. */
  withLogin<T>(
    client: WorkspaceClient,
    name: string,
    work: (scheduler: SchedulerConfig) => Promise<T>,
  ): Promise<T | { readonly problem: string }>;
  forget(client: WorkspaceClient, name: string): Promise<void>;
}

export function schedulers(secrets: vscode.SecretStorage): Schedulers {
  const keyOf = (client: WorkspaceClient, name: string): string => `scheduler ${client.folder.uri.toString()} ${name}`;
  const resolve: Schedulers['resolve'] = async (client, name) => {
    const found = await client.call('scheduler', { name });
    if ('problem' in found) return found;
    return withSecret(found, await secrets.get(keyOf(client, name)));
  };
  return {
    resolve,
    async withLogin(client, name, work) {
      const scheduler = await resolve(client, name);
      if ('problem' in scheduler) return scheduler;
      const answer = await work(scheduler);
      if (!isWorldAnswer(answer) || answer.error !== 'login') return answer;
      const { login } = scheduler;
      const what = login.kind === 'password' ? `Password of ${login.user}` : 'Token';
      const secret = await vscode.window.showInputBox({
        title: `${what} for the Airflow ${name}`,
        prompt: `${answer.message.replace(/\.$/, '')}. It is kept in this machine's secret store, never in a file of the workspace.`,
        password: true,
        ignoreFocusOut: true,
      });
      if (secret === undefined) return answer;
      const again = await work(withSecret(scheduler, secret));
      if (!(isWorldAnswer(again) && again.error === 'login')) await secrets.store(keyOf(client, name), secret);
      return again;
    },
    async forget(client, name) {
      await secrets.delete(keyOf(client, name));
    },
  };
}

/** A password beside the user of the file, else a token. */
function withSecret(scheduler: SchedulerConfig, secret: string | undefined): SchedulerConfig {
  const { login } = scheduler;
  if (secret === undefined) return scheduler;
  if (login.kind === 'password') return { ...scheduler, login: { ...login, password: secret } };
  return { ...scheduler, login: { kind: 'token', token: secret } };
}
