import type { Client, QueryArrayConfig } from 'pg';
import type { Backend, ResultSet, Session } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { driverError } from './driver-error.ts';

/** Every value stays the text that the server sent. */
const asText = { getTypeParser: () => (value: string | Buffer) => value.toString() } as const;

/** The driver has `queryMode`; its type declarations do not know it. */
const statement = (text: string, values: readonly (string | null)[]): QueryArrayConfig => {
  const config = { text, values: [...values], rowMode: 'array' as const, queryMode: 'extended', types: asText };
  return config;
};

/** How long a cancelled statement may take to end before the cancel counts as unconfirmed. */
const confirmMs = 10_000;

/** How long the server may take to answer a goodbye; an idle connection that has gone silent has no answer. */
export const goodbyeMs = 3000;

/** One server connection. `requestCancel` asks the server on another connection; this one waits for what it says. */
export class PostgresSession implements Session {
  #running: Promise<'ended' | 'cancelled'> | undefined;
  #cancelling: Promise<{ readonly confirmed: boolean }> | undefined;
  #lost: WarehouseError | undefined;
  #givenUp: WarehouseError | undefined;

  constructor(
    private readonly client: Client,
    private readonly requestCancel: () => Promise<void>,
    /** Values of statements as the database can hold them. */
    private readonly fitting: ((value: string) => string) | undefined,
    private readonly onClose: (session: PostgresSession) => void,
  ) {
    client.on('error', (error) => {
      this.#lost = driverError(error);
    });
    client.on('end', () => {
      this.#lost ??= new WarehouseError('connection', 'The connection to the server was closed.', true);
    });
  }

  /** The server process behind this connection, as it said when it began. */
  get processId(): number | undefined {
    return (this.client as unknown as { processID: number | null }).processID ?? undefined;
  }

  get backend(): Backend | undefined {
    const process = this.processId;
    return process === undefined ? undefined : { process, giveUp: () => this.#giveUp() };
  }

  #giveUp(): void {
    const message = 'The server has ended this connection, and the network did not say so.';
    this.#givenUp ??= new WarehouseError('connection', message, true);
    this.#lost ??= this.#givenUp;
    this.#destroy();
  }

  #destroy(): void {
    (this.client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }

  async query(text: string, values: readonly (string | null)[] = []): Promise<ResultSet> {
    // A cancel that is still on its way must not hit the statement after the one it was meant for.
    await this.#cancelling;
    if (this.#lost) throw this.#lost;
    const { fitting } = this;
    const fitted = values.map((value) => (value === null ? null : (fitting?.(value) ?? value)));
    const query = this.client.query<(string | null)[]>(statement(text, fitted));
    const running = query.then(
      () => 'ended' as const,
      (error) => ((error as { code?: string }).code === '57014' ? ('cancelled' as const) : ('ended' as const)),
    );
    this.#running = running;
    try {
      const result = await query;
      return {
        columns: result.fields.map((field) => field.name),
        rows: result.rows,
        rowCount: result.rowCount ?? undefined,
      };
    } catch (error) {
      throw this.#givenUp ?? driverError(error);
    } finally {
      if (this.#running === running) this.#running = undefined;
    }
  }

  cancel(): Promise<{ readonly confirmed: boolean }> {
    this.#cancelling ??= this.#cancel().finally(() => {
      this.#cancelling = undefined;
    });
    return this.#cancelling;
  }

  async #cancel(): Promise<{ readonly confirmed: boolean }> {
    const running = this.#running;
    if (running === undefined) return { confirmed: true };
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<'unconfirmed'>((resolve) => {
      timer = setTimeout(() => resolve('unconfirmed'), confirmMs);
    });
    try {
      const [, how] = await Promise.all([
        this.requestCancel().catch(() => undefined),
        Promise.race([running, deadline]),
      ]);
      return { confirmed: how !== 'unconfirmed' };
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.onClose(this);
    this.#lost ??= new WarehouseError('connection', 'This session was closed.', false);
    const silent = setTimeout(() => this.#destroy(), goodbyeMs);
    await this.client.end().catch(() => undefined);
    clearTimeout(silent);
  }
}
