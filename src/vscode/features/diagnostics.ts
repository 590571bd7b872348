import * as vscode from 'vscode';
import type { Finding, Severity } from '../../core/lint/finding.ts';
import type { WorkspaceClients } from '../workspace-clients.ts';
import { isPipelineDocument } from './pipeline-documents.ts';

export const diagnosticSource = 'backfill';

/** Waits for a pause in typing, so that a word is not judged letter by letter. */
const debounceMs = 200;

const severities: Readonly<Record<Severity, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** Findings of open documents as diagnostics: on open, on type or on save. */
export function registerDiagnostics(clients: WorkspaceClients): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection(diagnosticSource);
  const timers = new Map<string, NodeJS.Timeout>();

  const refresh = async (document: vscode.TextDocument): Promise<void> => {
    const client = clients.of(document.uri);
    if (client === undefined || !isPipelineDocument(document)) return;
    if (mode(document) === 'off') return collection.delete(document.uri);
    const version = document.version;
    const { findings } = await client.view(document);
    if (document.version !== version || document.isClosed) return;
    collection.set(
      document.uri,
      findings.map((finding) => toDiagnostic(finding, document, (path) => client.uriOf(path))),
    );
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
    vscode.workspace.onDidCloseTextDocument(({ uri }) => collection.delete(uri)),
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

function toDiagnostic(
  { at, message, rule, severity, related }: Finding,
  document: vscode.TextDocument,
  uriOf: (path: string) => vscode.Uri,
): vscode.Diagnostic {
  const range = new vscode.Range(document.positionAt(at.start), document.positionAt(at.end));
  const diagnostic = new vscode.Diagnostic(range, message, severities[severity]);
  diagnostic.source = diagnosticSource;
  diagnostic.code = { value: rule, target: rulePageLink(rule) };
  diagnostic.relatedInformation = related
    .filter((place) => place.at.file === at.file)
    .map((place) => {
      const where = new vscode.Range(document.positionAt(place.at.start), document.positionAt(place.at.end));
      return new vscode.DiagnosticRelatedInformation(new vscode.Location(uriOf(place.at.file), where), place.message);
    });
  return diagnostic;
}

/** Opens the rule's page inside the editor: it is part of the extension, so it works offline. */
export const rulePageLink = (rule: string): vscode.Uri =>
  vscode.Uri.parse(`command:backfill.openRulePage?${encodeURIComponent(JSON.stringify([rule]))}`);
