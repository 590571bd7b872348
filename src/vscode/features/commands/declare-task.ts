import * as vscode from 'vscode';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { writeDeclaration } from '../../prompts/write-declaration.ts';
import { targetOf } from './target-of.ts';

/**
 * `Declare What a Task Reads and Writes`: puts an entry into `backfill.yaml` and the cursor where something has to be
 * filled in. Nothing is saved: a declaration counts once a person has looked at it.
 */
export function registerDeclareTask(clients: WorkspaceClients): vscode.Disposable {
  return vscode.commands.registerCommand('backfill.declareTask', async (argument: unknown) => {
    const target = await targetOf(argument, clients);
    if (target !== undefined) await writeDeclaration(target.client, target.task);
  });
}
