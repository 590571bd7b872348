import * as vscode from 'vscode';
import type { TaskView } from '../../../core/view/document/document-view.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { pipelineDocuments } from './pipeline-documents.ts';
import type { TaskReference } from './task-reference.ts';

/** `Rerun this interval (…)`, `Backfill…` and `Prove` above each task. */
export function registerCodeLenses(clients: WorkspaceClients): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  /** The last good lenses by document: while a line is half typed, lenses stay where they were. */
  const kept = new Map<string, vscode.CodeLens[]>();
  const provider: vscode.CodeLensProvider = {
    onDidChangeCodeLenses: changed.event,
    async provideCodeLenses(document) {
      if (!vscode.workspace.getConfiguration('backfill', document.uri).get('codeLens.enabled', true)) return [];
      const client = clients.of(document.uri);
      if (client === undefined) return [];
      const key = document.uri.toString();
      const { tasks } = await client.view(document);
      const before = kept.get(key);
      if (tasks.length === 0 && before !== undefined && document.getText().trim() !== '' && document.isDirty) {
        return before;
      }
      const lenses = tasks.flatMap((task) => lensesOf(task, document));
      kept.set(key, lenses);
      return lenses;
    },
  };
  return vscode.Disposable.from(
    changed,
    clients.onDidChange(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('backfill.codeLens')) changed.fire();
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => kept.delete(uri.toString())),
    vscode.languages.registerCodeLensProvider(pipelineDocuments, provider),
  );
}

function lensesOf(task: TaskView, document: vscode.TextDocument): vscode.CodeLens[] {
  const start = document.positionAt(task.at.start);
  const range = new vscode.Range(start, start);
  const reference: TaskReference = { uri: document.uri.toString(), task: task.task };
  const lens = (title: string, command: string, tooltip: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [reference] });
  if (task.notRunnable !== undefined) {
    return [lens('$(circle-slash) Not run from here', 'backfill.backfillIntervals', task.notRunnable)];
  }
  const interval = task.interval?.label ?? 'no interval';
  const behind = task.downstream === 0 ? [] : [`${task.downstream} downstream`];
  return [
    lens(
      `$(debug-rerun) Rerun this interval (${interval})`,
      'backfill.rerunInterval',
      `${task.task}: run this interval again`,
    ),
    lens(
      ['Backfill…', ...behind].join(' · '),
      'backfill.backfillIntervals',
      `${task.task}: choose intervals and what runs behind them`,
    ),
    lens('Prove', 'backfill.proveTask', `${task.task}: run this interval twice, compare, and keep nothing`),
  ];
}
