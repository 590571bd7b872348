import type * as vscode from 'vscode';
import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import { isWorldAnswer } from '../host/run-api.ts';
import { keptSecrets } from './kept-secrets.ts';
import { loginKey } from './secret-keys.ts';
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

export function schedulers(storage: vscode.SecretStorage): Schedulers {
  const secrets = keptSecrets(storage);
  const keyOf = ({ folder }: WorkspaceClient, scheduler: SchedulerConfig): string =>
    loginKey(folder.uri.toString(), scheduler);
  return {
    async resolve(client, name) {
      const found = await client.call('scheduler', { name });
      if ('problem' in found) return found;
      return withSecret(found, await secrets.get(keyOf(client, found)));
    },
    async withLogin(client, name, work) {
      const found = await client.call('scheduler', { name });
      if ('problem' in found) return found;
      const what = found.login.kind === 'password' ? `Password of ${found.login.user}` : 'Token';
      return secrets.use(
        { key: keyOf(client, found), title: `${what} for the Airflow ${name}`, first: undefined },
        (secret) => work(withSecret(found, secret)),
        (answer) => (isWorldAnswer(answer) && answer.error === 'login' ? answer.message : undefined),
      );
    },
    async forget(client, name) {
      const found = await client.call('scheduler', { name });
      if (!('problem' in found)) await secrets.forget(keyOf(client, found));
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
