import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';

/** Units that runs of this window are at. */
export function runningUnits(panels: AssistantPanels, client: WorkspaceClient): ReadonlySet<string> {
  const found = new Set<string>();
  for (const session of panels.sessions()) {
    const { run, plan } = session.state;
    if (session.client !== client || run?.mode !== 'run' || !session.run.busy) continue;
    for (const [index, state] of run.states.entries()) {
      const unit = plan?.units[index];
      if (state === 'running' && unit !== undefined) found.add(unit.id);
    }
  }
  return found;
}
