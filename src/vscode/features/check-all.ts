import * as vscode from 'vscode';
import type { Severity } from '../../core/lint/finding.ts';
import type { PlacedFinding } from '../host/workspace-api.ts';
import type { WorkspaceClients } from '../workspace-clients.ts';
import { diagnosticSource, rulePageLink } from './diagnostics.ts';

const severities: Readonly<Record<Severity, vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** Checks every pipeline file of the workspace; files that no editor has open get their findings too. */
export function registerCheckAll(clients: WorkspaceClients): vscode.Disposable {
  const collection = vscode.languages.createDiagnosticCollection(`${diagnosticSource} workspace`);
  const check = async (): Promise<void> => {
    const open = clients.all();
    if (open.length === 0) {
      void vscode.window.showInformationMessage('Open a folder with pipelines to check them.');
      return;
    }
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: 'Checking all pipelines', cancellable: true },
      async (progress, token) => {
        let count = 0;
        let tasks = 0;
        for (const client of open) {
          progress.report({ message: client.folder.name });
          const findings = await client.call('check', { now: Date.now() });
          if (token.isCancellationRequested) return;
          count += findings.length;
          tasks += (await client.call('tasks', null)).length;
          publish(findings, (path) => client.uriOf(path));
        }
        void vscode.window.showInformationMessage(resultInWords(count, tasks));
      },
    );
  };

  const publish = (findings: readonly PlacedFinding[], uriOf: (path: string) => vscode.Uri): void => {
    const byFile = groupByFile(findings);
    for (const [file, found] of byFile) {
      const uri = uriOf(file);
      const isOpen = vscode.workspace.textDocuments.some((document) => document.uri.toString() === uri.toString());
      collection.set(uri, isOpen ? [] : found.map(toDiagnostic));
    }
  };

  return vscode.Disposable.from(
    collection,
    // An open document has its own, live findings.
    vscode.workspace.onDidOpenTextDocument(({ uri }) => collection.delete(uri)),
    vscode.commands.registerCommand('backfill.checkAll', check),
  );
}

function resultInWords(findings: number, tasks: number): string {
  if (findings > 0) return `${findings} finding${findings === 1 ? '' : 's'}; see Problems.`;
  if (tasks === 0) return 'No pipeline was found in this workspace: no DAG and no SQL file with a task.';
  return `Nothing found in ${tasks} task${tasks === 1 ? '' : 's'}: a second run changes nothing.`;
}

function groupByFile(findings: readonly PlacedFinding[]): Map<string, PlacedFinding[]> {
  const groups = new Map<string, PlacedFinding[]>();
  for (const finding of findings) groups.set(finding.file, [...(groups.get(finding.file) ?? []), finding]);
  return groups;
}

function toDiagnostic({ start, end, message, rule, severity }: PlacedFinding): vscode.Diagnostic {
  const range = new vscode.Range(start.line - 1, start.column - 1, end.line - 1, end.column - 1);
  const diagnostic = new vscode.Diagnostic(range, message, severities[severity]);
  diagnostic.source = diagnosticSource;
  diagnostic.code = { value: rule, target: rulePageLink(rule) };
  return diagnostic;
}
