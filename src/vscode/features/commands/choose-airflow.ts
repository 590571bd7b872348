import { relative } from 'node:path';
import * as vscode from 'vscode';
import { findAirflow } from '../../../node/airflow/find-airflow.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { pickClient } from '../../prompts/pick-client.ts';

type Choice = vscode.QuickPickItem & { readonly choose: () => Promise<string | undefined> };

/** `Choose Airflow to Confirm DAGs…`: nothing of the workspace is run before one is chosen here or in the settings. */
export function registerChooseAirflow(clients: WorkspaceClients): vscode.Disposable {
  return vscode.commands.registerCommand('backfill.chooseAirflow', async () => {
    const client = await pickClient(clients, 'Open a folder with DAG files first.');
    if (client === undefined) return;
    const root = client.folder.uri.fsPath;
    const found: Choice[] = findAirflow(root, process.env).map((folder) => ({
      label: relative(root, folder) || folder,
      description: folder,
      detail: 'Its Airflow loads the DAG files after each save, which runs their code',
      choose: async () => folder,
    }));
    const choice = await vscode.window.showQuickPick<Choice>(
      [
        ...found,
        { label: 'Another Python…', choose: browse },
        { label: 'None', detail: 'DAG files are only read', choose: async () => '' },
      ],
      { placeHolder: 'Which Airflow should confirm what is read of the DAG files?' },
    );
    const python = await choice?.choose();
    if (python === undefined) return;
    await vscode.workspace
      .getConfiguration('backfill', client.folder)
      .update('airflow.python', python === '' ? undefined : python, vscode.ConfigurationTarget.Workspace);
  });
}

async function browse(): Promise<string | undefined> {
  const [chosen] = (await vscode.window.showOpenDialog({ title: 'A Python with Airflow', openLabel: 'Choose' })) ?? [];
  return chosen?.fsPath;
}
