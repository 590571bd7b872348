import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { diagnosticSource, documentDiagnostics } from './document-diagnostics.ts';
import { isPipelineDocument } from './pipeline-documents.ts';

/** Waits for a pause in typing, so that a word is not judged letter by letter. */
const debounceMs = 200;

/** Findings of open documents, and what could not be read of them, as diagnostics: on open, on type or on save. */
export function registerDiagnostics(clients: WorkspaceClients): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection(diagnosticSource);
  const timers = new Map<string, NodeJS.Timeout>();
  /** What is shown, to compare: an editor closes a list of quick fixes when diagnostics are set, even to the same. */
  const shown = new Map<string, string>();

  const refresh = async (document: vscode.TextDocument): Promise<void> => {
    const client = clients.of(document.uri);
    if (client === undefined || !isPipelineDocument(document)) return;
    if (mode(document) === 'off') return forget(document.uri);
    const version = document.version;
    const view = await client.view(document);
    if (document.version !== version || document.isClosed) return;
    const found = documentDiagnostics(view, document, (path) => client.uriOf(path));
    const key = document.uri.toString();
    const text = `${version} ${JSON.stringify(found)}`;
    if (shown.get(key) === text) return;
    shown.set(key, text);
    collection.set(document.uri, found);
  };
  const forget = (uri: vscode.Uri): void => {
    shown.delete(uri.toString());
    collection.delete(uri);
  };
  const schedule = (document: vscode.TextDocument, delayMs: number): void => {
    const key = document.uri.toString();
    clearTimeout(timers.get(key));
    timers.set(
      key,
      setTimeout(() => void refresh(document).catch(() => {}), delayMs),
    );
  };
  const scheduleAll = (): void => {
    for (const document of vscode.workspace.textDocuments) schedule(document, 0);
  };

  scheduleAll();
  return vscode.Disposable.from(
    collection,
    vscode.workspace.onDidOpenTextDocument((document) => schedule(document, 0)),
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && mode(document) === 'onType') schedule(document, debounceMs);
    }),
    vscode.workspace.onDidSaveTextDocument(scheduleAll),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => forget(uri)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('backfill')) scheduleAll();
    }),
    clients.onDidChange(() => {
      for (const document of vscode.workspace.textDocuments) {
        if (!(document.isDirty && mode(document) === 'onSave')) schedule(document, debounceMs);
      }
    }),
    new vscode.Disposable(() => {
      for (const timer of timers.values()) clearTimeout(timer);
    }),
  );
}

const mode = (document: vscode.TextDocument): 'onType' | 'onSave' | 'off' =>
  vscode.workspace.getConfiguration('backfill', document.uri).get('check.run', 'onType');
