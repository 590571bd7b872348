import type { ResultSet, Session } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import type { PgliteEngine } from './pglite-engine.ts';

const cancelled = () => new WarehouseError('cancelled', 'The statement was cancelled.', false, { sqlState: '57014' });

/**
 * Lets several sessions share the engine's only one: a session that opens a transaction has the engine to itself until
 * it ends, and the others wait.
 */
export class PgliteTurns {
  #holder: PgliteSession | undefined;
  #queue: { readonly session: PgliteSession; readonly go: () => void; readonly refuse: (error: Error) => void }[] = [];

  async take(session: PgliteSession): Promise<void> {
    if (this.#holder === session) return;
    if (this.#holder === undefined) {
      this.#holder = session;
      return;
    }
    await new Promise<void>((go, refuse) => this.#queue.push({ session, go, refuse }));
  }

  give(session: PgliteSession): void {
    if (this.#holder !== session) return;
    const next = this.#queue.shift();
    this.#holder = next?.session;
    next?.go();
  }

  holds(session: PgliteSession): boolean {
    return this.#holder === session;
  }

  /** Takes a waiting session out of the queue. */
  refuse(session: PgliteSession): void {
    const waiting = this.#queue.filter((entry) => entry.session === session);
    this.#queue = this.#queue.filter((entry) => entry.session !== session);
    for (const { refuse } of waiting) refuse(cancelled());
  }
}

/** A session's view of the engine. It gives its turn back when the engine says that no transaction is open. */
export class PgliteSession implements Session {
  #inTransaction = false;
  #running = false;
  #closed = false;

  constructor(
    private readonly engine: PgliteEngine,
    private readonly turns: PgliteTurns,
    private readonly onClose: (session: PgliteSession) => void,
  ) {}

  async query(text: string, values: readonly (string | null)[] = []): Promise<ResultSet> {
    if (this.#closed) throw new WarehouseError('connection', 'This session was closed.', false);
    await this.turns.take(this);
    this.#running = true;
    try {
      const { columns, rows, rowCount, inTransaction, error } = await this.engine.query(text, values);
      this.#inTransaction = inTransaction;
      if (error !== undefined) throw error;
      return { columns, rows, rowCount };
    } catch (error) {
      // With the thread its transaction is gone too.
      if (error instanceof WarehouseError && (error.kind === 'cancelled' || error.kind === 'connection')) {
        this.#inTransaction = false;
      }
      throw error;
    } finally {
      this.#running = false;
      if (!this.#inTransaction) this.turns.give(this);
    }
  }

  async cancel(): Promise<{ readonly confirmed: boolean }> {
    this.turns.refuse(this);
    // The engine cannot be interrupted: its thread ends, and what was not committed is gone when it starts again.
    if (this.#running && this.turns.holds(this)) await this.engine.kill(cancelled());
    return { confirmed: true };
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#inTransaction) await this.query('rollback').catch(() => undefined);
    this.#closed = true;
    this.turns.give(this);
    this.onClose(this);
  }
}
