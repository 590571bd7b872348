import * as vscode from 'vscode';
import { processOwner } from '../node/process-owner.ts';
import { connections } from './clients/connections.ts';
import { schedulers } from './clients/schedulers.ts';
import type { ViewCache } from './clients/view-cache.ts';
import type { WorkspaceClients } from './clients/workspace-clients.ts';
import { registerBackfillCommands } from './features/commands/backfill-commands.ts';
import { registerCarriedCommands } from './features/commands/carried-commands.ts';
import { registerCheckAll } from './features/commands/check-all.ts';
import { registerChooseAirflow } from './features/commands/choose-airflow.ts';
import { registerDeclareTask } from './features/commands/declare-task.ts';
import { registerIntervalPicker } from './features/commands/interval-picker.ts';
import { registerLedgerCommands } from './features/commands/ledger-commands.ts';
import { offerUnfinished } from './features/commands/offer-unfinished.ts';
import { registerRunStatus } from './features/commands/run-status.ts';
import { registerWalkthrough } from './features/commands/walkthrough.ts';
import { registerHome } from './features/home/home-views.ts';
import { registerProveTests } from './features/tests/prove-tests.ts';
import { registerLanguageModelTools } from './features/tools/language-model-tools.ts';
import { assistantPanels } from './panel/page/assistant-panels.ts';
import { editorServices } from './panel/page/editor-services.ts';
import { sliceDocuments } from './panel/page/slice-documents.ts';
import { textDocuments } from './panel/page/text-documents.ts';
import { registerAirflowCommands } from './prompts/connect-airflow.ts';
import { registerConnectionCommands } from './prompts/connect-warehouse.ts';

/** Everything that somebody asks for: the page, the side bar, commands, tests and tools. */
export function registerAssistant(
  context: vscode.ExtensionContext,
  clients: WorkspaceClients,
  cache: ViewCache,
  thread: (name: string) => string,
  log: vscode.LogOutputChannel,
): vscode.Disposable {
  const passwords = connections(context.secrets);
  const logins = schedulers(context.secrets);
  const diffs = sliceDocuments();
  const texts = textDocuments();
  const panels = assistantPanels(
    context,
    clients,
    (client, remember) =>
      editorServices({
        client,
        connections: passwords,
        schedulers: logins,
        texts,
        log,
        diffs,
        runThread: thread('run-thread'),
        createdBy: processOwner('VS Code'),
        remember,
      }),
    log,
  );
  return vscode.Disposable.from(
    diffs,
    panels,
    registerDeclareTask(clients),
    registerIntervalPicker(clients),
    registerCheckAll(clients),
    registerConnectionCommands(clients, passwords, logins),
    registerAirflowCommands(clients, logins, log),
    registerCarriedCommands(clients, panels, logins, texts),
    texts,
    registerChooseAirflow(clients),
    registerBackfillCommands(clients, panels),
    registerLedgerCommands(clients, panels),
    registerRunStatus(panels),
    registerWalkthrough(context, panels),
    registerHome(clients, panels),
    registerProveTests(clients, panels),
    registerLanguageModelTools(clients, panels),
    offerUnfinished(clients, panels),
    vscode.commands.registerCommand('backfill.showLog', () => log.show()),
    vscode.commands.registerCommand('backfill.clearCache', async () => {
      await cache.clear();
      const said = 'Nothing is kept of the files of this window any more. They were read anew in any case.';
      void vscode.window.showInformationMessage(said);
    }),
  );
}
