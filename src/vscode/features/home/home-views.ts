import * as vscode from 'vscode';
import { type AttentionNode, attentionTree, urgentCount } from '../../../core/view/home/attention-tree.ts';
import type { HomeNode, HomeTask } from '../../../core/view/home/home-node.ts';
import { dagNodes, type PipelinesInput, sliceNodes, taskNodes } from '../../../core/view/home/pipelines-tree.ts';
import { runNodes } from '../../../core/view/home/runs-list.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { registerHomeCommands } from './home-commands.ts';
import { type HomeItem, homeItem } from './home-item.ts';
import { homeKnowledge, type LedgerKnowledge } from './home-knowledge.ts';
import { homeRefresh } from './home-refresh.ts';
import { homeView } from './home-view.ts';
import { runningUnits } from './running-units.ts';

/** The side bar: pipelines, runs and what needs somebody. Nothing is read or asked before one of them is shown. */
export function registerHome(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  const knowledge = homeKnowledge(panels);
  let filter = '';
  let staleOnly = false;

  const tasksOf = (client: WorkspaceClient) => client.call('tasks', null);
  const connectionOf = (ledger: LedgerKnowledge): string | undefined =>
    'connection' in ledger ? ledger.connection : undefined;
  const input = (tasks: readonly HomeTask[], ledger: LedgerKnowledge): PipelinesInput => ({
    tasks,
    slices: ledger.kind === 'known' ? ledger.byTask : undefined,
    filter,
    staleOnly,
  });
  const items = (nodes: readonly HomeNode[], client: WorkspaceClient, ledger: LedgerKnowledge): readonly HomeItem[] =>
    nodes.map((node) => homeItem(node, client, connectionOf(ledger)));

  const pipelines = homeView('backfill.pipelines', clients, {
    search: () => `${filter} ${staleOnly}`,
    async roots(client) {
      const [tasks, ledger] = await Promise.all([tasksOf(client), knowledge.of(client)]);
      setContext('backfill.home.pipelines', tasks.length > 0 ? 'some' : 'none');
      return items(dagNodes(input(tasks, ledger)), client, ledger);
    },
    async children({ node, client }) {
      const [tasks, ledger] = await Promise.all([tasksOf(client), knowledge.of(client)]);
      if (node.traits.includes('dag')) return items(taskNodes(node.label, input(tasks, ledger)), client, ledger);
      const { task } = node;
      const grid = task === undefined ? undefined : await client.call('calendar', { task, now: Date.now() });
      if (grid === undefined) return [];
      const known = tasks.find((one) => one.task === task);
      const nodes = sliceNodes({
        ...input(tasks, ledger),
        grid,
        noGrid: known?.noGrid,
        isRunnable: known?.detail === '',
        running: runningUnits(panels, client),
        now: Date.now(),
      });
      return items(nodes, client, ledger);
    },
    drawn: () => {
      pipelines.view.message = [
        ...(filter === '' ? [] : [`Filter: ${filter}`]),
        ...(staleOnly ? ['Only what is stale, held or failed'] : []),
      ].join(' · ');
    },
  });

  const runs = homeView('backfill.runs', clients, {
    async roots(client) {
      const ledger = await knowledge.of(client);
      sayLedger(ledger);
      return ledger.kind === 'known' ? items(runNodes(ledger.runs, Date.now()), client, ledger) : [];
    },
    children: async () => [],
  });

  const attention = homeView(
    'backfill.attention',
    clients,
    {
      async roots(client) {
        const [tasks, ledger] = await Promise.all([tasksOf(client), knowledge.of(client)]);
        sayLedger(ledger);
        if (ledger.kind !== 'known') return [];
        const groups = attentionTree({ ...ledger, tasks, now: Date.now() });
        const count = urgentCount(groups);
        attention.view.badge = count === 0 ? undefined : { value: count, tooltip: `${count} held, failed or cut off` };
        return groups.map((group) => withChildren(group, client, ledger));
      },
      children: async (item) => item.children,
    },
    { canSelectMany: true },
  );
  const withChildren = (node: AttentionNode, client: WorkspaceClient, ledger: LedgerKnowledge): HomeItem =>
    homeItem(
      node,
      client,
      connectionOf(ledger),
      node.children.map((child) => withChildren(child, client, ledger)),
    );

  const views = [pipelines, runs, attention];
  const redraw = (): void => {
    for (const { redraw: draw } of views) draw();
  };
  /** Said by the views themselves where they are empty, and above the pipelines, which are there all the same. */
  const sayLedger = (ledger: LedgerKnowledge): void => {
    const password = ledger.kind === 'silent' && ledger.wantsPassword;
    setContext('backfill.home.ledger', password ? 'password' : ledger.kind);
    const message = ledger.kind === 'silent' ? ledger.message : undefined;
    const description = 'connection' in ledger ? ledger.connection : undefined;
    for (const { view } of [runs, attention]) {
      view.message = message ?? '';
      view.description = description ?? '';
    }
  };

  return vscode.Disposable.from(
    knowledge,
    ...views,
    knowledge.onDidChange(redraw),
    homeRefresh(clients, panels, knowledge, views, redraw),
    registerHomeCommands(clients, panels, knowledge, {
      filter: () => filter,
      setFilter(text) {
        filter = text;
        setContext('backfill.home.filtered', text !== '');
        pipelines.redraw();
      },
      setStaleOnly(only) {
        staleOnly = only;
        setContext('backfill.home.staleOnly', only);
        pipelines.redraw();
      },
    }),
  );
}

const setContext = (key: string, value: unknown): void => void vscode.commands.executeCommand('setContext', key, value);
