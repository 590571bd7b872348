import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { rangeOf } from './document-diagnostics.ts';
import { pipelineDocuments } from './pipeline-documents.ts';

/** The names of SQL files in a DAG lead to them. */
export function registerFileLinks(clients: WorkspaceClients): vscode.Disposable {
  return vscode.languages.registerDocumentLinkProvider(pipelineDocuments, {
    async provideDocumentLinks(document) {
      const client = clients.of(document.uri);
      if (client === undefined) return [];
      const version = document.version;
      const { links } = await client.view(document);
      if (document.version !== version) return [];
      return links.map(({ at, file }) => new vscode.DocumentLink(rangeOf(at, document), client.uriOf(file)));
    },
  });
}
