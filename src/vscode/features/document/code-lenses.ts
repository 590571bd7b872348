import * as vscode from 'vscode';
import type { TaskView } from '../../../core/view/document/document-view.ts';
import { outcomeTitle, rerunTitle } from '../../../core/view/document/lens-text.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { pipelineDocuments } from './pipeline-documents.ts';
import type { TaskReference } from './task-reference.ts';

const aMinuteMs = 60_000;

/** `Rerun this interval (…)`, `Backfill…`, `Prove` and the last outcome above each task that can be run. */
export function registerCodeLenses(clients: WorkspaceClients): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  /** The last good lenses by document: while a line is half typed, lenses stay where they were. */
  const kept = new Map<string, vscode.CodeLens[]>();
  /** What was two minutes ago is three a minute later. */
  let aging: NodeJS.Timeout | undefined;
  const age = (): void => {
    aging ??= setTimeout(() => {
      aging = undefined;
      changed.fire();
    }, aMinuteMs);
  };
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
      const lenses = tasks.flatMap((task) => lensesOf(task, document, Date.now()));
      if (tasks.some(({ versions }) => versions.length > 0)) age();
      kept.set(key, lenses);
      return lenses;
    },
  };
  return vscode.Disposable.from(
    changed,
    new vscode.Disposable(() => clearTimeout(aging)),
    clients.onDidChange(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('backfill.codeLens')) changed.fire();
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => kept.delete(uri.toString())),
    vscode.languages.registerCodeLensProvider(pipelineDocuments, provider),
  );
}

function lensesOf(task: TaskView, document: vscode.TextDocument, now: number): vscode.CodeLens[] {
  const start = document.positionAt(task.at.start);
  const range = new vscode.Range(start, start);
  const reference: TaskReference = { uri: document.uri.toString(), task: task.task };
  const lens = (title: string, command: string, tooltip: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, tooltip, arguments: [reference] });
  // Why nothing can be done is said by the hover of its name.
  if (task.notRunnable !== undefined || task.interval === undefined) return [];
  const outcome = outcomeTitle(task.versions, now);
  const by = task.carriedBy === undefined ? '' : `, carried out by the Airflow ${task.carriedBy}`;
  return [
    lens(
      `$(debug-rerun) ${rerunTitle(task)}`,
      'backfill.rerunInterval',
      task.downstream === undefined
        ? `${task.task}: plan this interval again${by}; what is downstream of it is still being read`
        : `${task.task}: plan this interval again with what is downstream${by}; one press on its page goes on`,
    ),
    lens('Backfill…', 'backfill.backfillIntervals', `${task.task}: choose intervals and what runs behind them`),
    // What a scheduler runs cannot be taken back.
    ...(task.carriedBy === undefined
      ? [lens('Prove', 'backfill.proveTask', `${task.task}: run this interval twice, compare, and keep nothing`)]
      : [
          lens(
            'Open Log',
            'backfill.openTaskLog',
            `${task.task}: the log of this interval in the Airflow ${task.carriedBy}`,
          ),
        ]),
    ...(outcome === undefined
      ? []
      : [lens(outcome, 'backfill.showPlan', `${task.task}: what the last run made of this interval`)]),
  ];
}
