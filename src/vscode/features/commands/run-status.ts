import * as vscode from 'vscode';
import type { RunMode } from '../../../core/view/page/page-request.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import type { AssistantSession } from '../../panel/session/assistant-session.ts';

/**
 * Progress of running slices in the status bar, whether or not a page is open; click stops. A server that is away or lost is
 * red there, and one that is lost is said by a notification too, with the one thing that helps.
 */
export function registerRunStatus(panels: AssistantPanels): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('backfill.run', vscode.StatusBarAlignment.Left, 10);
  item.name = 'Backfill: Run';
  const told = new WeakMap<AssistantSession, string>();
  let shown = '';
  const refresh = (): void => {
    const running = panels.sessions().filter(({ run }) => run.running);
    const lost = panels.sessions().filter(isLost);
    void vscode.commands.executeCommand('setContext', 'backfill.running', running.length > 0);
    for (const session of lost) tell(session, told, panels);
    const text = [...running.map(progressText), ...lost.map(lostText)].join(' · ');
    const isRed = lost.length > 0 || running.some(isAway);
    if (`${isRed} ${text}` === shown) return;
    shown = `${isRed} ${text}`;
    item.text = text;
    item.command = running.length > 0 ? 'backfill.cancelRun' : 'backfill.resumeRun';
    item.tooltip = running.length > 0 ? 'Backfill is running. Click to stop.' : 'Click to connect again and resume.';
    item.backgroundColor = isRed ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
    if (text === '') item.hide();
    else item.show();
  };
  return vscode.Disposable.from(item, panels.onDidChange(refresh));
}

const isLost = ({ run, state }: AssistantSession): boolean =>
  !run.busy && state.run?.mode === 'run' && state.run.lost !== undefined;

const isAway = ({ state }: AssistantSession): boolean => state.run?.away !== undefined;

const lostText = ({ task, view }: AssistantSession): string => {
  const { lead, rest } = view.status.sentence;
  return `$(error) ${task}: ${lead}${rest}`;
};

/** Once for each time that it is lost. */
function tell(session: AssistantSession, told: WeakMap<AssistantSession, string>, panels: AssistantPanels): void {
  const { run } = session.state;
  const which = `${run?.run} ${run?.startedAt}`;
  if (told.get(session) === which) return;
  told.set(session, which);
  const { sentence, news } = session.view.status;
  void vscode.window
    .showErrorMessage(`${session.task}: ${sentence.lead}${sentence.rest}. ${news.text}`, 'Resume', 'Show')
    .then(async (chosen) => {
      if (chosen === undefined) return;
      await panels.open(session.client, session.task);
      if (chosen === 'Resume') await session.handle({ type: 'resume' });
    });
}

const verbs: Readonly<Record<RunMode, string>> = { run: 'backfill', preview: 'preview', prove: 'proof' };

function progressText({ task, state }: AssistantSession): string {
  const { run, plan } = state;
  const counts = run?.counts ?? {};
  const open = (counts.waiting ?? 0) + (counts.running ?? 0);
  const total = plan?.units.length ?? 0;
  if (run?.away !== undefined) return `$(error) ${task}: the server is away since ${run.away.since}`;
  const verb = run?.status === 'cancelling' ? 'cancelling' : verbs[run?.mode ?? 'run'];
  return `$(sync~spin) ${verb} ${task}: ${total - open} of ${total}`;
}
