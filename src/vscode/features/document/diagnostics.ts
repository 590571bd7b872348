import * as vscode from 'vscode';
import { type LineMark, marksToShow } from '../../../core/view/document/wait-for-cursor.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { diagnosticSource, documentDiagnostics } from './document-diagnostics.ts';
import { isPipelineDocument } from './pipeline-documents.ts';

/** Waits for a pause in typing, so that a word is not judged letter by letter. */
const debounceMs = 100;
/** After this what is half typed counts as meant. */
const restMs = 1500;

/** Findings of open documents, and what could not be read of them, as diagnostics: on open, on type or on save. */
export function registerDiagnostics(clients: WorkspaceClients): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection(diagnosticSource);
  const timers = new Map<string, NodeJS.Timeout>();
  /** What is shown, to compare: an editor closes a list of quick fixes when diagnostics are set, even to the same. */
  const shown = new Map<string, string>();
  /** What was shown when nobody typed: only that is marked where somebody does. */
  const atRest = new Map<string, ReadonlySet<string>>();
  /** The line that is typed on, and until when it counts as that. */
  let typing: { readonly key: string; readonly line: number; readonly until: number } | undefined;

  const refresh = async (document: vscode.TextDocument): Promise<void> => {
    const client = clients.of(document.uri);
    if (client === undefined || !isPipelineDocument(document)) return;
    if (mode(document) === 'off') return forget(document.uri);
    const version = document.version;
    const view = await client.view(document);
    if (document.version !== version || document.isClosed) return;
    const key = document.uri.toString();
    const all = documentDiagnostics(view, document, (path) => client.uriOf(path));
    const line = typing?.key === key && Date.now() < typing.until ? typing.line : undefined;
    const marks = all.map((diagnostic) => ({ ...markOf(diagnostic), diagnostic }));
    const found = marksToShow(marks, line, atRest.get(key) ?? none).map(({ diagnostic }) => diagnostic);
    if (line === undefined) atRest.set(key, new Set(marks.map((mark) => mark.key)));
    // What waits is shown at the latest when the cursor has come to rest.
    else if (found.length < all.length) schedule(document, restMs);
    const text = `${version} ${JSON.stringify(found)}`;
    if (shown.get(key) === text) return;
    shown.set(key, text);
    collection.set(document.uri, found);
  };
  const forget = (uri: vscode.Uri): void => {
    shown.delete(uri.toString());
    atRest.delete(uri.toString());
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
      if (contentChanges.length === 0 || mode(document) !== 'onType') return;
      const editor = vscode.window.activeTextEditor;
      if (editor?.document === document && contentChanges.length === 1) {
        const [change] = contentChanges;
        const line = (change?.range.start.line ?? 0) + (change?.text.split('\n').length ?? 1) - 1;
        typing = { key: document.uri.toString(), line, until: Date.now() + restMs };
      }
      schedule(document, debounceMs);
    }),
    vscode.window.onDidChangeTextEditorSelection(({ textEditor: { document }, selections: [selection] }) => {
      if (typing === undefined || typing.key !== document.uri.toString() || selection === undefined) return;
      if (selection.active.line === typing.line) return;
      typing = undefined;
      schedule(document, 0);
    }),
    vscode.workspace.onDidSaveTextDocument(() => {
      typing = undefined;
      scheduleAll();
    }),
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

const none: ReadonlySet<string> = new Set();

function markOf({ range, code, message, severity }: vscode.Diagnostic): LineMark {
  const rule = typeof code === 'object' ? code.value : code;
  return {
    first: range.start.line,
    last: range.end.line,
    key: `${rule} ${message}`,
    isUnread: code === undefined && severity < vscode.DiagnosticSeverity.Information,
  };
}

const mode = (document: vscode.TextDocument): 'onType' | 'onSave' | 'off' =>
  vscode.workspace.getConfiguration('backfill', document.uri).get('check.run', 'onType');
