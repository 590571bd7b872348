import * as vscode from 'vscode';
import { untrustedWords } from '../clients/untrusted-words.ts';

/** A command of a view gets the line that it was given on, and all that are selected. */
type Commands = Readonly<Record<string, (argument: unknown, selected?: unknown) => Promise<unknown>>>;

/** Registers commands that need a trusted workspace, except those of `anywhere`; what goes wrong is said in words. */
export function registerTrustedCommands(trusted: Commands, anywhere: Commands = {}): vscode.Disposable {
  return vscode.Disposable.from(
    ...Object.entries({ ...trusted, ...anywhere }).map(([id, run]) =>
      vscode.commands.registerCommand(id, async (argument: unknown, selected: unknown) => {
        try {
          if (!vscode.workspace.isTrusted && !(id in anywhere)) return await sayUntrusted();
          await run(argument, selected);
        } catch (error) {
          void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
        }
      }),
    ),
  );
}

/** A lens can be clicked whatever the palette offers. */
async function sayUntrusted(): Promise<void> {
  const manage = 'Manage Workspace Trust';
  const answer = await vscode.window.showInformationMessage(untrustedWords, manage);
  if (answer === manage) await vscode.commands.executeCommand('workbench.trust.manage');
}
