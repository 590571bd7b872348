import * as vscode from 'vscode';
import type { Log } from './log.ts';
import type { ViewCache } from './view-cache.ts';
import { openWorkspaceClient, type WorkspaceClient } from './workspace-client.ts';

/** The clients of all workspace folders; each is opened when a pipeline file of its folder is first looked at. */
export interface WorkspaceClients extends vscode.Disposable {
  /** The client of a document's folder; `undefined` outside every folder and for files that are not on disk. */
  of(uri: vscode.Uri): WorkspaceClient | undefined;
  /** Opens a client for every folder. */
  all(): readonly WorkspaceClient[];
  readonly onDidChange: vscode.Event<WorkspaceClient>;
}

export function workspaceClients(threadFile: string, cache: ViewCache, log: Log): WorkspaceClients {
  const open = new Map<string, WorkspaceClient>();
  const changed = new vscode.EventEmitter<WorkspaceClient>();
  const clientOf = (folder: vscode.WorkspaceFolder): WorkspaceClient => {
    const key = folder.uri.toString();
    const known = open.get(key);
    if (known !== undefined) return known;
    const client = openWorkspaceClient(folder, threadFile, cache, log);
    client.onDidChange(() => changed.fire(client));
    open.set(key, client);
    return client;
  };
  const subscription = vscode.workspace.onDidChangeWorkspaceFolders(({ removed }) => {
    for (const folder of removed) {
      open.get(folder.uri.toString())?.dispose();
      open.delete(folder.uri.toString());
    }
  });
  return {
    of(uri) {
      const folder = uri.scheme === 'file' ? vscode.workspace.getWorkspaceFolder(uri) : undefined;
      return folder === undefined ? undefined : clientOf(folder);
    },
    all: () => (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === 'file').map(clientOf),
    onDidChange: changed.event,
    dispose() {
      subscription.dispose();
      for (const client of open.values()) client.dispose();
      changed.dispose();
    },
  };
}
