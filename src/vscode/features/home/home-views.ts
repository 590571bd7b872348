import * as vscode from 'vscode';
import { type AttentionNode, attentionTree, urgentCount } from '../../../core/view/home/attention-tree.ts';
import { ledgerHeading } from '../../../core/view/home/connection-node.ts';
import type { HomeNode, HomeTask } from '../../../core/view/home/home-node.ts';
import { dagNodes, type PipelinesInput, sliceNodes, taskNodes } from '../../../core/view/home/pipelines-tree.ts';
import { runNodes } from '../../../core/view/home/runs-list.ts';
import { counted } from '../../../core/view/words/counted.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { registerHomeCommands } from './home-commands.ts';
import { type HomeItem, homeItem } from './home-item.ts';
import { homeKnowledge, type LedgerKnowledge } from './home-knowledge.ts';
import { homeRefresh } from './home-refresh.ts';
import { homeView } from './home-view.ts';
import { ledgerItems } from './ledger-items.ts';
import { runningUnits } from './running-units.ts';

/** The side bar: pipelines, runs and what needs somebody. Nothing is read or asked before one of them is shown. */
export function registerHome(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  const knowledge = homeKnowledge(panels);
  let filter = '';
  let staleOnly = false;

  const tasksOf = (client: WorkspaceClient) => client.call('tasks', null);
  const input = (tasks: readonly HomeTask[], ledger: LedgerKnowledge): PipelinesInput => ({
    tasks,
    slices: ledger.kind === 'asked' ? ledger.byTask : undefined,
    filter,
    staleOnly,
  });
  /** Lines of the pipelines, where the first ledger speaks unless a line says otherwise. */
  const items = (nodes: readonly HomeNode[], client: WorkspaceClient, ledger: LedgerKnowledge): readonly HomeItem[] => {
    const first = ledger.kind === 'asked' ? ledger.ledgers[0]?.connection : undefined;
    return nodes.map((node) => homeItem(node, client, node.connection ?? first));
  };

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
      const [tasks, ledger] = await Promise.all([tasksOf(client), knowledge.of(client)]);
      sayLedgers(ledger);
      const byId = byTask(tasks);
      return ledgerItems(ledger, client, ({ connection, runs: found }) => ({
        said: found.length === 0 ? 'no run yet' : counted(found.length, 'run'),
        items: runNodes(found, Date.now(), byId).map((node) => homeItem(node, client, connection)),
      }));
    },
    children: async (item) => item.children,
  });

  const attention = homeView(
    'backfill.attention',
    clients,
    {
      async roots(client) {
        const [tasks, ledger] = await Promise.all([tasksOf(client), knowledge.of(client)]);
        sayLedgers(ledger);
        let count = 0;
        const found = ledgerItems(ledger, client, ({ connection, states, runs: listed }) => {
          const groups = attentionTree({ states, runs: listed, tasks, now: Date.now() });
          count += urgentCount(groups);
          return {
            said:
              groups.length === 0
                ? 'nothing'
                : groups.map(({ label, description }) => `${description} ${label.toLowerCase()}`).join(' · '),
            items: groups.map((group) => withChildren(group, client, connection)),
          };
        });
        attention.view.badge = count === 0 ? undefined : { value: count, tooltip: `${count} held, failed or cut off` };
        return found;
      },
      children: async (item) => item.children,
    },
    { canSelectMany: true },
  );
  const withChildren = (node: AttentionNode, client: WorkspaceClient, connection: string): HomeItem =>
    homeItem(
      node,
      client,
      connection,
      node.children.map((child) => withChildren(child, client, connection)),
    );

  const views = [pipelines, runs, attention];
  const redraw = (): void => {
    for (const { redraw: draw } of views) draw();
  };
  /** Said by the views themselves where they are empty. */
  const sayLedgers = (ledger: LedgerKnowledge): void => {
    const [only, ...others] = ledger.kind === 'asked' ? ledger.ledgers : [];
    // Several have a line each, which says how they stand.
    const one = others.length === 0 ? only : undefined;
    const kind = one === undefined ? (ledger.kind === 'asked' ? 'several' : ledger.kind) : one.kind;
    setContext('backfill.home.ledger', one?.kind === 'silent' && one.wantsPassword ? 'password' : kind);
    const { message, description } = ledgerHeading(one);
    for (const { view } of [runs, attention]) {
      view.message = message;
      view.description = description;
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

const byTask = (tasks: readonly HomeTask[]): ReadonlyMap<string, HomeTask> =>
  new Map(tasks.map((task) => [task.task, task]));

const setContext = (key: string, value: unknown): void => void vscode.commands.executeCommand('setContext', key, value);
