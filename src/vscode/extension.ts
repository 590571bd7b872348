import * as vscode from 'vscode';
import { processOwner } from '../node/process-owner.ts';
import { connections } from './clients/connections.ts';
import { workspaceClients } from './clients/workspace-clients.ts';
import { registerBackfillCommands } from './features/commands/backfill-commands.ts';
import { registerCheckAll } from './features/commands/check-all.ts';
import { registerChooseAirflow } from './features/commands/choose-airflow.ts';
import { registerDeclareTask } from './features/commands/declare-task.ts';
import { registerIntervalPicker } from './features/commands/interval-picker.ts';
import { registerLedgerCommands } from './features/commands/ledger-commands.ts';
import { offerUnfinished } from './features/commands/offer-unfinished.ts';
import { registerRunStatus } from './features/commands/run-status.ts';
import { registerWalkthrough } from './features/commands/walkthrough.ts';
import { registerCodeLenses } from './features/document/code-lenses.ts';
import { registerConfigDiagnostics } from './features/document/config-diagnostics.ts';
import { registerDiagnostics } from './features/document/diagnostics.ts';
import { registerFileLinks } from './features/document/file-links.ts';
import { registerHovers } from './features/document/hovers.ts';
import { registerInlayHints } from './features/document/inlay-hints.ts';
import { registerMakeSafeActions } from './features/document/make-safe-actions.ts';
import { registerQuickFixes } from './features/document/quick-fixes.ts';
import { registerRulePages } from './features/document/rule-pages.ts';
import { registerHome } from './features/home/home-views.ts';
import { registerProveTests } from './features/tests/prove-tests.ts';
import { registerLanguageModelTools } from './features/tools/language-model-tools.ts';
import { assistantPanels } from './panel/page/assistant-panels.ts';
import { editorServices } from './panel/page/editor-services.ts';
import { sliceDocuments } from './panel/page/slice-documents.ts';
import { registerConnectionCommands } from './prompts/connect-warehouse.ts';

/** Wires the surfaces together. Reading starts when a pipeline file is looked at, databases open when a run needs them. */
export function activate(context: vscode.ExtensionContext): void {
  const log = vscode.window.createOutputChannel('Backfill Assistant', { log: true });
  const thread = (name: string): string => context.asAbsolutePath(`dist/${name}.js`);
  const clients = workspaceClients(thread('workspace-thread'), log);
  const passwords = connections(context.secrets);
  const diffs = sliceDocuments();
  const panels = assistantPanels(
    context,
    clients,
    (client, remember) =>
      editorServices({
        client,
        connections: passwords,
        log,
        diffs,
        runThread: thread('run-thread'),
        createdBy: processOwner('VS Code'),
        remember,
      }),
    log,
  );
  context.subscriptions.push(
    log,
    clients,
    diffs,
    panels,
    registerCodeLenses(clients),
    registerInlayHints(clients),
    registerHovers(clients),
    registerFileLinks(clients),
    registerDiagnostics(clients),
    registerConfigDiagnostics(clients),
    registerDeclareTask(clients),
    registerQuickFixes(clients),
    registerMakeSafeActions(clients),
    registerRulePages(context.extensionUri),
    registerIntervalPicker(clients),
    registerCheckAll(clients),
    registerConnectionCommands(clients, passwords),
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
  );
}
