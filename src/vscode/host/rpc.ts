import type { MessagePort, Worker } from 'node:worker_threads';

/** Functions that another thread offers. Arguments and results must be cloneable. */
export type RemoteApi = Record<string, (argument: never) => Promise<unknown>>;

interface Call {
  readonly id: number;
  readonly method: string;
  readonly argument: unknown;
}

type Reply<Event> =
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly message: string; readonly stack: string | undefined }
  | { readonly kind: 'event'; readonly event: Event };

/** Answers calls from the other side with the functions of `api`; one that throws is answered with its message. */
export function serve<Event>(port: MessagePort, api: RemoteApi): { emit(event: Event): void } {
  const post = (reply: Reply<Event>): void => port.postMessage(reply);
  port.on('message', ({ id, method, argument }: Call) => {
    const work = api[method];
    const running = work === undefined ? Promise.reject(new Error(`no method ${method}`)) : work(argument as never);
    running.then(
      (value) => post({ kind: 'result', id, value }),
      (error: unknown) => {
        const { message, stack } = error instanceof Error ? error : new Error(String(error));
        post({ kind: 'error', id, message, stack });
      },
    );
  });
  return { emit: (event) => post({ kind: 'event', event }) };
}

/** The other thread went away before it answered. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
}

/** A thread that serves an api: call its methods, hear its events, learn when it ended. */
export interface Remote<Api extends RemoteApi> {
  call<Method extends keyof Api & string>(
    method: Method,
    argument: Parameters<Api[Method]>[0],
  ): ReturnType<Api[Method]>;
  /** Ends the thread at once. Open calls reject with {@link ThreadEnded}. */
  stop(): Promise<void>;
}

export function remote<Api extends RemoteApi, Event>(
  worker: Worker,
  listeners: { onEvent(event: Event): void; onEnd(reason: string): void },
): Remote<Api> {
  const open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let last = 0;
  let ended: string | undefined;
  const end = (reason: string): void => {
    if (ended !== undefined) return;
    ended = reason;
    for (const { reject } of open.values()) reject(new ThreadEnded(reason));
    open.clear();
    listeners.onEnd(reason);
  };
  worker.on('message', (reply: Reply<Event>) => {
    if (reply.kind === 'event') return listeners.onEvent(reply.event);
    const call = open.get(reply.id);
    open.delete(reply.id);
    if (reply.kind === 'result') return call?.resolve(reply.value);
    const error = new Error(reply.message);
    if (reply.stack !== undefined) error.stack = reply.stack;
    call?.reject(error);
  });
  worker.on('error', (error) => end(error.message));
  worker.on('exit', (code) => end(`the thread ended with code ${code}`));
  return {
    call(method, argument) {
      const answer = new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(new ThreadEnded(ended));
        const id = ++last;
        open.set(id, { resolve, reject });
        worker.postMessage({ id, method, argument } satisfies Call);
      });
      return answer as ReturnType<Api[typeof method]>;
    },
    async stop() {
      await worker.terminate();
      end('stopped');
    },
  };
}
