import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ResultSet } from '../../core/warehouse/port/ports.ts';
import { warehouseErrorOf } from '../../core/warehouse/port/sql-state.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { diskFullError } from './disk-full.ts';

interface WorkerError {
  readonly message: string;
  readonly code?: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly position?: string;
}

/** A statement's result or error, and whether a transaction is open after it. */
export interface EngineReply extends ResultSet {
  readonly inTransaction: boolean;
  readonly error: WarehouseError | undefined;
}

type Message =
  | { readonly ready: string }
  | { readonly failed: WorkerError }
  | { readonly id: number; readonly reply?: ResultSet & { inTransaction: boolean; error?: WorkerError } }
  | { readonly id: number; readonly broken: WorkerError };

interface Waiting {
  readonly resolve: (reply: EngineReply) => void;
  readonly reject: (error: WarehouseError) => void;
}

const nothing: EngineReply = { columns: [], rows: [], rowCount: undefined, inTransaction: false, error: undefined };

/** The embedded engine in a thread of its own, so that a long statement does not stop this one. Ended, it starts anew. */
export class PgliteEngine {
  #worker: Promise<Worker> | undefined;
  #ending: Promise<unknown> = Promise.resolve();
  #ended: WarehouseError | undefined;
  #waiting = new Map<number, Waiting>();
  #nextId = 0;
  serverVersion = 'unknown';

  constructor(private readonly directory: string) {}

  /** Starts the thread and opens the data directory, made if need be. Throws {@link WarehouseError}. */
  start(): Promise<Worker> {
    this.#worker ??= this.#start().catch((error) => {
      this.#worker = undefined;
      throw error;
    });
    return this.#worker;
  }

  /** Rejects only when the engine itself failed; what it says about the statement is in the reply. */
  query(text: string, values: readonly (string | null)[]): Promise<EngineReply> {
    return this.#ask({ text, values });
  }

  /** Ends the thread in the middle of whatever it does; the directory recovers when it is opened again. */
  async kill(reason: WarehouseError): Promise<void> {
    const worker = await this.#worker?.catch(() => undefined);
    if (worker === undefined) return;
    this.#ended = reason;
    this.#worker = undefined;
    // Two threads on one directory would damage it: the next one starts when this one is gone.
    this.#ending = worker.terminate();
    await this.#ending;
  }

  /** Writes everything out and ends the thread. */
  async close(): Promise<void> {
    if (this.#worker === undefined) return;
    await this.#ask({}).catch(() => undefined);
    await this.kill(new WarehouseError('connection', 'The database was closed.', false));
  }

  async #ask(message: { text?: string; values?: readonly (string | null)[] }): Promise<EngineReply> {
    const worker = await this.start();
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ...message });
    });
  }

  async #start(): Promise<Worker> {
    await this.#ending;
    this.#ended = undefined;
    const worker = new Worker(workerFile(), { workerData: { directory: this.directory }, stderr: true, stdout: true });
    return new Promise((resolve, reject) => {
      worker.on('message', (message: Message) => {
        if ('ready' in message) {
          this.serverVersion = message.ready;
          resolve(worker);
        } else if ('failed' in message) {
          void worker.terminate();
          reject(this.#openError(message.failed.message));
        } else this.#settle(message);
      });
      worker.on('error', (error) => {
        reject(this.#openError(error.message));
        this.#lose(worker, error.message);
      });
      worker.on('exit', () => {
        reject(this.#openError('the engine ended while it opened the directory'));
        this.#lose(worker, 'its thread ended');
      });
    });
  }

  #settle(message: Exclude<Message, { ready: string } | { failed: WorkerError }>): void {
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if ('broken' in message) {
      waiting?.reject(
        new WarehouseError('connection', `The embedded database failed: ${message.broken.message}`, true),
      );
      return;
    }
    const { reply } = message;
    waiting?.resolve(reply === undefined ? nothing : { ...reply, error: reply.error && statementError(reply.error) });
  }

  #lose(worker: Worker, why: string): void {
    const reason = this.#ended ?? new WarehouseError('connection', `The embedded database stopped: ${why}.`, true);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(reason);
    void this.#worker?.then(
      (current) => {
        if (current === worker) this.#worker = undefined;
      },
      () => undefined,
    );
  }

  #openError(said: string): WarehouseError {
    return (
      diskFullError(this.directory, new Error(said)) ??
      new WarehouseError('storage', `The data directory ${this.directory} cannot be opened: ${said}`, false, {
        hint: 'If its files are damaged, delete the directory: it is a sandbox, and is made anew.',
      })
    );
  }
}

function statementError({ message, code, detail, hint, position }: WorkerError): WarehouseError {
  return warehouseErrorOf({
    message,
    sqlState: code,
    detail,
    hint,
    position: position === undefined ? undefined : Number(position),
  });
}

/** Beside this file when run from source, beside the program (or one folder up from its chunks) when bundled. */
function workerFile(): string {
  const places = ['./pglite-worker.mjs', './pglite-worker.js', '../pglite-worker.js'];
  const files = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const found = files.find((file) => existsSync(file));
  if (found === undefined) throw new Error(`The engine's worker is in none of ${files.join(', ')}.`);
  return found;
}
