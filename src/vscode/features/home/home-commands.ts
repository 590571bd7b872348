import * as vscode from 'vscode';
import { plural } from '../../../core/text/plural.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { registerTrustedCommands } from '../../prompts/trusted-commands.ts';
import { isFree } from '../commands/plan-range.ts';
import { isRunReference } from '../commands/run-reference.ts';
import { showRun } from '../commands/show-run.ts';
import { type HomeItem, isHomeItem } from './home-item.ts';
import type { HomeKnowledge } from './home-knowledge.ts';

/** What the tree of pipelines shows. */
export interface PipelinesFilter {
  filter(): string;
  setFilter(text: string): void;
  setStaleOnly(only: boolean): void;
}

/** What lines of the side bar, and the buttons above them, do. */
export function registerHomeCommands(
  clients: WorkspaceClients,
  panels: AssistantPanels,
  knowledge: HomeKnowledge,
  pipelines: PipelinesFilter,
): vscode.Disposable {
  /** One plan of exactly these units, on the page of the first of their tasks. */
  const plan = async (items: readonly HomeItem[]): Promise<void> => {
    const units = [...new Set(items.flatMap(({ node }) => node.units))];
    const client = items[0]?.client;
    if (client === undefined || units.length === 0) throw new Error('Select slices that can be run from here.');
    if (items.some((item) => item.client !== client)) throw new Error('Select slices of one folder.');
    const connection = items[0]?.connection;
    if (items.some((item) => item.connection !== connection)) throw new Error('Select slices of one connection.');
    const picked = await client.call('pickedRange', { units });
    if (picked === undefined) throw new Error('The workspace does not have these intervals any more.');
    const { task, from, to, only, gone } = picked;
    const session = await panels.open(client, task);
    if (!(await isFree(session))) {
      throw new Error(`The page of ${task} shows a run that goes on or was interrupted: end it first.`);
    }
    if (connection !== undefined && session.state.connection.name !== connection) {
      await session.handle({ type: 'use-connection', name: connection });
    }
    await session.handle({ type: 'set-range', from, to, only });
    if (gone.length > 0) {
      const are = gone.length === 1 ? 'is' : 'are';
      void vscode.window.showWarningMessage(
        `${plural(gone.length, 'slice')} ${are} left out: the workspace does not have ${gone.length === 1 ? 'its interval' : 'their intervals'} any more.`,
      );
    }
  };
  /** The lines that are selected, where the command was given on one of them; what stands in a group counts once. */
  const selected = (item: unknown, all: unknown): readonly HomeItem[] => {
    const many = Array.isArray(all) ? all.filter(isHomeItem) : [];
    if (isHomeItem(item)) return many.includes(item) ? many : [item];
    return many;
  };
  /** Asks for the password of one connection, or of each that wants one. */
  const unlock = async (item: unknown): Promise<void> => {
    if (isHomeItem(item) && item.connection !== undefined) {
      return knowledge.refresh(item.client, { password: item.connection });
    }
    for (const client of clients.all()) await knowledge.refresh(client, { password: 'each' });
  };

  const trusted = {
    'backfill.openHomeItem': async (item: unknown) => {
      if (!isHomeItem(item)) return;
      if (item.node.traits.includes('locked')) await unlock(item);
      else if (isRunReference(item)) await showRun(item, clients, panels);
      else if (item.node.units.length > 0) await plan([item]);
      else if (item.task !== undefined) await panels.open(item.client, item.task);
    },
    'backfill.planSlices': (item: unknown, all: unknown) => plan(selected(item, all)),
    'backfill.unlockLedger': unlock,
  };
  return vscode.Disposable.from(
    registerTrustedCommands(trusted),
    vscode.commands.registerCommand('backfill.refreshHome', async () => {
      await Promise.all(clients.all().map((client) => knowledge.refresh(client)));
    }),
    vscode.commands.registerCommand('backfill.filterPipelines', async () => {
      const text = await vscode.window.showInputBox({
        title: 'Filter pipelines',
        prompt: 'A part of the name of a DAG or of a task',
        value: pipelines.filter(),
      });
      if (text !== undefined) pipelines.setFilter(text.trim());
    }),
    vscode.commands.registerCommand('backfill.clearFilter', () => pipelines.setFilter('')),
    vscode.commands.registerCommand('backfill.showStaleOnly', () => pipelines.setStaleOnly(true)),
    vscode.commands.registerCommand('backfill.showAllSlices', () => pipelines.setStaleOnly(false)),
  );
}
