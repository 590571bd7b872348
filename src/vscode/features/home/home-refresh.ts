import * as vscode from 'vscode';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import type { HomeKnowledge } from './home-knowledge.ts';

/** Lines are drawn at most this often while a run goes on or somebody types. */
const drawnEveryMs = 1000;
/** Ledgers are asked when writing has come to rest: a branch switch writes thousands of files. */
const writtenForMs = 2000;

/** Keeps the side bar current: when a run has ended, files were saved or a connection is another one. */
export function homeRefresh(
  clients: WorkspaceClients,
  panels: AssistantPanels,
  knowledge: HomeKnowledge,
  views: readonly { readonly view: vscode.TreeView<unknown> }[],
  redraw: () => void,
): vscode.Disposable {
  const isShown = (): boolean => views.some(({ view }) => view.visible);
  const wasBusy = new Set<WorkspaceClient>();
  const drawing = later(drawnEveryMs, () => {
    if (isShown()) redraw();
  });
  const asking = later(writtenForMs, () => {
    if (knowledge.isWanted && isShown()) void knowledge.refresh();
  });
  const askingOfCode = later(writtenForMs, () => {
    if (knowledge.isWanted && isShown()) void knowledge.refreshOfCode();
  });
  return vscode.Disposable.from(
    drawing,
    asking,
    askingOfCode,
    panels.onDidChange(() => {
      if (!knowledge.isWanted) return;
      const busy = new Set(panels.sessions().flatMap(({ run, client }) => (run.busy ? [client] : [])));
      for (const client of wasBusy) if (!busy.has(client)) void knowledge.refresh(client);
      wasBusy.clear();
      for (const client of busy) wasBusy.add(client);
      if (busy.size > 0) drawing.soon();
    }),
    // Which tasks there are and, after a change of backfill.yaml, which connections; also of files that were written
    // elsewhere, by a branch switch or a formatter.
    clients.onDidChange(() => {
      if (!knowledge.isWanted) return;
      drawing.soon();
      askingOfCode.soon();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => asking.soon()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => drawing.soon()),
    // What others did meanwhile is asked about when somebody looks again.
    ...views.map(({ view }) =>
      view.onDidChangeVisibility(({ visible }) => {
        if (visible && knowledge.isWanted) asking.soon();
      }),
    ),
  );
}

/** Does something once, some time after it was first asked for. */
function later(delayMs: number, work: () => void): vscode.Disposable & { soon(): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined;
        work();
      }, delayMs);
    },
    dispose: () => clearTimeout(timer),
  };
}
