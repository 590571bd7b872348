import { createServer, type IncomingMessage, type Server } from 'node:http';

export interface FakeAnswer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface FakeRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** A server on this machine that answers as it is told, and keeps what it was asked. */
export interface FakeApi {
  readonly url: string;
  readonly requests: FakeRequest[];
  close(): Promise<void>;
}

export async function fakeApi(answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>): Promise<FakeApi> {
  const requests: FakeRequest[] = [];
  const server: Server = createServer((incoming, outgoing) => {
    let text = '';
    incoming.on('data', (chunk) => {
      text += chunk;
    });
    incoming.on('end', async () => {
      const { method = '', url = '', headers } = incoming;
      const request = { method, url, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
      requests.push(request);
      const { status, body, headers: own } = await answer(request);
      outgoing.writeHead(status, { 'content-type': 'application/json', ...own });
      outgoing.end(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
