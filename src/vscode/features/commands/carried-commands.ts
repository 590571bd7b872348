import type * as vscode from 'vscode';
import type { Schedulers } from '../../clients/schedulers.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import type { TextDocuments } from '../../panel/page/text-documents.ts';
import { openTaskLog } from '../../panel/run/open-task-log.ts';
import { registerTrustedCommands } from '../../prompts/trusted-commands.ts';
import { targetOf } from './target-of.ts';

/** What is asked of a task that a scheduler carries out: its log, and what it was seen to write. */
export function registerCarriedCommands(
  clients: WorkspaceClients,
  panels: AssistantPanels,
  schedulers: Schedulers,
  documents: TextDocuments,
): vscode.Disposable {
  return registerTrustedCommands({
    'backfill.openTaskLog': async (argument: unknown) => {
      const target = await targetOf(argument, clients);
      if (target === undefined) return;
      const { client, task } = target;
      const now = Date.now();
      const carried = await client.call('carriedAt', { task, now });
      if (carried === undefined)
        throw new Error(`${task} has no interval in a scheduler of backfill.yaml; name one with “Connect Airflow…”.`);
      const range = await client.call('firstRange', { task, now });
      await openTaskLog({ client, schedulers, openText: documents.open }, task, range?.from ?? '', carried);
    },
    'backfill.observeTask': async (argument: unknown) => {
      const target = await targetOf(argument, clients);
      const session = target && (await panels.open(target.client, target.task));
      await session?.revived;
      await session?.handle({ type: 'observe' });
    },
  });
}
