import * as vscode from 'vscode';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { walkthroughContext, walkthroughId, walkthroughSteps } from './walkthrough-contribution.ts';

/** Ticks the steps of the walkthrough when they are done, however they are done. It is opened by the command alone. */
export function registerWalkthrough(
  { extension }: vscode.ExtensionContext,
  panels: AssistantPanels,
): vscode.Disposable {
  const done = new Set<string>();
  const tick = (step: string): void => {
    if (done.has(step)) return;
    done.add(step);
    void vscode.commands.executeCommand('setContext', step, true);
  };
  tick(walkthroughContext);
  return vscode.Disposable.from(
    panels.onDidChange(() => {
      for (const { state } of panels.sessions()) {
        if (state.connection.name !== undefined) tick(walkthroughSteps.connected);
        if (state.run?.status !== 'finished') continue;
        if (state.run.mode === 'preview') tick(walkthroughSteps.previewed);
        if (state.run.mode === 'run') tick(walkthroughSteps.ran);
      }
    }),
    vscode.commands.registerCommand('backfill.getStarted', () =>
      vscode.commands.executeCommand('workbench.action.openWalkthrough', `${extension.id}#${walkthroughId}`, false),
    ),
  );
}
