import * as vscode from 'vscode';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { diagnosticSource, severities } from './document-diagnostics.ts';
import { placedRange } from './placed-range.ts';

const isConfig = ({ uri }: vscode.TextDocument, client: WorkspaceClient): boolean =>
  /^backfill\.ya?ml$/.test(client.pathOf(uri));

/** What is wrong in `backfill.yaml`, where it is open: it counts as it was saved. */
export function registerConfigDiagnostics(clients: WorkspaceClients): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection(`${diagnosticSource} configuration`);
  const refresh = async (document: vscode.TextDocument): Promise<void> => {
    if (!/\.ya?ml$/.test(document.fileName)) return;
    const client = clients.of(document.uri);
    if (client === undefined || !isConfig(document, client) || document.isDirty) return;
    const problems = await client.call('configProblems', null);
    if (document.isDirty || document.isClosed) return;
    collection.set(
      document.uri,
      problems.map((problem) => {
        const diagnostic = new vscode.Diagnostic(placedRange(problem), problem.message, severities[problem.severity]);
        diagnostic.source = diagnosticSource;
        return diagnostic;
      }),
    );
  };
  const refreshQuietly = (document: vscode.TextDocument): void => void refresh(document).catch(() => {});
  const refreshAll = (): void => vscode.workspace.textDocuments.forEach(refreshQuietly);

  refreshAll();
  return vscode.Disposable.from(
    collection,
    clients.onDidChange(refreshAll),
    vscode.workspace.onDidOpenTextDocument(refreshQuietly),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => collection.delete(uri)),
  );
}
