import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';

/** Offers once, at the start of a window, the runs that the one before was closed in the middle of. */
export function offerUnfinished(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  let disposed = false;
  // What is left of a run is looked up in its database, which nobody asks in a workspace that is not trusted.
  const offered = vscode.workspace.isTrusted ? panels.unfinished().filter(({ live }) => live) : [];
  for (const run of offered) {
    void vscode.window
      .showInformationMessage(
        `A run of ${run.task} had not ended when its window was closed. What was written is whole, and the rest can go on.`,
        'Show',
        'Dismiss',
      )
      .then(async (chosen) => {
        const client = disposed ? undefined : clients.of(run.folder);
        if (chosen === 'Show' && client !== undefined) await panels.open(client, run.task);
        if (chosen === 'Dismiss') panels.dismiss(run);
      });
  }
  return { dispose: () => (disposed = true) };
}
