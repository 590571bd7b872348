import * as vscode from 'vscode';
import { processOwner } from '../node/process-owner.ts';
import { connections } from './connections.ts';
import { registerBackfillCommands } from './features/backfill-commands.ts';
import { registerCheckAll } from './features/check-all.ts';
import { registerChooseAirflow } from './features/choose-airflow.ts';
import { registerCodeLenses } from './features/code-lenses.ts';
import { registerConfigDiagnostics } from './features/config-diagnostics.ts';
import { registerConnectionCommands } from './features/connect-warehouse.ts';
import { registerDeclareTask } from './features/declare-task.ts';
import { registerDiagnostics } from './features/diagnostics.ts';
import { registerHovers } from './features/hovers.ts';
import { registerInlayHints } from './features/inlay-hints.ts';
import { registerIntervalPicker } from './features/interval-picker.ts';
import { registerLedgerCommands } from './features/ledger-commands.ts';
import { registerMakeSafeActions } from './features/make-safe-actions.ts';
import { registerQuickFixes } from './features/quick-fixes.ts';
import { registerRulePages } from './features/rule-pages.ts';
import { registerRunStatus } from './features/run-status.ts';
import { assistantPanels } from './panel/assistant-panels.ts';
import { editorServices } from './panel/editor-services.ts';
import { sliceDocuments } from './panel/slice-documents.ts';
import { workspaceClients } from './workspace-clients.ts';

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
    vscode.commands.registerCommand('backfill.showLog', () => log.show()),
  );
}
