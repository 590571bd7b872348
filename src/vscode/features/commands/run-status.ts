import * as vscode from 'vscode';
import type { RunMode } from '../../../core/view/page/page-request.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import type { AssistantSession } from '../../panel/session/assistant-session.ts';

/** Progress of running units in the status bar, whether or not a page is open; click cancels. */
export function registerRunStatus(panels: AssistantPanels): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('backfill.run', vscode.StatusBarAlignment.Left, 10);
  item.name = 'Backfill: Run';
  item.command = 'backfill.cancelRun';
  let shown = '';
  const refresh = (): void => {
    const running = panels.sessions().filter(({ run }) => run.running);
    void vscode.commands.executeCommand('setContext', 'backfill.running', running.length > 0);
    const text = running.map(progressText).join(' · ');
    if (text === shown) return;
    shown = text;
    item.text = text;
    item.tooltip = 'Backfill is running. Click to cancel.';
    if (text === '') item.hide();
    else item.show();
  };
  return vscode.Disposable.from(item, panels.onDidChange(refresh));
}

const verbs: Readonly<Record<RunMode, string>> = { run: 'backfill', preview: 'preview', prove: 'proof' };

function progressText({ task, state }: AssistantSession): string {
  const { run, plan } = state;
  const counts = run?.counts ?? {};
  const open = (counts.waiting ?? 0) + (counts.running ?? 0);
  const total = plan?.units.length ?? 0;
  const verb = run?.status === 'cancelling' ? 'cancelling' : verbs[run?.mode ?? 'run'];
  return `$(sync~spin) ${verb} ${task}: ${total - open} of ${total}`;
}
