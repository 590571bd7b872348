import type { Session } from '../../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../../src/core/warehouse/port/warehouse-error.ts';
import { realClock } from '../warehouse-fixture.ts';
import type { FaultyProxy, Line, Passing, Watcher } from './faulty-proxy.ts';
import type { Fault } from './scenario.ts';
import type { SmallDisk } from './small-disk.ts';

/** How long a dead runner's claims last, and how long a runner waits for a lock. */
export const leaseMs = 1500;
export const lockTimeoutMs = 500;

/** What a fault can lay hands on. */
export interface Ground {
  /** A session of its own, past the proxy. */
  connect(): Promise<Session>;
  readonly disk: SmallDisk | undefined;
  readonly proxy: () => FaultyProxy;
  /** Qualified names of everything that the runner reads and writes. */
  readonly tables: readonly string[];
  readonly restart: () => Promise<void>;
  /** The runner, where it is a process of its own. */
  readonly process: number | undefined;
}

export interface Struck {
  readonly watch: Watcher;
  readonly struck: () => boolean;
  /** Resolves when the fault has struck. */
  readonly when: Promise<void>;
  /** Puts right what would otherwise last, when the runner has ended. */
  over(): Promise<void>;
}

/** Lets a fault strike once, at its statement of about so many as are expected. */
export function strikeAt(
  fault: Fault,
  expected: { readonly statements: number; readonly commits: number; readonly units: number },
  ground: () => Ground,
): Struck {
  // A ring closes only where a unit that holds one table is about to ask for another.
  const ring = fault.kind === 'deadlock';
  const momentOf = (text: string): Passing['moment'] => {
    if (!ring) return fault.moment;
    return mentioned(text, ground().tables).length > 1 ? 'before' : 'after';
  };
  const wanted = Math.floor((fault.at * (ring ? expected.units : expected[fault.of])) / 1000);
  const counts = (text: string): boolean =>
    ring ? mentioned(text, ground().tables).length > 0 : fault.of === 'statements' || /^commit$/i.test(text);
  const after: (() => Promise<void> | void)[] = [];
  let seen = 0;
  let mine: number | undefined;
  let struck = false;
  let tell: () => void = () => {};
  const when = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const watch = async (passing: Passing): Promise<void> => {
    if (passing.moment === 'before' && counts(passing.text) && seen++ === wanted) mine = passing.at;
    if (struck || passing.at !== mine || passing.moment !== momentOf(passing.text)) return;
    struck = true;
    // A statement that is never handed on would be waited for without end: what failed is told when the runner has ended.
    await strike(fault, passing, ground(), after).catch((error: unknown) => {
      after.push(() => Promise.reject(error));
    });
    tell();
  };
  return {
    watch,
    struck: () => struck,
    when,
    over: async () => {
      for (const act of after) await act();
    },
  };
}

async function strike(
  { kind, which }: Fault,
  { line, text }: Passing,
  ground: Ground,
  after: (() => Promise<void> | void)[],
): Promise<void> {
  switch (kind) {
    case 'cut':
      return line.cut();
    case 'abandoned':
      after.push(() => line.cut());
      return line.abandon();
    case 'frozen': {
      const frozen = which % 2 === 0 ? [line] : [...ground.proxy().lines];
      for (const one of frozen) one.freeze();
      const thawed = realClock.sleep(leaseMs * 1.5).then(() => cutAll(frozen));
      after.push(() => thawed);
      return;
    }
    case 'terminated': {
      const other = await ground.connect();
      await other.query(`select pg_terminate_backend(${line.backend})`);
      return other.close();
    }
    case 'crashed': {
      // Nothing has been asked on a line whose backend is not known.
      if (line.backend === 0) return line.cut();
      const other = await ground.connect();
      process.kill(line.backend, 'SIGKILL');
      // The server ends all others too, and recovers.
      after.push(() => untilLost(other));
      return;
    }
    case 'killed':
    case 'stopped':
      if (ground.process === undefined) return line.cut();
      return void process.kill(ground.process, kind === 'killed' ? 'SIGKILL' : 'SIGSTOP');
    case 'restarted': {
      // Not waited for here: what is asked meanwhile is answered by nobody.
      const again = ground.restart();
      after.push(() => again);
      return;
    }
    case 'no connections': {
      const taken = await takeAll(ground);
      const given = realClock.sleep(leaseMs / 2).then(() => Promise.all(taken.map((session) => session.close())));
      after.push(async () => void (await given));
      return;
    }
    case 'read-only': {
      const other = await ground.connect();
      const readOnly = async (is: boolean) => {
        await other.query(`alter system set default_transaction_read_only to ${is ? 'on' : 'off'}`);
        await other.query('select pg_reload_conf()');
      };
      await readOnly(true);
      const over = realClock.sleep(leaseMs / 2).then(async () => {
        await other.query('set default_transaction_read_only to off');
        await readOnly(false);
        await other.close();
      });
      after.push(() => over);
      return;
    }
    case 'disk full':
      after.push(() => ground.disk?.empty());
      return ground.disk?.fill();
    default: {
      const { begun, done } = lockAgainst(kind, which, text, ground);
      after.push(() => done);
      await begun;
    }
  }
}

/** Connections until the server has no more. */
async function takeAll(ground: Ground): Promise<readonly Session[]> {
  const taken: Session[] = [];
  for (;;) {
    try {
      taken.push(await ground.connect());
    } catch (error) {
      if (!(error instanceof WarehouseError)) throw error;
      return taken;
    }
  }
}

async function untilLost(session: Session): Promise<void> {
  while (
    await session.query('select 1').then(
      () => true,
      () => false,
    )
  )
    await realClock.sleep(20);
  await session.close();
}

const cutAll = (lines: readonly Line[]): void => {
  for (const line of lines) line.cut();
};

const ledgerLocks = [
  'select 1 from backfill_ledger.targets for update',
  'select 1 from backfill_ledger.claims for update',
  'lock table backfill_ledger.versions in share row exclusive mode',
  'lock table backfill_ledger.units in access exclusive mode',
] as const;

/** Tables that a statement names, in its order. */
const mentioned = (text: string, tables: readonly string[]): string[] =>
  tables
    .map((table) => ({ table, at: text.search(new RegExp(`${table.replace('.', '\\W+')}\\b`)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)
    .map(({ table }) => table);

/**
 * Somebody else's transaction. What it locks is held longer than a runner waits; where it takes the tables in the other
 * order, a deadlock ends one of the two. `begun` when it holds what the runner will want.
 */
function lockAgainst(
  kind: 'table locked' | 'ledger locked' | 'deadlock',
  which: number,
  statement: string,
  ground: Ground,
): { readonly begun: Promise<void>; readonly done: Promise<void> } {
  const { tables } = ground;
  const exclusively = (table: string): string => `lock table ${table} in access exclusive mode`;
  const used = mentioned(statement, tables);
  // A statement that names one table has read it for another one; one that names several writes the first.
  const [held, wanted] = used.length > 1 ? [used.slice(1), used[0]] : [without(tables, used), used[0]];
  const first = {
    'table locked': [exclusively(tables[which % tables.length] as string)],
    'ledger locked': [ledgerLocks[which % ledgerLocks.length] as string],
    deadlock: held.map(exclusively),
  }[kind];
  const other = ground.connect();
  const begun = other.then(async (session) => {
    await session.query('begin');
    await session.query("set local lock_timeout = '1s'");
    for (const lock of first) await session.query(lock);
  });
  const done = begun.then(async () => {
    if (kind !== 'deadlock') return realClock.sleep(lockTimeoutMs * 1.5);
    if (wanted !== undefined) await (await other).query(exclusively(wanted));
  });
  const lost = (error: unknown): void => {
    if (!(error instanceof WarehouseError)) throw error;
  };
  return { begun: begun.catch(lost), done: done.catch(lost).then(async () => (await other).close()) };
}

const without = (tables: readonly string[], some: readonly string[]): string[] =>
  tables.filter((table) => !some.includes(table));
