import * as vscode from 'vscode';
import type { HomeNode } from '../../../core/view/home/home-node.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';

/** A line of the side bar and the folder that it is of. `uri` and `task` are what a lens hands to a command. */
export interface HomeItem {
  readonly node: HomeNode;
  readonly client: WorkspaceClient;
  /** The connection whose ledger knows it. */
  readonly connection: string | undefined;
  readonly children: readonly HomeItem[];
  readonly uri: string;
  readonly task?: string;
  readonly run?: string;
}

export function homeItem(
  node: HomeNode,
  client: WorkspaceClient,
  connection: string | undefined,
  children: readonly HomeItem[] = [],
): HomeItem {
  const item = { node, client, connection, children, uri: client.folder.uri.toString() };
  return {
    ...item,
    ...(node.task !== undefined && { task: node.task }),
    ...(node.run !== undefined && { run: node.run }),
  };
}

export const isHomeItem = (argument: unknown): argument is HomeItem =>
  typeof argument === 'object' && argument !== null && 'node' in argument && 'client' in argument;

const states = {
  never: vscode.TreeItemCollapsibleState.None,
  'on-demand': vscode.TreeItemCollapsibleState.Collapsed,
  'at-once': vscode.TreeItemCollapsibleState.Expanded,
} as const;

/** As the tree draws it. */
export function treeItem(item: HomeItem, search: string): vscode.TreeItem {
  const { node } = item;
  // A line that is opened for a search is another line, else it would stay as a person left it.
  const drawn = new vscode.TreeItem(node.label, states[node.opens]);
  drawn.id = `${item.uri} ${search} ${node.id}`;
  drawn.description = node.description;
  drawn.tooltip = new vscode.MarkdownString(node.tooltip);
  const { name, color } = node.icon;
  drawn.iconPath = new vscode.ThemeIcon(name, color === undefined ? undefined : new vscode.ThemeColor(color));
  drawn.contextValue = node.traits.join(' ');
  drawn.accessibilityInformation = { label: node.spoken };
  if (node.opens === 'never' && (!node.traits.includes('note') || node.traits.includes('locked'))) {
    drawn.command = { command: 'backfill.openHomeItem', title: 'Open', arguments: [item] };
  }
  return drawn;
}
