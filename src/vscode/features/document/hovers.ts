import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { pipelineDocuments } from './pipeline-documents.ts';

/** Slice, read windows, write mode, rendered SQL and the last versions of a task, over its name. */
export function registerHovers(clients: WorkspaceClients): vscode.Disposable {
  return vscode.languages.registerHoverProvider(pipelineDocuments, {
    async provideHover(document, position) {
      const client = clients.of(document.uri);
      if (client === undefined) return undefined;
      const { hovers } = await client.view(document);
      const offset = document.offsetAt(position);
      const found = hovers.filter(({ at }) => at.start <= offset && offset <= at.end);
      const [first] = found;
      if (first === undefined) return undefined;
      const range = new vscode.Range(document.positionAt(first.at.start), document.positionAt(first.at.end));
      return new vscode.Hover(
        found.map(({ markdown }) => withLinks(markdown)),
        range,
      );
    },
  });
}

/** Of all commands, a hover may offer the one that declares a task. */
function withLinks(markdown: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString(markdown);
  text.isTrusted = { enabledCommands: ['backfill.declareTask'] };
  return text;
}
