import { randomUUID } from 'node:crypto';
import type { ResultSet, Session } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { arrowRows } from './arrow-rows.ts';
import type { ConnectClient } from './connect-client.ts';

/** What gives rows; every other statement is run for what it does. */
const givesRows = /^[\s(]*(?:(?:select|with|values|show|describe|desc|explain)\b|set\s+[\w.]+\s*$)/i;

/** One session of Spark Connect: its settings and temporary views are its own. Nothing is a transaction there. */
export class SparkSession implements Session {
  readonly #id = randomUUID();
  #operation: string | undefined;
  #closed = false;

  constructor(
    private readonly client: ConnectClient,
    private readonly onClose: (session: SparkSession) => void,
  ) {}

  /** Values of rows are text, so a query casts whatever is not one. Takes no bound values. */
  async query(text: string): Promise<ResultSet> {
    if (this.#closed) throw new WarehouseError('connection', 'This session was closed.', false);
    const operation = randomUUID();
    this.#operation = operation;
    try {
      if (givesRows.test(text)) return arrowRows(await this.client.rows(this.#id, operation, text));
      await this.client.run(this.#id, operation, text);
      return { columns: [], rows: [], rowCount: undefined };
    } finally {
      this.#operation = undefined;
    }
  }

  async cancel(): Promise<{ readonly confirmed: boolean }> {
    const operation = this.#operation;
    if (operation === undefined) return { confirmed: true };
    try {
      return { confirmed: await this.client.interrupt(this.#id, operation) };
    } catch {
      return { confirmed: false };
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.client.release(this.#id).catch(() => undefined);
    this.onClose(this);
  }
}
