import * as vscode from 'vscode';
import { type SlicesByTask, slicesByTask, slicesOfLedgers } from '../../../core/view/home/known-slices.ts';
import { type AnswerBasis, answerBasis, isSameBasis } from '../../clients/answer-basis.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { askRunThread } from '../../panel/run/ask-run-thread.ts';
import { askQuietly } from '../../panel/run/slice-knowledge.ts';
import { type ConnectionLedger, type LedgerAnswers, ledgerAnswers } from './ledger-answers.ts';

/** Runs that are listed of a ledger, newest first. */
const listedRuns = 50;

/** What the side bar knows of a folder's ledgers, the one of the default connection first. */
export type LedgerKnowledge =
  | { readonly kind: 'untrusted' | 'unconnected' }
  /** `byTask`: of the ledgers that have answered; `undefined`: none has. */
  | {
      readonly kind: 'asked';
      readonly ledgers: readonly ConnectionLedger[];
      readonly byTask: SlicesByTask | undefined;
    };

/**
 * What the side bar knows of ledgers: asked when it is first shown, and again when something has changed. Each ledger
 * answers by itself; nobody waits for a server that is slow or gone.
 */
export interface HomeKnowledge extends vscode.Disposable {
  /** What is known by now; asks where nobody has asked yet. */
  of(client: WorkspaceClient): Promise<LedgerKnowledge>;
  /** Asks anew. `password`: a person is there to be asked for that of this connection, or of each that wants one. */
  refresh(client?: WorkspaceClient, how?: { readonly password: string | 'each' }): Promise<void>;
  /** Asks anew where tasks have other code, or connections lead elsewhere, than when it was asked: other slices are stale. */
  refreshOfCode(): Promise<void>;
  /** Whether somebody has looked yet: before that nothing is asked. */
  readonly isWanted: boolean;
  readonly onDidChange: vscode.Event<void>;
}

/** What was asked for a folder. */
interface Asked {
  readonly basis: AnswerBasis;
  readonly knowledge: LedgerKnowledge;
  /** Settled when every ledger has answered. */
  readonly answered: Promise<unknown>;
}

export function homeKnowledge(panels: AssistantPanels): HomeKnowledge {
  const changed = new vscode.EventEmitter<void>();
  const asked = new Map<WorkspaceClient, Promise<Asked>>();
  const answers = new WeakMap<WorkspaceClient, LedgerAnswers>();
  const answersOf = (client: WorkspaceClient): LedgerAnswers => {
    const known = answers.get(client) ?? ledgerAnswers();
    answers.set(client, known);
    return known;
  };

  const joined = (client: WorkspaceClient, names: readonly string[]): LedgerKnowledge => {
    const found = answersOf(client);
    const ledgers = names.map((connection): ConnectionLedger => found.of(connection) ?? { connection, kind: 'asking' });
    const known = ledgers.filter((ledger) => ledger.kind === 'known');
    return {
      kind: 'asked',
      ledgers,
      byTask: known.length === 0 ? undefined : slicesByTask(slicesOfLedgers(known, names[0] ?? '')),
    };
  };
  const askLedger = async (
    client: WorkspaceClient,
    connection: string,
    password: boolean,
  ): Promise<ConnectionLedger> => {
    const before = answersOf(client).of(connection);
    const isBusy = panels
      .sessions()
      .some((session) => session.client === client && session.run.busy && session.state.connection.name === connection);
    // An embedded database serves one at a time.
    if (isBusy && before?.kind === 'known') return before;
    const services = panels.services(client);
    const codeHashes = await client.call('codeHashes', null);
    const question = { codeHashes, slices: [], runs: listedRuns };
    if (password) {
      const { states, runs } = await askRunThread(services, connection, (api, config) =>
        api.call('sliceStates', { connection: config, ...question }),
      );
      return { connection, kind: 'known', states, runs };
    }
    const answer = await askQuietly(
      services,
      connection,
      async () => (api, config) => api.call('sliceStates', { connection: config, ...question }),
    );
    if (!('error' in answer)) return { connection, kind: 'known', states: answer.states, runs: answer.runs };
    if (answer.error === 'stopped' && before?.kind === 'known') return before;
    return { connection, kind: 'silent', message: answer.message, wantsPassword: answer.error === 'password' };
  };
  const ask = async (
    client: WorkspaceClient,
    password: string | undefined,
    before: Promise<Asked> | undefined,
  ): Promise<Asked> => {
    const basis = await basisOf(client);
    const names = [...basis.connections.keys()];
    for (const [name, settings] of (await before)?.basis.connections ?? [])
      if (basis.connections.get(name) !== settings) answersOf(client).forget(name);
    if (!vscode.workspace.isTrusted) return settled({ kind: 'untrusted' }, basis);
    if (names.length === 0) return settled({ kind: 'unconnected' }, basis);
    const found = answersOf(client);
    const one = async (connection: string): Promise<void> => {
      const isAloud = password === connection || (password === 'each' && found.isLocked(connection));
      const answer = found.question(connection, isAloud);
      answer(
        await askLedger(client, connection, isAloud).catch((error: unknown): ConnectionLedger => {
          const message = error instanceof Error ? error.message : String(error);
          return { connection, kind: 'silent', message, wantsPassword: found.isLocked(connection) };
        }),
      );
      changed.fire();
    };
    const open = names.map((connection) => () => one(connection));
    const answered =
      // One box after the other asks for passwords.
      password === undefined
        ? Promise.all(open.map((begin) => begin()))
        : open.reduce<Promise<void>>((before, begin) => before.then(begin), Promise.resolve());
    return {
      get knowledge() {
        return joined(client, names);
      },
      answered,
      basis,
    };
  };
  const begin = (client: WorkspaceClient, password?: string): Promise<Asked> => {
    const answer = ask(client, password, asked.get(client)).catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const ledger: ConnectionLedger = { connection: '', kind: 'silent', message, wantsPassword: false };
      return settled({ kind: 'asked', ledgers: [ledger], byTask: undefined }, { connections: new Map(), code: '' });
    });
    asked.set(client, answer);
    return answer;
  };

  return {
    of: async (client) => (await (asked.get(client) ?? begin(client))).knowledge,
    async refresh(client, how) {
      const clients = client === undefined ? [...asked.keys()] : [client];
      await Promise.all(clients.map(async (one) => (await begin(one, how?.password)).answered));
      changed.fire();
    },
    async refreshOfCode() {
      const other = await Promise.all(
        [...asked].map(async ([client, known]) =>
          isSameBasis((await known).basis, await basisOf(client)) ? [] : client,
        ),
      );
      await Promise.all(other.flat().map(async (client) => (await begin(client)).answered));
      changed.fire();
    },
    get isWanted() {
      return asked.size > 0;
    },
    onDidChange: changed.event,
    dispose: () => changed.dispose(),
  };
}

const settled = (knowledge: LedgerKnowledge, basis: AnswerBasis): Asked => ({
  knowledge,
  answered: Promise.resolve(),
  basis,
});

const basisOf = async (client: WorkspaceClient): Promise<AnswerBasis> =>
  answerBasis(client, (await client.call('connections', null)).ledgers);
