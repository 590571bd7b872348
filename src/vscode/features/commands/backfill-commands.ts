import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import type { AssistantSession } from '../../panel/session/assistant-session.ts';
import { registerTrustedCommands } from '../../prompts/trusted-commands.ts';
import { isFree, planRange } from './plan-range.ts';
import { isRunReference } from './run-reference.ts';
import { showRun } from './show-run.ts';
import { targetOf } from './target-of.ts';

/** The commands that plan and run: by lens, by palette, by context menu. */
export function registerBackfillCommands(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  const open = async (argument: unknown): Promise<AssistantSession | undefined> => {
    const target = await targetOf(argument, clients);
    return target && panels.open(target.client, target.task);
  };
  /** Plans or proves the selected interval; a run that is going on or was interrupted is shown instead. */
  const doInterval = async (argument: unknown, then: 'plan' | 'prove'): Promise<void> => {
    const session = await open(argument);
    if (session === undefined || !(await isFree(session))) return;
    const first = await session.client.call('firstRange', { task: session.task, now: Date.now() });
    if (first !== undefined) await planRange(session, first, then);
  };
  /** The page that is looked at, unless a lens or an editor says which task is meant. */
  const lookedAt = (argument: unknown): AssistantSession | undefined =>
    argument === undefined && vscode.window.activeTextEditor === undefined ? panels.active : undefined;
  const shown = async (argument: unknown): Promise<AssistantSession | undefined> => {
    const session = lookedAt(argument);
    return session === undefined ? open(argument) : panels.open(session.client, session.task);
  };
  const planned = async (argument: unknown): Promise<AssistantSession | undefined> => {
    const session = await shown(argument);
    await session?.revived;
    return session;
  };

  const trusted = {
    'backfill.rerunInterval': (argument: unknown) => doInterval(argument, 'plan'),
    'backfill.backfillIntervals': open,
    'backfill.showPlan': planned,
    'backfill.proveTask': async (argument: unknown) => {
      if (lookedAt(argument) === undefined) return doInterval(argument, 'prove');
      return (await shown(argument))?.handle({ type: 'prove' });
    },
    'backfill.previewChanges': async (argument: unknown) => {
      const session = await planned(argument);
      if (session?.state.connection.name === undefined) return session;
      return session.handle({ type: 'start', mode: 'preview' });
    },
    'backfill.cancelRun': async () => {
      const session = await pickSession(
        panels.sessions().filter(({ run }) => run.running),
        'Which run should be cancelled?',
      );
      return session?.handle({ type: 'cancel' });
    },
    'backfill.resumeRun': async (argument: unknown) => {
      if (isRunReference(argument)) return (await showRun(argument, clients, panels)).handle({ type: 'resume' });
      // Runs of before are looked up in their ledger, and shown with what is left of them.
      const before = panels.unfinished();
      const items = [
        ...panels
          .sessions()
          .filter(({ run }) => !run.busy && run.kept?.finished === false)
          .map(({ task, client }) => ({
            label: task,
            description: 'this window',
            folder: client.folder.uri,
            resume: true,
          })),
        ...before.map(({ task, folder }) => ({ label: task, description: 'before', folder, resume: false })),
      ];
      if (items.length === 0) {
        void vscode.window.showInformationMessage('Every run of this workspace has come to its end.');
        return;
      }
      const chosen =
        items.length === 1
          ? items[0]
          : await vscode.window.showQuickPick(items, { placeHolder: 'Which run should go on?' });
      const client = chosen && clients.of(chosen.folder);
      if (chosen === undefined || client === undefined) return;
      const session = await panels.open(client, chosen.label);
      if (chosen.resume) await session.handle({ type: 'resume' });
    },
    'backfill.compareVersions': async () => {
      const session = panels.active;
      const selected = session?.state.selected;
      if (session === undefined || selected?.slices.every(({ samples }) => samples.length === 0) !== false)
        throw new Error('Select a slice with changed rows on the assistant page first.');
      await session.handle({ type: 'open-diff', index: selected.index });
    },
    'backfill.exportReport': async (argument: unknown) => {
      if (isRunReference(argument)) return (await showRun(argument, clients, panels)).handle({ type: 'export' });
      if (panels.active === undefined) throw new Error('Show a plan, a preview or a run on the assistant page first.');
      await panels.active.handle({ type: 'export' });
    },
  };
  return registerTrustedCommands(trusted, {
    'backfill.copyCliCommand': async (argument) => {
      const session = await shown(argument);
      return session?.handle({ type: 'copy-command' });
    },
  });
}

async function pickSession(
  sessions: readonly AssistantSession[],
  placeHolder: string,
): Promise<AssistantSession | undefined> {
  if (sessions.length <= 1) return sessions[0];
  const items = sessions.map((session) => ({ label: session.task, session }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.session;
}
