import * as vscode from 'vscode';
import type { Log } from '../clients/log.ts';
import type { Schedulers } from '../clients/schedulers.ts';
import type { WorkspaceClient } from '../clients/workspace-client.ts';
import type { WorkspaceClients } from '../clients/workspace-clients.ts';
import { isWorldAnswer } from '../host/run-api.ts';
import { pickClient } from './pick-client.ts';
import { registerTrustedCommands } from './trusted-commands.ts';

/** `Connect Airflow…` and `Check Airflow`. */
export function registerAirflowCommands(
  clients: WorkspaceClients,
  schedulers: Schedulers,
  log: Log,
): vscode.Disposable {
  const folder = () => pickClient(clients, 'Open a folder first: Airflows are named in its backfill.yaml.');
  return registerTrustedCommands({
    'backfill.connectAirflow': async () => {
      const client = await folder();
      const name = client && (await connectAirflow(client));
      if (client !== undefined && name !== undefined) await check(client, name, schedulers, log);
    },
    'backfill.checkAirflow': async () => {
      const client = await folder();
      if (client === undefined) return;
      const { schedulers: names } = await client.call('connections', null);
      const name = names.length < 2 ? names[0] : await vscode.window.showQuickPick([...names]);
      if (name !== undefined) return check(client, name, schedulers, log);
      if (names.length === 0) await vscode.commands.executeCommand('backfill.connectAirflow');
    },
  });
}

/** Asks where the Airflow is and writes it to `backfill.yaml`; its password or token is asked for when it wants one. */
async function connectAirflow(client: WorkspaceClient): Promise<string | undefined> {
  const { schedulers: names } = await client.call('connections', null);
  const ask = (step: number, prompt: string, value: string, wrong: (text: string) => string | undefined) =>
    vscode.window.showInputBox({
      title: `Connect Airflow (${step} of 3)`,
      prompt,
      value,
      ignoreFocusOut: true,
      validateInput: (text) => wrong(text.trim()),
    });
  const first = names.includes('airflow') ? 'airflow2' : 'airflow';
  const name = await ask(1, 'A name for this Airflow', first, (text) =>
    names.includes(text)
      ? 'There is a scheduler of this name already.'
      : /^[\w-]+$/.test(text)
        ? undefined
        : 'Letters, digits, - and _ only.',
  );
  if (name === undefined) return undefined;
  const url = await ask(2, 'Address of its pages, without /home', 'http://localhost:8080', (text) =>
    /^https?:\/\/[^/@?#\s]+(?:\/[^@?#\s]*)?$/.test(text)
      ? undefined
      : 'Like https://airflow.example.org, without user and password.',
  );
  if (url === undefined) return undefined;
  const user = await ask(3, 'User; left empty, a token is asked for', '', () => undefined);
  if (user === undefined) return undefined;
  const known = user.trim() === '' ? {} : { user: user.trim() };
  await client.call('addScheduler', { name: name.trim(), url: url.trim().replace(/\/+$/, ''), ...known });
  return name.trim();
}

/** Says whether it is well and has the DAGs of the workspace. */
async function check(client: WorkspaceClient, name: string, schedulers: Schedulers, log: Log): Promise<void> {
  const answer = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Asking the Airflow ${name}…` },
    () => schedulers.withLogin(client, name, (scheduler) => client.call('checkScheduler', { scheduler })),
  );
  if ('problem' in answer) throw new Error(answer.problem);
  if (isWorldAnswer(answer))
    throw new Error([answer.message, answer.remedy].filter((part) => part !== undefined).join(' '));
  log.info(answer.title);
  for (const line of answer.said) log.info(`  ${line}`);
  client.touch();
  if (answer.well) {
    void vscode.window.showInformationMessage(answer.title);
    return;
  }
  const show = 'Show What Differs';
  const chosen = await vscode.window.showWarningMessage(answer.title, show);
  if (chosen === show) log.show();
}
