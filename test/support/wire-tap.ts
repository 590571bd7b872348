import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server on this machine, and hears what the client says. */
export interface WireTap {
  readonly port: number;
  /**
   * Calls `act` once when the client has said what matches for the `nth` time from now on. `before`: the server never hears it; `after`: it
   * does, and the client hears nothing any more.
   */
  once(pattern: RegExp, when: 'before' | 'after', act: () => void, nth?: number): void;
  close(): Promise<void>;
}

/** Enough for a statement that comes in two pieces. */
const remembered = 4000;

export async function wireTap(to: { readonly host: string; readonly port: number }): Promise<WireTap> {
  const sockets = new Set<Socket>();
  let asked:
    | { readonly pattern: RegExp; readonly when: 'before' | 'after'; readonly act: () => void; left: number }
    | undefined;
  const server = createServer((client) => {
    const upstream = connect(to);
    let heard = '';
    let isOver = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => sockets.delete(socket));
    }
    client.on('data', (chunk) => {
      if (isOver) return;
      heard = `${heard}${chunk.toString('latin1')}`.slice(-remembered - chunk.length);
      if (asked === undefined || !asked.pattern.test(heard)) return void upstream.write(chunk);
      heard = '';
      if (--asked.left > 0) return void upstream.write(chunk);
      const { when, act } = asked;
      asked = undefined;
      isOver = true;
      if (when === 'after') upstream.write(chunk);
      act();
    });
    upstream.on('data', (chunk) => isOver || client.write(chunk));
    // What the server was told it goes on with: its end stays open where the client was killed.
    client.on('close', () => isOver || upstream.end());
    upstream.on('close', () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    once(pattern, when, act, nth = 1) {
      asked = { pattern, when, act, left: nth };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
