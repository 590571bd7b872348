import * as vscode from 'vscode';
import type { DeclarationDraft } from '../../core/view/document/draft-declaration.ts';
import type { WorkspaceClient } from '../clients/workspace-client.ts';

/**
 * Puts an entry for a task into `backfill.yaml` and the cursor where something has to be looked at: what is not known of it, or
 * what was drafted. Where nothing can be added, says why and gives `undefined`. Nothing is saved.
 */
export async function writeDeclaration(
  client: WorkspaceClient,
  task: string,
  draft?: DeclarationDraft,
): Promise<vscode.TextDocument | undefined> {
  const uri = client.uriOf(await client.call('configFile', null));
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  const answer = await client.call('declare', { task, text: open?.getText(), draft });
  if ('wrong' in answer) {
    void vscode.window.showInformationMessage(answer.wrong);
    return undefined;
  }
  const create = new vscode.WorkspaceEdit();
  create.createFile(uri, { ignoreIfExists: true });
  await vscode.workspace.applyEdit(create);
  const document = await vscode.workspace.openTextDocument(uri);
  const edit = new vscode.WorkspaceEdit();
  const whole = new vscode.Range(new vscode.Position(0, 0), document.positionAt(document.getText().length));
  edit.replace(uri, whole, answer.text);
  await vscode.workspace.applyEdit(edit);
  const { start, end } = answer.selection;
  const selection = new vscode.Range(start.line - 1, start.column - 1, end.line - 1, end.column - 1);
  await vscode.window.showTextDocument(document, { selection });
  return document;
}
