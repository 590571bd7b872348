import * as vscode from 'vscode';
import { viewCache } from './clients/view-cache.ts';
import { workspaceClients } from './clients/workspace-clients.ts';
import { registerCodeLenses } from './features/document/code-lenses.ts';
import { registerConfigDiagnostics } from './features/document/config-diagnostics.ts';
import { registerDiagnostics } from './features/document/diagnostics.ts';
import { registerFileLinks } from './features/document/file-links.ts';
import { registerHovers } from './features/document/hovers.ts';
import { registerInlayHints } from './features/document/inlay-hints.ts';
import { registerMakeSafeActions } from './features/document/make-safe-actions.ts';
import { registerQuickFixes } from './features/document/quick-fixes.ts';
import { registerRulePages } from './features/document/rule-pages.ts';

/**
 * Wires the surfaces together. Reading starts when a pipeline file is looked at, databases open when a run needs them. What
 * is beside the code comes first; the rest is loaded when other extensions have had their turn, and activation ends with it.
 */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Backfill Assistant', { log: true });
  const thread = (name: string): string => context.asAbsolutePath(`dist/${name}.js`);
  const folder = context.storageUri === undefined ? undefined : vscode.Uri.joinPath(context.storageUri, 'views').fsPath;
  const cache = viewCache(folder, String(context.extension.packageJSON.version));
  const clients = workspaceClients(thread('workspace-thread'), cache, log);
  context.subscriptions.push(
    log,
    clients,
    registerCodeLenses(clients),
    registerInlayHints(clients),
    registerHovers(clients),
    registerFileLinks(clients),
    registerDiagnostics(clients),
    registerConfigDiagnostics(clients),
    registerQuickFixes(clients),
    registerMakeSafeActions(clients),
    registerRulePages(context.extensionUri),
  );
  await new Promise((resolve) => setImmediate(resolve));
  const { registerAssistant } = await import('./assistant.ts');
  context.subscriptions.push(registerAssistant(context, clients, cache, thread, log));
}
