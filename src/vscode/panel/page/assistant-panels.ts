import * as vscode from 'vscode';
import type { Log } from '../../clients/log.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { KeptSession, SessionServices } from '../facts/session-services.ts';
import { type AssistantSession, openSession } from '../session/assistant-session.ts';
import { assistantViewType, attachPage } from './assistant-page.ts';

/** The assistant's sessions and their pages, one a task. A session lives on without its page. */
export interface AssistantPanels extends vscode.Disposable {
  /** Shows the page of a task, making its session when there is none. */
  open(client: WorkspaceClient, task: string): Promise<AssistantSession>;
  /** For questions to a database that are no page's own. */
  services(client: WorkspaceClient): SessionServices;
  sessions(): readonly AssistantSession[];
  /** The session whose page was looked at last, while it is open. */
  readonly active: AssistantSession | undefined;
  readonly onDidChange: vscode.Event<void>;
  /** Runs of before that are not done, of tasks whose page has not been opened since; `live`: the editor was closed in them. */
  unfinished(): readonly UnfinishedRun[];
  /** Says no more of it by itself; its page still goes on where it stopped. */
  dismiss(run: UnfinishedRun): void;
}

/** A run that the window of before left behind. */
export interface UnfinishedRun {
  readonly folder: vscode.Uri;
  readonly task: string;
  readonly live: boolean;
}

export function assistantPanels(
  context: vscode.ExtensionContext,
  clients: WorkspaceClients,
  servicesFor: (client: WorkspaceClient, remember: (kept: KeptSession) => void) => SessionServices,
  log: Log,
): AssistantPanels {
  const sessions = new Map<string, Promise<AssistantSession>>();
  const opened = new Map<string, AssistantSession>();
  const panels = new Map<string, vscode.WebviewPanel>();
  const changed = new vscode.EventEmitter<void>();
  let active: string | undefined;

  const keyIn = (folder: vscode.Uri, task: string): string => `${folder.toString()} ${task}`;
  const keyOf = (client: WorkspaceClient, task: string): string => keyIn(client.folder.uri, task);
  const memory = (key: string): string => `assistant ${key}`;

  const sessionOf = (client: WorkspaceClient, task: string, revived: boolean): Promise<AssistantSession> => {
    const key = keyOf(client, task);
    const known = sessions.get(key);
    if (known !== undefined) return known;
    const before = context.workspaceState.get<KeptSession>(memory(key));
    const unfinished = before?.run !== undefined && !before.run.finished;
    const remember = (kept: KeptSession): void => void context.workspaceState.update(memory(key), kept);
    const session = openSession(task, servicesFor(client, remember), revived || unfinished ? before : undefined);
    sessions.set(key, session);
    session.then(
      (ready) => {
        opened.set(key, ready);
        ready.onEvent(() => changed.fire());
        changed.fire();
      },
      () => sessions.delete(key),
    );
    return session;
  };

  const attach = (panel: vscode.WebviewPanel, session: AssistantSession, key: string): void => {
    panels.set(key, panel);
    active = key;
    attachPage(panel, session, context.extensionUri, log);
    panel.onDidChangeViewState(() => {
      if (panel.active) active = key;
    });
    panel.onDidDispose(() => {
      if (panels.get(key) !== panel) return;
      panels.delete(key);
      if (active === key) active = undefined;
    });
  };

  const serializer = vscode.window.registerWebviewPanelSerializer(assistantViewType, {
    async deserializeWebviewPanel(panel, state: { readonly task?: unknown; readonly folder?: unknown } | undefined) {
      const task = state?.task;
      const client = clients.all().find(({ folder }) => folder.uri.toString() === state?.folder);
      if (typeof task !== 'string' || client === undefined) {
        panel.dispose();
        return;
      }
      attach(panel, await sessionOf(client, task, true), keyOf(client, task));
    },
  });

  return {
    async open(client, task) {
      const session = await sessionOf(client, task, false);
      const key = keyOf(client, task);
      const shown = panels.get(key);
      if (shown !== undefined) shown.reveal();
      else {
        const panel = vscode.window.createWebviewPanel(
          assistantViewType,
          `Backfill: ${task}`,
          vscode.ViewColumn.Active,
          {
            retainContextWhenHidden: false,
          },
        );
        attach(panel, session, key);
      }
      active = key;
      return session;
    },
    services: (client) => servicesFor(client, () => {}),
    sessions: () => [...opened.values()],
    get active() {
      return active === undefined ? undefined : opened.get(active);
    },
    onDidChange: changed.event,
    unfinished: () =>
      // No folder is read for it.
      (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => {
        const prefix = memory(keyIn(uri, ''));
        return context.workspaceState.keys().flatMap((key): readonly UnfinishedRun[] => {
          if (!key.startsWith(prefix) || sessions.has(key.slice(memory('').length))) return [];
          const run = context.workspaceState.get<KeptSession>(key)?.run;
          if (run === undefined || run.finished) return [];
          return [{ folder: uri, task: key.slice(prefix.length), live: run.live === true }];
        });
      }),
    dismiss({ folder, task }) {
      const key = memory(keyIn(folder, task));
      const kept = context.workspaceState.get<KeptSession>(key);
      if (kept?.run === undefined) return;
      void context.workspaceState.update(key, { ...kept, run: { ...kept.run, live: false } });
    },
    dispose() {
      serializer.dispose();
      for (const session of opened.values()) void session.dispose();
      changed.dispose();
    },
  };
}
