import * as vscode from 'vscode';
import type { AssistantPanels } from '../panel/assistant-panels.ts';
import type { AssistantSession } from '../panel/assistant-session.ts';
import { untrustedWords } from '../untrusted-words.ts';
import type { WorkspaceClients } from '../workspace-clients.ts';
import { targetOf } from './target-of.ts';

/** The commands that plan and run: by lens, by palette, by context menu. */
export function registerBackfillCommands(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  const open = async (argument: unknown): Promise<AssistantSession | undefined> => {
    const target = await targetOf(argument, clients);
    return target && panels.open(target.client, target.task);
  };
  /** Makes the plan of the selected interval; a run that is going on or was interrupted is shown instead. */
  const planInterval = async (argument: unknown): Promise<AssistantSession | undefined> => {
    const session = await open(argument);
    await session?.revived;
    if (session === undefined || session.run.running || session.state.run?.status === 'interrupted') return session;
    const first = await session.client.call('firstRange', { task: session.task, now: Date.now() });
    if (first === undefined) return session;
    await session.handle({ type: 'back-to-choose' });
    await session.handle({ type: 'set-range', from: first.from, to: first.to });
    if (session.state.choose.valid) await session.handle({ type: 'make-plan' });
    return session;
  };
  const planned = async (argument: unknown): Promise<AssistantSession | undefined> => {
    const session = argument === undefined && panels.active !== undefined ? panels.active : await open(argument);
    await session?.revived;
    if (session !== undefined && session.state.step === 'choose') await session.handle({ type: 'make-plan' });
    return session;
  };

  const commands: Readonly<Record<string, (argument: unknown) => Promise<unknown>>> = {
    'backfill.rerunInterval': planInterval,
    'backfill.backfillIntervals': open,
    'backfill.showPlan': planned,
    'backfill.previewChanges': async (argument) => {
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
    'backfill.resumeRun': async () => {
      const unfinished = panels.sessions().filter(({ run }) => !run.running && run.kept?.finished === false);
      const session = await pickSession(unfinished, 'Which run should go on?');
      if (session === undefined) {
        void vscode.window.showInformationMessage(
          'No run of this window was interrupted. Older ones: backfill history.',
        );
        return undefined;
      }
      await panels.open(session.client, session.task);
      return session.handle({ type: 'resume' });
    },
    'backfill.copyCliCommand': async (argument) => {
      const session = argument === undefined && panels.active !== undefined ? panels.active : await open(argument);
      return session?.handle({ type: 'copy-command' });
    },
  };
  return vscode.Disposable.from(
    ...Object.entries(commands).map(([id, run]) =>
      vscode.commands.registerCommand(id, async (argument: unknown) => {
        try {
          if (!vscode.workspace.isTrusted && id !== 'backfill.copyCliCommand') return await sayUntrusted();
          await run(argument);
        } catch (error) {
          void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
        }
      }),
    ),
  );
}

/** A lens can be clicked whatever the palette offers. */
async function sayUntrusted(): Promise<void> {
  const manage = 'Manage Workspace Trust';
  const answer = await vscode.window.showInformationMessage(untrustedWords, manage);
  if (answer === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}

async function pickSession(
  sessions: readonly AssistantSession[],
  placeHolder: string,
): Promise<AssistantSession | undefined> {
  if (sessions.length <= 1) return sessions[0];
  const items = sessions.map((session) => ({ label: session.task, session }));
  return (await vscode.window.showQuickPick(items, { placeHolder }))?.session;
}
