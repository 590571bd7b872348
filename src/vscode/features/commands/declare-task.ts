import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { placedRange } from '../document/placed-range.ts';
import { targetOf } from './target-of.ts';

/**
 * `Declare What a Task Reads and Writes`: puts an entry into `backfill.yaml` and the cursor where something has to be
 * filled in. Nothing is saved: a declaration counts once a person has looked at it.
 */
export function registerDeclareTask(clients: WorkspaceClients): vscode.Disposable {
  return vscode.commands.registerCommand('backfill.declareTask', async (argument: unknown) => {
    const target = await targetOf(argument, clients);
    if (target === undefined) return;
    const { client, task } = target;
    const uri = client.uriOf(await client.call('configFile', null));
    const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
    const answer = await client.call('declare', { task, text: open?.getText() });
    if ('wrong' in answer) {
      void vscode.window.showInformationMessage(answer.wrong);
      return;
    }
    const create = new vscode.WorkspaceEdit();
    create.createFile(uri, { ignoreIfExists: true });
    await vscode.workspace.applyEdit(create);
    const document = await vscode.workspace.openTextDocument(uri);
    const edit = new vscode.WorkspaceEdit();
    edit.replace(
      uri,
      new vscode.Range(new vscode.Position(0, 0), document.positionAt(document.getText().length)),
      answer.text,
    );
    await vscode.workspace.applyEdit(edit);
    await vscode.window.showTextDocument(document, { selection: placedRange(answer.selection) });
  });
}
