import * as vscode from 'vscode';
import { formatInterval, formatWall } from '../../../core/time/intervals/format-interval.ts';
import { instant } from '../../../core/time/zones/instant.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { StaleEntry, WorldAnswer } from '../../host/run-api.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { askRunThread, type ThreadQuestion } from '../../panel/run/ask-run-thread.ts';
import { isRefused, planUndo } from '../../panel/run/plan-undo.ts';
import { pickClient } from '../../prompts/pick-client.ts';
import { registerTrustedCommands } from '../../prompts/trusted-commands.ts';
import { isFree, planRange } from './plan-range.ts';
import { isRunReference } from './run-reference.ts';

/** Runs of the past that are offered to be undone. */
const offeredRuns = 50;

/** A connection of a workspace folder whose ledger is asked. */
interface Ledger {
  readonly client: WorkspaceClient;
  readonly connection: string;
}

/** A run that is to be undone. */
interface RunOfLedger extends Ledger {
  readonly run: string;
}

/** The commands that ask the ledger of a database: undo a run, list stale slices. */
export function registerLedgerCommands(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  /** Asks in the run thread, with progress; cancel ends the thread. `undefined`: cancelled. */
  const ask = async <Answer extends object>(
    title: string,
    { client, connection }: Ledger,
    question: ThreadQuestion<Answer | WorldAnswer>,
  ): Promise<Answer | undefined> =>
    vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      async (_, token) => {
        const cancel = new AbortController();
        token.onCancellationRequested(() => cancel.abort());
        try {
          return await askRunThread(panels.services(client), connection, question, { signal: cancel.signal });
        } catch (error) {
          if (cancel.signal.aborted) return undefined;
          throw error;
        }
      },
    );

  /** Asks which run; `undefined`: none. */
  const pickRun = async (): Promise<RunOfLedger | undefined> => {
    const ledger = await pickLedger(clients, panels);
    if (ledger === undefined) return undefined;
    const { client, connection } = ledger;
    const found = await ask('Looking up the runs', ledger, (api, config) =>
      api.call('history', { connection: config, limit: offeredRuns }),
    );
    if (found === undefined) return undefined;
    const items = found.runs
      .filter(({ counts }) => (counts.changed ?? 0) > 0)
      .map(({ run, title, counts, createdAt, createdBy }) => ({
        label: title,
        description: `${counts.changed} changed`,
        detail: `${minuteInUtc(createdAt)} by ${createdBy} · ${run}`,
        run,
      }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(`No run has changed anything on ${connection} yet.`);
      return undefined;
    }
    const placeHolder = 'Which run should be undone? Its slices and what would become of them are shown first.';
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder,
      matchOnDescription: true,
      matchOnDetail: true,
    });
    return picked && { client, connection, run: picked.run };
  };

  const undoRun = async (argument: unknown): Promise<void> => {
    const client = isRunReference(argument) ? clients.of(vscode.Uri.parse(argument.uri)) : undefined;
    const picked = isRunReference(argument) && client !== undefined ? { ...argument, client } : await pickRun();
    if (picked === undefined) return;
    const planned = await planUndo({ id: picked.run, connection: picked.connection }, panels.services(picked.client));
    if (isRefused(planned)) {
      void vscode.window.showWarningMessage(`${planned.message} What you can do: ${planned.remedy}.`);
      return;
    }
    const session = await panels.open(picked.client, planned.task);
    if (await isFree(session)) await session.showUndo(planned);
    else sayTaken(planned.task);
  };

  const showStale = async (): Promise<void> => {
    const ledger = await pickLedger(clients, panels);
    if (ledger === undefined) return;
    const { client, connection } = ledger;
    const codeHashes = await client.call('codeHashes', null);
    const found = await ask('Looking for stale slices', ledger, (api, config) =>
      api.call('stale', { connection: config, codeHashes }),
    );
    if (found === undefined) return;
    const { known, stale } = found;
    if (stale.length === 0) {
      const none =
        known === 0 ? 'no slice was made by a run yet' : `none of the ${known} slices of its ledger is stale`;
      void vscode.window.showInformationMessage(`On ${connection} ${none}.`);
      return;
    }
    const zones = new Map((await client.call('tasks', null)).map(({ task, zone }) => [task, zone]));
    const picked = await vscode.window.showQuickPick(
      stale.map((entry) => staleItem(entry, zones.get(entry.task))),
      {
        title: `Stale slices on ${connection}`,
        placeHolder: `${stale.length} of ${known} slices are not what a run would now make. Pick one to plan its rerun.`,
        matchOnDescription: true,
        matchOnDetail: true,
      },
    );
    if (picked === undefined) return;
    const { task, unit } = picked.entry;
    const range = await client.call('rangeAt', { task, at: Date.parse(unit.slice(task.length + 1)) });
    if (range === undefined) throw new Error(`There is no task ${task} with such an interval any more.`);
    const session = await panels.open(client, task);
    if (await isFree(session)) await planRange(session, range, 'plan');
    else sayTaken(task);
  };

  return registerTrustedCommands({
    'backfill.undoRun': undoRun,
    'backfill.showStale': showStale,
  });
}

const sayTaken = (task: string): void => {
  const taken = `The page of ${task} shows a run that goes on or was interrupted`;
  void vscode.window.showWarningMessage(`${taken}: wait for its end, cancel or resume it, then try again.`);
};

const minuteInUtc = (at: number): string => `${formatWall(instant(at), 'UTC').slice(0, 16)} UTC`;

function staleItem(entry: StaleEntry, zone = 'UTC'): vscode.QuickPickItem & { readonly entry: StaleEntry } {
  const { table, lower, upper, unit, madeAt, reasons } = entry;
  const isBounded = Number.isFinite(lower) && Number.isFinite(upper);
  const slice = isBounded ? formatInterval({ start: instant(lower), end: instant(upper) }, zone) : 'whole table';
  return {
    label: `${table} · ${slice}`,
    description: reasons.join('; '),
    detail: `${unit} · made ${minuteInUtc(madeAt)}`,
    entry,
  };
}

/** The folder of the page or editor that is looked at, and its connection; asked for where there are several. */
async function pickLedger(clients: WorkspaceClients, panels: AssistantPanels): Promise<Ledger | undefined> {
  const client = await pickClient(clients, 'Open a folder with pipelines first.', panels.active?.client);
  if (client === undefined) return undefined;
  const { names, default: preferred } = await client.call('connections', null);
  if (names.length <= 1) {
    const [connection] = names;
    if (connection !== undefined) return { client, connection };
    void vscode.window.showInformationMessage('No run was made here yet: there is no connection in backfill.yaml.');
    return undefined;
  }
  const sorted = [...names].sort((a, b) => Number(b === preferred) - Number(a === preferred));
  const connection = await vscode.window.showQuickPick(sorted, { placeHolder: 'On which connection?' });
  return connection === undefined ? undefined : { client, connection };
}
