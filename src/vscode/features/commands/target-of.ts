import * as vscode from 'vscode';
import type { Span } from '../../../core/text/span.ts';
import type { TaskView } from '../../../core/view/document/document-view.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { isTaskReference } from '../document/task-reference.ts';

/** What a command works on. */
export interface Target {
  readonly client: WorkspaceClient;
  readonly task: string;
}

/** The task of a lens, else the one at the cursor, else one that is picked. */
export async function targetOf(argument: unknown, clients: WorkspaceClients): Promise<Target | undefined> {
  if (isTaskReference(argument)) {
    const client = clients.of(vscode.Uri.parse(argument.uri));
    return client && { client, task: argument.task };
  }
  const editor = vscode.window.activeTextEditor;
  const client = editor && clients.of(editor.document.uri);
  if (editor !== undefined && client !== undefined) {
    const { tasks } = await client.view(editor.document);
    const here = taskAt(tasks, editor.document, editor.selection.active);
    if (here !== undefined) return { client, task: here.task };
  }
  return pickTask(client === undefined ? clients.all() : [client]);
}

/** The task whose code the cursor is in, else the one on whose lines it is: before `name = Operator(` too. */
function taskAt(
  tasks: readonly TaskView[],
  document: vscode.TextDocument,
  cursor: vscode.Position,
): TaskView | undefined {
  const offset = document.offsetAt(cursor);
  const isOnLine = ({ start, end }: Span): boolean =>
    document.positionAt(start).line <= cursor.line && cursor.line <= document.positionAt(end).line;
  return (
    tasks.find(({ at }) => at.start <= offset && offset <= at.end) ??
    tasks.find(({ at }) => isOnLine(at)) ??
    (tasks.length === 1 ? tasks[0] : undefined)
  );
}

async function pickTask(clients: readonly WorkspaceClient[]): Promise<Target | undefined> {
  const found = await Promise.all(
    clients.map(async (client) => {
      const tasks = await client.call('tasks', null);
      return tasks.map(({ task, detail }) => ({ label: task, description: detail, target: { client, task } }));
    }),
  );
  const items = found.flat();
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      clients.length === 0 ? 'Open a folder with DAGs or SQL files first.' : 'No task was found in this workspace.',
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(items, { placeHolder: 'Which task?', matchOnDescription: true });
  return picked?.target;
}
