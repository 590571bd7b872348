import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { applicationName } from '../../core/warehouse/port/connection-config.ts';
import { connectError } from './connect-error.ts';
import { type CallOf, connectService, type ExecutePlanResponse, interruptOperation } from './connect-protocol.ts';
import type { ConnectAddress } from './connect-url.ts';

/** The channel to one Spark Connect server, which any number of sessions share. All calls throw `WarehouseError`. */
export class ConnectClient {
  readonly #client: Client;
  readonly #metadata = new Metadata();

  constructor(
    readonly address: ConnectAddress,
    token: string | undefined,
    private readonly userName: string,
  ) {
    if (token !== undefined) this.#metadata.set('authorization', `Bearer ${token}`);
    this.#client = new Client(address.authority, address.tls ? credentials.createSsl() : credentials.createInsecure(), {
      // Batches of a result are as large as the server makes them.
      'grpc.max_receive_message_length': -1,
      // A connection that has gone silent is seen while a long statement runs.
      'grpc.keepalive_time_ms': 60_000,
      'grpc.keepalive_timeout_ms': 20_000,
      'grpc.primary_user_agent': applicationName,
    });
  }

  /** Who a call is of, in a session. */
  callOf(session: string): CallOf {
    const { user = this.userName } = this.address;
    return { session_id: session, user_context: { user_id: user, user_name: user }, client_type: applicationName };
  }

  /** Batches of Arrow that a query gives. */
  rows(session: string, operation: string, query: string): Promise<readonly Uint8Array[]> {
    return this.#execute(session, operation, { root: { sql: { query } } });
  }

  /** Runs a statement to its end, for what it does. */
  async run(session: string, operation: string, query: string): Promise<void> {
    await this.#execute(session, operation, { command: { sql_command: { input: { sql: { query } } } } });
  }

  /** True when the server has stopped the operation. */
  async interrupt(session: string, operation: string): Promise<boolean> {
    const asked = { ...this.callOf(session), interrupt_type: interruptOperation, operation_id: operation };
    const { interrupted_ids: stopped = [] } = await this.#unary<{ interrupted_ids?: readonly string[] }>(
      'Interrupt',
      asked,
    );
    return stopped.includes(operation);
  }

  async release(session: string): Promise<void> {
    await this.#unary('ReleaseSession', this.callOf(session), 5000);
  }

  close(): void {
    this.#client.close();
  }

  #execute(session: string, operation: string, plan: object): Promise<readonly Uint8Array[]> {
    const { path, requestSerialize, responseDeserialize } = connectService.ExecutePlan;
    const request = { ...this.callOf(session), operation_id: operation, plan };
    return new Promise((resolve, reject) => {
      const batches: Uint8Array[] = [];
      this.#client
        .makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, this.#metadata)
        .on('data', ({ arrow_batch: batch }: ExecutePlanResponse) => {
          if (batch !== undefined && batch !== null) batches.push(batch.data);
        })
        .on('error', (error: unknown) => reject(connectError(error, this.address.authority)))
        .on('end', () => resolve(batches));
    });
  }

  #unary<T>(name: 'Interrupt' | 'ReleaseSession', request: object, withinMs = 30_000): Promise<T> {
    const { path, requestSerialize, responseDeserialize } = connectService[name];
    const deadline = new Date(Date.now() + withinMs);
    return new Promise((resolve, reject) => {
      this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        this.#metadata,
        { deadline },
        (error, answer) => {
          if (error) reject(connectError(error, this.address.authority));
          else resolve(answer as T);
        },
      );
    });
  }
}
