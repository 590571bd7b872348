import { connect, createServer, type Socket } from 'node:net';
import type { Moment } from '../fault-injection.ts';
import { type Group, type Message, messageReader } from './wire-messages.ts';

/** One client's way to the server. */
export interface Line {
  /** The server process behind it. */
  readonly backend: number;
  /** Both ends learn at once that the connection is gone. */
  cut(): void;
  /** The client learns it; the server goes on waiting for it. */
  abandon(): void;
  /** Nothing passes any more, and neither end is told. */
  freeze(): void;
}

export interface Passing {
  /** Counted over all lines, from 0. */
  readonly at: number;
  readonly moment: Moment;
  readonly text: string;
  readonly line: Line;
}

/** Sees every statement before the server has it, and again when its answer is there and the client has nothing of it. */
export type Watcher = (statement: Passing) => void | Promise<void>;

export interface FaultyProxy {
  readonly port: number;
  /** The lines that are open. */
  readonly lines: ReadonlySet<Line>;
  /** Statements so far. */
  readonly count: () => number;
  /** Lines that are opened from now on lead to another server. */
  lead(serverPort: number): void;
  close(): Promise<void>;
}

/** Stands between clients and a PostgreSQL server on this machine; without TLS, since it reads what passes. */
export async function openProxy(serverPort: number, watch: Watcher): Promise<FaultyProxy> {
  const lines = new Set<Line>();
  const sockets = new Set<Socket>();
  let statements = 0;
  let leadsTo = serverPort;
  const next = () => statements++;

  // An end that says nothing more is not answered by itself: a frozen line must not.
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    const server = connect({ port: leadsTo, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('close', () => sockets.delete(socket));
    }
    join(client, server, { watch, next, lines });
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    lines,
    count: () => statements,
    lead: (other) => {
      leadsTo = other;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

interface Watched {
  readonly watch: Watcher;
  readonly next: () => number;
  readonly lines: Set<Line>;
}

function join(client: Socket, server: Socket, { watch, next, lines }: Watched): void {
  let backend = 0;
  let deaf = false;
  let running: { readonly at: number; readonly text: string } | undefined;
  const line: Line = {
    get backend() {
      return backend;
    },
    cut: () => {
      deaf = true;
      client.resetAndDestroy();
      server.resetAndDestroy();
    },
    abandon: () => {
      deaf = true;
      client.resetAndDestroy();
    },
    freeze: () => {
      deaf = true;
    },
  };
  lines.add(line);
  const send = (to: Socket, chunk: Buffer) => {
    if (!deaf && chunk.length > 0 && to.writable) to.write(chunk);
  };

  const up = pump(client, messageReader('client'), async (messages, chunk) => {
    const text = statementOf(messages);
    if (text === undefined) return send(server, chunk);
    running = { at: next(), text };
    await watch({ ...running, moment: 'before', line });
    send(server, chunk);
  });
  const down = pump(server, messageReader('server'), async (messages, chunk) => {
    backend ||= messages.find(({ type }) => type === 'K')?.body.readInt32BE(0) ?? 0;
    const answered = running;
    if (answered !== undefined && messages.some(({ type }) => type === 'Z')) {
      running = undefined;
      await watch({ ...answered, moment: 'after', line });
    }
    send(client, chunk);
  });
  // What is frozen or abandoned stays as it is until it is cut.
  up(() => deaf || server.end());
  down(() => deaf || client.end());
  client.on('close', () => lines.delete(line));
}

/**
 * Hands on what belongs together, in order: up to the end of a statement, or of what the server says to one. The result
 * takes what to do when no more comes, after everything has been handed on.
 */
function pump(
  socket: Socket,
  read: (chunk: Buffer) => readonly Group[],
  hand: (messages: readonly Message[], chunk: Buffer) => Promise<void>,
): (atEnd: () => void) => void {
  let turn = Promise.resolve();
  socket.on('data', (chunk) => {
    for (const { messages, chunk: whole } of read(chunk)) turn = turn.then(() => hand(messages, whole));
  });
  socket.on('error', () => undefined);
  return (atEnd) => {
    for (const event of ['end', 'close']) {
      socket.on(event, () => {
        turn = turn.then(atEnd);
      });
    }
  };
}

const statementOf = (messages: readonly Message[]): string | undefined => {
  const parse = messages.find(({ type }) => type === 'P' || type === 'Q');
  if (parse === undefined) return undefined;
  const parts = parse.body.toString('utf8').split('\0');
  return parts[parse.type === 'P' ? 1 : 0];
};
