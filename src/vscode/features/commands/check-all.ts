import * as vscode from 'vscode';
import { plural } from '../../../core/text/plural.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { PlacedFinding, PlacedProblem } from '../../host/workspace-api.ts';
import { diagnosticSource, rulePageLink, severities } from '../document/document-diagnostics.ts';
import { placedRange } from '../document/placed-range.ts';

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
        let unread = 0;
        let tasks = 0;
        // What was mended, renamed or deleted since is not found again.
        collection.clear();
        for (const client of open) {
          progress.report({ message: client.folder.name });
          // Nobody waits for what was stopped, though the thread that reads comes to its end.
          const found = await Promise.race([client.call('check', { now: Date.now() }), cancelled(token)]);
          if (found === undefined || token.isCancellationRequested) return;
          const { findings, problems } = found;
          // The list of problems shows no hints.
          count += findings.filter(({ severity }) => severity !== 'hint').length;
          unread += problems.length;
          tasks += (await client.call('tasks', null)).length;
          publish([...findings, ...problems], (path) => client.uriOf(path));
        }
        void vscode.window.showInformationMessage(resultInWords(count, unread, tasks));
      },
    );
  };

  const publish = (findings: readonly Placed[], uriOf: (path: string) => vscode.Uri): void => {
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

type Placed = PlacedFinding | PlacedProblem;

const cancelled = (token: vscode.CancellationToken): Promise<undefined> =>
  new Promise((resolve) => token.onCancellationRequested(() => resolve(undefined)));

function resultInWords(findings: number, unread: number, tasks: number): string {
  const found = [
    ...(findings > 0 ? [plural(findings, 'finding')] : []),
    ...(unread > 0 ? [`${plural(unread, 'note')} about what was read`] : []),
  ];
  if (found.length > 0) return `${found.join(', ')}; see Problems.`;
  if (tasks === 0) return 'No pipeline was found in this workspace: no DAG and no SQL file with a task.';
  return `Nothing found in ${plural(tasks, 'task')} that a second run would change.`;
}

function groupByFile(findings: readonly Placed[]): Map<string, Placed[]> {
  const groups = new Map<string, Placed[]>();
  for (const finding of findings) groups.set(finding.file, [...(groups.get(finding.file) ?? []), finding]);
  return groups;
}

function toDiagnostic(found: Placed): vscode.Diagnostic {
  const diagnostic = new vscode.Diagnostic(placedRange(found), found.message, severities[found.severity]);
  diagnostic.source = diagnosticSource;
  if ('rule' in found) diagnostic.code = { value: found.rule, target: rulePageLink(found.rule) };
  return diagnostic;
}
