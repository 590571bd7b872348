import { setTimeout as sleep } from 'node:timers/promises';
import type { SliceState } from '../../../core/ledger/slice-states.ts';
import { findGaps } from '../../../core/run/survey/find-gaps.ts';
import type { ConnectionConfig } from '../../../core/warehouse/port/connection-config.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { Remote } from '../../host/rpc.ts';
import type { RunApi, WorldAnswer } from '../../host/run-api.ts';
import type { SurveyFacts } from '../facts/session-facts.ts';
import type { SessionServices } from '../facts/session-services.ts';

/** How often a quiet question to an embedded database that somebody else has is asked again. */
const triesWhileHeld = 10;
const betweenTriesMs = 500;

/** Questions that are open, by workspace: an embedded database serves one at a time, and runs come first. */
const open = new WeakMap<WorkspaceClient, Set<() => Promise<void>>>();

/**
 * Ends the questions of a workspace's pages to its ledgers. A thread that is ended never gives an embedded database back,
 * so a question to one is waited for: it takes a moment.
 */
export async function stopAsking(client: WorkspaceClient): Promise<void> {
  await Promise.all([...(open.get(client) ?? [])].map((stop) => stop()));
}

/** What a database knows of slices: its ledger, and the tables of one task themselves. */
export interface SliceKnowledge {
  readonly ledger: ReadonlyMap<string, SliceState>;
  readonly survey: SurveyFacts;
}

/** Why a question that nobody waits for has no answer. */
export interface Unanswered {
  /** As of {@link WorldAnswer}; `stopped`: a run comes first; `problem`: the connection cannot be made out. */
  readonly error: string;
  readonly message: string;
}

/**
 * Asks something of a connection's database that nobody waits for, in a thread of its own. Nobody is asked for a password.
 * `prepare` gathers what the question needs; a run that starts meanwhile comes first.
 */
export async function askQuietly<Answer extends object>(
  { client, connections, startRunThread, log }: Asking,
  name: string,
  prepare: () => Promise<(api: Remote<RunApi>, connection: ConnectionConfig) => Promise<Answer | WorldAnswer>>,
): Promise<Answer | Unanswered> {
  const stops = open.get(client) ?? new Set();
  open.set(client, stops);
  let isStopped = false;
  let stop = async (): Promise<void> => {
    isStopped = true;
  };
  const stopped = (): Promise<void> => stop();
  stops.add(stopped);
  const unanswered = (error: string, message: string): Unanswered => {
    if (error !== 'stopped') log.info(`the ledger of ${name} was not asked: ${message}`);
    return { error, message };
  };
  try {
    const connection = await connections.resolve(client, name);
    if ('problem' in connection) return unanswered('problem', connection.problem);
    const ask = await prepare();
    const isEmbedded = connection.engine === 'pglite';
    const turn = isEmbedded ? takeTurn(client, name) : undefined;
    try {
      await turn?.free;
      for (let left = isEmbedded ? triesWhileHeld : 0; ; left--) {
        if (isStopped) return unanswered('stopped', 'a run comes first');
        const thread = startRunThread(ignore, ignore);
        try {
          const asked = ask(thread, connection);
          stop = async () => {
            isStopped = true;
            await (isEmbedded ? asked.then(ignore, ignore) : thread.stop());
          };
          const answer = await asked;
          if (!isWorld(answer)) return answer;
          if (answer.error !== 'conflict' || left === 0) return unanswered(answer.error, answer.message);
        } finally {
          await thread.stop();
        }
        // Another process has it, or a run that has just ended gives it back.
        await sleep(betweenTriesMs);
      }
    } finally {
      turn?.end();
    }
  } catch (error) {
    if (isStopped) return unanswered('stopped', 'a run comes first');
    return unanswered('bug', error instanceof Error ? error.message : String(error));
  } finally {
    stops.delete(stopped);
  }
}

/** Whose turn it is to ask an embedded database, which serves one at a time, by workspace and connection. */
const turns = new WeakMap<WorkspaceClient, Map<string, Promise<void>>>();

function takeTurn(client: WorkspaceClient, name: string): { readonly free: Promise<void>; end(): void } {
  const ofClient = turns.get(client) ?? new Map<string, Promise<void>>();
  turns.set(client, ofClient);
  const free = ofClient.get(name) ?? Promise.resolve();
  let end = (): void => {};
  const mine = new Promise<void>((resolve) => {
    end = resolve;
  });
  ofClient.set(
    name,
    free.then(() => mine),
  );
  return { free, end };
}

type Asking = Pick<SessionServices, 'client' | 'connections' | 'startRunThread' | 'log'>;

/**
 * Asks the ledger of a connection what it knows of slices, and the tables of a task what they hold of each interval; a
 * database without a ledger is left as it is. `sum`: a column that is added up as well.
 */
export async function askSliceStates(
  services: Asking,
  name: string,
  task: string,
  sum: string | undefined,
): Promise<SliceKnowledge | Unanswered> {
  const { client } = services;
  const answer = await askQuietly(services, name, async () => {
    const codeHashes = await client.call('codeHashes', null);
    const { slices, ...survey } = await client.call('survey', { task, now: Date.now() });
    return async (api, connection) => {
      const known = await api.call('sliceStates', { connection, codeHashes, slices, sum, runs: 0 });
      return known.kind === 'world' ? known : { ...known, ...survey, untold: [...survey.untold, ...known.untold] };
    };
  });
  if ('error' in answer) return answer;
  const { units, season } = answer;
  const rows = new Map(answer.rows);
  const counted = units.flatMap((unit) => {
    const count = rows.get(unit);
    return count === undefined ? [] : [{ unit, rows: count }];
  });
  return {
    ledger: new Map(answer.states.map((state) => [state.unit, state])),
    survey: {
      rows,
      gaps: new Map(findGaps(counted, season).map((gap) => [gap.unit, gap])),
      columns: answer.columns,
      sum: sum === undefined ? undefined : { of: sum, by: new Map(answer.sums) },
      untold: answer.untold,
    },
  };
}

export const isWorld = (answer: object): answer is WorldAnswer => 'kind' in answer && answer.kind === 'world';

const ignore = (): void => {};
