import * as vscode from 'vscode';

/** Opens a rule's page in Markdown preview: it is part of the extension, so it works offline. */
export function registerRulePages(extensionUri: vscode.Uri): vscode.Disposable {
  return vscode.commands.registerCommand('backfill.openRulePage', async (rule: unknown) => {
    if (typeof rule !== 'string' || !/^[a-z][a-z-]*$/.test(rule)) return;
    await vscode.commands.executeCommand(
      'markdown.showPreview',
      vscode.Uri.joinPath(extensionUri, 'dist', 'rules', `${rule}.md`),
    );
  });
}
