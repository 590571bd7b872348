import * as vscode from 'vscode';
import type { Connections } from '../clients/connections.ts';
import type { Schedulers } from '../clients/schedulers.ts';
import type { WorkspaceClient } from '../clients/workspace-client.ts';
import type { WorkspaceClients } from '../clients/workspace-clients.ts';
import { pickClient } from './pick-client.ts';
import { registerTrustedCommands } from './trusted-commands.ts';

/** `Connect Warehouse…` and `Forget Stored Password…`. */
export function registerConnectionCommands(
  clients: WorkspaceClients,
  connections: Connections,
  schedulers: Schedulers,
): vscode.Disposable {
  const folder = () => pickClient(clients, 'Open a folder first: connections live in its backfill.yaml.');
  return registerTrustedCommands({
    'backfill.connectWarehouse': async () => {
      const client = await folder();
      if (client !== undefined) await connectWarehouse(client);
    },
    'backfill.forgetPassword': async () => {
      const client = await folder();
      if (client === undefined) return;
      const { names, schedulers: airflows } = await client.call('connections', null);
      const items = [
        ...names.map((label) => ({ label, description: 'database', forget: connections.forget })),
        ...airflows.map((label) => ({ label, description: 'Airflow', forget: schedulers.forget })),
      ];
      const chosen = await vscode.window.showQuickPick(items, { placeHolder: 'Whose password should be forgotten?' });
      await chosen?.forget(client, chosen.label);
    },
  });
}

/** Asks where the warehouse is and writes it to `backfill.yaml`; the password is asked for when the server wants one. */
export async function connectWarehouse(client: WorkspaceClient): Promise<string | undefined> {
  const kinds: readonly (vscode.QuickPickItem & { readonly engine: 'postgres' | 'pglite' })[] = [
    {
      label: 'PostgreSQL',
      detail: 'A server; its password is kept in the secret store of this machine',
      engine: 'postgres',
    },
    {
      label: 'Embedded database',
      detail: 'PostgreSQL in this process: a sandbox in a folder, nothing to install',
      engine: 'pglite',
    },
  ];
  const kind = await vscode.window.showQuickPick(kinds, {
    placeHolder: 'Where should tasks run?',
    ignoreFocusOut: true,
  });
  if (kind === undefined) return undefined;
  if (kind.engine === 'pglite') return client.call('addEmbedded', null);
  const title = 'Connect PostgreSQL';
  const ask = (step: number, prompt: string, value: string, wrong: (text: string) => string | undefined) =>
    vscode.window.showInputBox({
      title: `${title} (${step} of 5)`,
      prompt,
      value,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === '' ? 'This is needed.' : wrong(text.trim())),
    });
  const fine = (): undefined => undefined;
  const { names } = await client.call('connections', null);
  const name = await ask(1, 'A name for this connection', 'warehouse', (text) =>
    names.includes(text)
      ? 'There is a connection of this name already.'
      : /^[\w-]+$/.test(text)
        ? undefined
        : 'Letters, digits, - and _ only.',
  );
  if (name === undefined) return undefined;
  // In a remote window that is another machine than the one somebody sits at.
  const isRemote = vscode.env.remoteName !== undefined;
  const host = await ask(2, isRemote ? 'Host, as the machine with the files reaches it' : 'Host', 'localhost', fine);
  if (host === undefined) return undefined;
  const port = await ask(3, 'Port', '5432', (text) =>
    /^\d{1,5}$/.test(text) && Number(text) > 0 && Number(text) < 65_536 ? undefined : 'A number from 1 to 65535.',
  );
  if (port === undefined) return undefined;
  const database = await ask(4, 'Database', 'postgres', fine);
  if (database === undefined) return undefined;
  const user = await ask(5, 'User', 'postgres', fine);
  if (user === undefined) return undefined;
  await client.call('addPostgres', {
    name: name.trim(),
    host: host.trim(),
    port: Number(port),
    database: database.trim(),
    user: user.trim(),
  });
  return name.trim();
}
