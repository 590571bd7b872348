import * as vscode from 'vscode';
import type { WorkspaceClient } from '../clients/workspace-client.ts';
import type { WorkspaceClients } from '../clients/workspace-clients.ts';

/**
 * The folder of the editor that is looked at, else of the page (`shown`); asked for where there are several. Where there
 * is none, `otherwise` is said.
 */
export async function pickClient(
  clients: WorkspaceClients,
  otherwise: string,
  shown?: WorkspaceClient,
): Promise<WorkspaceClient | undefined> {
  const editor = vscode.window.activeTextEditor;
  const lookedAt = (editor && clients.of(editor.document.uri)) ?? shown;
  if (lookedAt !== undefined) return lookedAt;
  const all = clients.all();
  if (all.length === 0) void vscode.window.showInformationMessage(otherwise);
  if (all.length <= 1) return all[0];
  const items = all.map((client) => ({
    label: client.folder.name,
    description: client.folder.uri.fsPath,
    client,
  }));
  return (await vscode.window.showQuickPick(items, { placeHolder: 'In which folder?' }))?.client;
}
