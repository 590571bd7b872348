import type { Session } from '../../../src/core/warehouse/ports.ts';
import { WarehouseError } from '../../../src/core/warehouse/warehouse-error.ts';
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
  expected: { readonly statements: number; readonly commits: number },
  ground: () => Ground,
): Struck {
  const wanted = Math.floor((fault.at * expected[fault.of]) / 1000);
  const after: (() => Promise<void> | void)[] = [];
  let seen = 0;
  let mine: number | undefined;
  let struck = false;
  let tell: () => void = () => {};
  const when = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const watch = async (passing: Passing): Promise<void> => {
    const counts = fault.of === 'statements' || /^commit$/i.test(passing.text);
    if (passing.moment === 'before' && counts && seen++ === wanted) mine = passing.at;
    if (struck || passing.at !== mine || passing.moment !== fault.moment) return;
    struck = true;
    await strike(fault, passing, ground(), after);
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
  { line }: Passing,
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
    case 'disk full':
      after.push(() => ground.disk?.empty());
      return ground.disk?.fill();
    default: {
      const done = lockAgainst(kind, which, ground);
      after.push(() => done);
      await Promise.race([done, realClock.sleep(100)]);
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

/** Somebody else's transaction. What it locks is held longer than a runner waits; a deadlock ends one of the two. */
async function lockAgainst(
  kind: 'table locked' | 'ledger locked' | 'deadlock',
  which: number,
  ground: Ground,
): Promise<void> {
  const other = await ground.connect();
  const exclusively = (table: string): string => `lock table ${table} in access exclusive mode`;
  const { tables } = ground;
  const first = which % tables.length;
  const inTurn = [...tables.slice(first), ...tables.slice(0, first)];
  try {
    await other.query('begin');
    await other.query("set local lock_timeout = '1s'");
    if (kind === 'ledger locked') await other.query(ledgerLocks[which % ledgerLocks.length] as string);
    else if (kind === 'table locked') await other.query(exclusively(inTurn[0] as string));
    else {
      for (const table of inTurn) {
        await other.query(exclusively(table));
        // Time for the runner to take what comes later here.
        await realClock.sleep(30);
      }
    }
    if (kind !== 'deadlock') await realClock.sleep(lockTimeoutMs * 1.5);
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
  } finally {
    await other.close();
  }
}
