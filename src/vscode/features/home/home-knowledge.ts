import * as vscode from 'vscode';
import type { RunSummary } from '../../../core/ledger/ledger-store.ts';
import type { SliceState } from '../../../core/ledger/slice-states.ts';
import { type SlicesByTask, slicesByTask } from '../../../core/view/home/pipelines-tree.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { askRunThread } from '../../panel/run/ask-run-thread.ts';
import { askQuietly } from '../../panel/run/slice-knowledge.ts';

/** Runs that are listed, newest first. */
const listedRuns = 50;

/** What the side bar knows of a folder's ledger. */
export type LedgerKnowledge =
  | { readonly kind: 'untrusted' | 'unconnected' }
  /** `wantsPassword`: the server refused the one that is stored, or misses one. */
  | {
      readonly kind: 'silent';
      readonly connection: string;
      readonly message: string;
      readonly wantsPassword: boolean;
    }
  | {
      readonly kind: 'known';
      readonly connection: string;
      readonly states: readonly SliceState[];
      readonly byTask: SlicesByTask;
      readonly runs: readonly RunSummary[];
    };

/** What the side bar knows of ledgers: asked when it is first shown, and again when something has changed. */
export interface HomeKnowledge extends vscode.Disposable {
  /** Asks where nobody has asked yet. */
  of(client: WorkspaceClient): Promise<LedgerKnowledge>;
  /** Asks anew; with `password` a person is there to be asked for one. */
  refresh(client?: WorkspaceClient, how?: { readonly password: boolean }): Promise<void>;
  /** Whether somebody has looked yet: before that nothing is asked. */
  readonly isWanted: boolean;
  readonly onDidChange: vscode.Event<void>;
}

export function homeKnowledge(panels: AssistantPanels): HomeKnowledge {
  const changed = new vscode.EventEmitter<void>();
  const asked = new Map<WorkspaceClient, Promise<LedgerKnowledge>>();
  /** What was known before a run took an embedded database, which serves one at a time. */
  const last = new Map<WorkspaceClient, LedgerKnowledge>();

  const ask = async (client: WorkspaceClient, password: boolean): Promise<LedgerKnowledge> => {
    if (!vscode.workspace.isTrusted) return { kind: 'untrusted' };
    const { names, default: preferred } = await client.call('connections', null);
    const connection = preferred ?? names[0];
    if (connection === undefined) return { kind: 'unconnected' };
    const before = last.get(client);
    const isBusy = panels.sessions().some((session) => session.client === client && session.run.busy);
    if (isBusy && before?.kind === 'known' && before.connection === connection) return before;
    const services = panels.services(client);
    const codeHashes = await client.call('codeHashes', null);
    const question = { codeHashes, slices: [], runs: listedRuns };
    if (password) {
      const answer = await askRunThread(services, connection, (api, config) =>
        api.call('sliceStates', { connection: config, ...question }),
      );
      return known(connection, answer.states, answer.runs);
    }
    const answer = await askQuietly(
      services,
      connection,
      async () => (api, config) => api.call('sliceStates', { connection: config, ...question }),
    );
    if (!('error' in answer)) return known(connection, answer.states, answer.runs);
    if (answer.error === 'stopped' && before?.kind === 'known') return before;
    return {
      kind: 'silent',
      connection,
      message: answer.message,
      wantsPassword: answer.error === 'password',
    };
  };
  const begin = (client: WorkspaceClient, password: boolean): Promise<LedgerKnowledge> => {
    const answer = ask(client, password).catch((error: unknown): LedgerKnowledge => {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: 'silent', connection: '', message, wantsPassword: false };
    });
    asked.set(client, answer);
    void answer.then((found) => last.set(client, found));
    return answer;
  };

  return {
    of: (client) => asked.get(client) ?? begin(client, false),
    async refresh(client, how) {
      const clients = client === undefined ? [...asked.keys()] : [client];
      await Promise.all(clients.map((one) => begin(one, how?.password ?? false)));
      changed.fire();
    },
    get isWanted() {
      return asked.size > 0;
    },
    onDidChange: changed.event,
    dispose: () => changed.dispose(),
  };
}

const known = (connection: string, states: readonly SliceState[], runs: readonly RunSummary[]): LedgerKnowledge => ({
  kind: 'known',
  connection,
  states,
  byTask: slicesByTask(states),
  runs,
});
