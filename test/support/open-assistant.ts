import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionConfig } from '../../src/core/warehouse/port/connection-config.ts';
import type { WorkspaceClient } from '../../src/vscode/clients/workspace-client.ts';
import type { Remote, RemoteApi } from '../../src/vscode/host/rpc.ts';
import { createRunApi } from '../../src/vscode/host/run-service.ts';
import { createWorkspaceApi } from '../../src/vscode/host/workspace/workspace-service.ts';
import type { WorkspaceApi } from '../../src/vscode/host/workspace-api.ts';
import type { KeptSession, SessionServices } from '../../src/vscode/panel/facts/session-services.ts';
import { type AssistantSession, openSession } from '../../src/vscode/panel/session/assistant-session.ts';

/** The assistant of a workspace without an editor: the same threads' functions, called in this one. */
export interface OpenAssistant {
  readonly workspace: WorkspaceApi;
  readonly services: SessionServices;
  /** What the last session asked to have kept. */
  readonly kept: () => KeptSession | undefined;
  /** Files that were saved, by name. */
  readonly saved: ReadonlyMap<string, string>;
  /** Documents that were opened, by title. */
  readonly texts: ReadonlyMap<string, string>;
  /** What was copied last. */
  readonly copied: () => string | undefined;
  open(task: string, kept?: KeptSession): Promise<AssistantSession>;
}

/** Waits until a session shows what is wanted. */
export function shows(session: AssistantSession, isWanted: (session: AssistantSession) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!isWanted(session)) return;
      listening.dispose();
      clearInterval(again);
      resolve();
    };
    const listening = session.onEvent(look);
    // Whether a run is at work is no part of what is shown, and changes without an event.
    const again = setInterval(look, 10);
    look();
  });
}

export async function openAssistant(root: string): Promise<OpenAssistant> {
  const workspace = createWorkspaceApi(() => {});
  await workspace.open({
    root,
    settings: { airflowVersion: 'auto', airflowPython: undefined, trusted: true, severities: {}, shownIn: undefined },
  });
  const client = {
    ...inThisThread(workspace),
    touch() {},
    onDidChange: () => ({ dispose() {} }),
    onDidEdit: () => ({ dispose() {} }),
    folder: { uri: { toString: () => `file://${root}` } },
  } as unknown as WorkspaceClient;
  const saved = new Map<string, string>();
  const texts = new Map<string, string>();
  let copied: string | undefined;
  let kept: KeptSession | undefined;
  const services: SessionServices = {
    client,
    connections: {
      resolve: (_, name) => client.call('connection', { name }),
      async withPassword(_, name, work) {
        const found = await client.call('connection', { name });
        return 'problem' in found ? found : work(found as ConnectionConfig);
      },
      async forget() {},
    },
    schedulers: {
      resolve: (_, name) => client.call('scheduler', { name }),
      async withLogin(_, name, work) {
        const found = await client.call('scheduler', { name });
        return 'problem' in found ? found : work(found);
      },
      async forget() {},
    },
    log: { info() {}, error() {}, show() {} },
    createdBy: 'tester',
    settings: {},
    startRunThread: (onEvent) => inThisThread(createRunApi(onEvent)),
    confirmProtected: async () => true,
    confirmOutside: async () => false,
    chooseConnection: async () => undefined,
    connectWarehouse: async () => undefined,
    async copy(text) {
      copied = text;
    },
    chooseReportFormat: async () => 'markdown',
    async save(name, text) {
      saved.set(name, text);
    },
    async openSource() {},
    async openText(title, text) {
      texts.set(title, text);
    },
    confirmDone: async () => true,
    async declare(task, draft) {
      const added = await client.call('declare', { task, text: undefined, draft });
      if ('wrong' in added) throw new Error(added.wrong);
      writeFileSync(join(root, added.file), added.text);
      await workspace.changed({ paths: [added.file] });
    },
    async openDiff() {},
    remember(session) {
      kept = session;
    },
  };
  return {
    workspace,
    services,
    saved,
    texts,
    kept: () => kept,
    copied: () => copied,
    open: (task, before) => openSession(task, services, before),
  };
}

/** What crosses a thread is cloned; so is it here. */
const inThisThread = <Api extends RemoteApi>(api: Api): Remote<Api> => ({
  call: (async (method: string, argument: unknown) =>
    structuredClone(await api[method]?.(structuredClone(argument) as never))) as Remote<Api>['call'],
  async stop() {},
});
