import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import type { AssistantSession } from '../../panel/session/assistant-session.ts';
import type { RunReference } from './run-reference.ts';

/** Shows a run on the page of its first task, as its ledger has it; one of this window as it is. */
export async function showRun(
  { uri, task, run, connection }: RunReference,
  clients: WorkspaceClients,
  panels: AssistantPanels,
): Promise<AssistantSession> {
  const client = clients.of(vscode.Uri.parse(uri));
  if (client === undefined) throw new Error('The folder of this run is not open any more.');
  const own = panels.sessions().find((session) => session.client === client && session.run.kept?.id === run);
  const session = await panels.open(client, own?.task ?? task);
  await session.revived;
  if (session.run.kept?.id === run && session.state.run?.mode === 'run') return session;
  await session.showRun({ id: run, connection, finished: true });
  return session;
}
