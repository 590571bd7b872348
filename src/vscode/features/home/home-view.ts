import * as vscode from 'vscode';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { type HomeItem, homeItem, treeItem } from './home-item.ts';

/** What one tree of the side bar is made of. */
export interface HomeTree {
  /** The lines of a folder. */
  roots(client: WorkspaceClient): Promise<readonly HomeItem[]>;
  children(item: HomeItem): Promise<readonly HomeItem[]>;
  /** Called with all lines when they are drawn anew. */
  drawn?(roots: readonly HomeItem[]): void;
  /** Changes where lines are to be opened anew, as for a search. */
  search?(): string;
}

/** A tree view that asks for its lines when it is looked at; folders are told apart where there are several. */
export function homeView(
  id: string,
  clients: WorkspaceClients,
  tree: HomeTree,
  options: { readonly canSelectMany?: boolean } = {},
): { readonly view: vscode.TreeView<HomeItem>; redraw(): void; dispose(): void } {
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.TreeDataProvider<HomeItem> = {
    onDidChangeTreeData: changed.event,
    getTreeItem: (item) => treeItem(item, tree.search?.() ?? ''),
    async getChildren(item) {
      if (item !== undefined) return item.node.id === folderId ? [...item.children] : [...(await tree.children(item))];
      const all = clients.all();
      const roots = await Promise.all(all.map((client) => tree.roots(client)));
      const found = roots.flat();
      tree.drawn?.(found);
      if (all.length < 2) return found;
      return all.flatMap((client, index) => {
        const own = roots[index] ?? [];
        return own.length === 0 ? [] : [folderItem(client, own)];
      });
    },
  };
  const view = vscode.window.createTreeView(id, {
    treeDataProvider: provider,
    showCollapseAll: true,
    canSelectMany: options.canSelectMany ?? false,
  });
  return {
    view,
    redraw: () => changed.fire(),
    dispose() {
      view.dispose();
      changed.dispose();
    },
  };
}

const folderId = 'folder';

const folderItem = (client: WorkspaceClient, children: readonly HomeItem[]): HomeItem =>
  homeItem(
    {
      id: folderId,
      label: client.folder.name,
      description: '',
      tooltip: client.folder.name,
      icon: { name: 'root-folder' },
      traits: ['group'],
      opens: 'at-once',
      spoken: `folder ${client.folder.name}`,
      units: [],
    },
    client,
    undefined,
    children,
  );
