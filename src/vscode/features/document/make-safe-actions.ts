import * as vscode from 'vscode';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { SafeTaskAnswer } from '../../host/workspace-api.ts';
import { pipelineDocuments } from './pipeline-documents.ts';
import { placedRange } from './placed-range.ts';

const kind = vscode.CodeActionKind.RefactorRewrite.append('makeSafe');

/**
 * `Make … safe to run twice` at a task: the protocol of a run, written into what its scheduler runs. Where nothing makes
 * it safe the action says why. The change of another file than the one that is looked at is shown before it is made.
 */
export function registerMakeSafeActions(clients: WorkspaceClients): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    async provideCodeActions(document, range, { only }) {
      const client = clients.of(document.uri);
      if (client === undefined || (only !== undefined && !only.contains(kind))) return [];
      const version = document.version;
      await client.view(document);
      const place = { start: document.offsetAt(range.start), end: document.offsetAt(range.end) };
      const found = await client.call('safeTasks', { path: client.pathOf(document.uri), ...place });
      return document.version === version ? found.map((answer) => actionOf(answer, client, document)) : [];
    },
  };
  return vscode.languages.registerCodeActionsProvider(pipelineDocuments, provider, { providedCodeActionKinds: [kind] });
}

function actionOf(answer: SafeTaskAnswer, client: WorkspaceClient, document: vscode.TextDocument): vscode.CodeAction {
  const action = new vscode.CodeAction(answer.title, kind);
  if ('refused' in answer) {
    action.disabled = { reason: answer.refused };
    return action;
  }
  action.edit = new vscode.WorkspaceEdit();
  for (const edit of answer.edits) {
    const uri = client.uriOf(edit.file);
    const elsewhere = uri.toString() !== document.uri.toString();
    const metadata = elsewhere ? { needsConfirmation: true, label: answer.title } : undefined;
    action.edit.replace(uri, placedRange(edit), edit.newText, metadata);
  }
  return action;
}
