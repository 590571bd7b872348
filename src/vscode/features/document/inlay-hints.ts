import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { pipelineDocuments } from './pipeline-documents.ts';

/** Interval expressions resolved for the selected interval, and the slice behind each write. */
export function registerInlayHints(clients: WorkspaceClients): vscode.Disposable {
  const changed = new vscode.EventEmitter<void>();
  const provider: vscode.InlayHintsProvider = {
    onDidChangeInlayHints: changed.event,
    async provideInlayHints(document, range) {
      if (!vscode.workspace.getConfiguration('backfill', document.uri).get('inlayHints.enabled', true)) return [];
      const client = clients.of(document.uri);
      if (client === undefined) return [];
      const version = document.version;
      const { hints } = await client.view(document);
      if (document.version !== version) return [];
      return hints.flatMap(({ offset, label, tooltip }) => {
        const position = document.positionAt(offset);
        if (!range.contains(position)) return [];
        const hint = new vscode.InlayHint(position, label);
        hint.paddingLeft = true;
        hint.tooltip = withSwitch(tooltip);
        return [hint];
      });
    },
  };
  return vscode.Disposable.from(
    changed,
    clients.onDidChange(() => changed.fire()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('backfill.inlayHints')) changed.fire();
    }),
    vscode.languages.registerInlayHintsProvider(pipelineDocuments, provider),
    vscode.commands.registerCommand('backfill.toggleHints', () => {
      const settings = vscode.workspace.getConfiguration('backfill');
      const isOn = settings.get('inlayHints.enabled', true);
      return settings.update('inlayHints.enabled', !isOn, vscode.ConfigurationTarget.Global);
    }),
  );
}

/** What a hint says when it is pointed at, with the one click that takes all of them away. */
function withSwitch(text: string): vscode.MarkdownString {
  const said = new vscode.MarkdownString();
  said.appendText(text);
  said.appendMarkdown('\n\n[Hide these hints](command:backfill.toggleHints)');
  said.isTrusted = { enabledCommands: ['backfill.toggleHints'] };
  return said;
}
