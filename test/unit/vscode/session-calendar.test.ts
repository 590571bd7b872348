import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Remote } from '../../../src/vscode/host/rpc.ts';
import type { RunApi } from '../../../src/vscode/host/run-api.ts';
import type { SessionServices } from '../../../src/vscode/panel/facts/session-services.ts';
import { openSession } from '../../../src/vscode/panel/session/assistant-session.ts';
import { openAssistant } from '../../support/open-assistant.ts';

const fixture = fileURLToPath(new URL('../../fixtures/cli/shop', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'session-'));
  cpSync(fixture, root, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A client whose listeners the test calls when files have changed. */
const heard = (client: SessionServices['client'], listeners: (() => void)[]): SessionServices['client'] =>
  ({
    ...client,
    onDidChange(listener: () => void) {
      listeners.push(listener);
      return { dispose() {} };
    },
  }) as SessionServices['client'];

test('a connection that leads elsewhere is asked anew, and what the one of before has said is not told of it', async () => {
  const { services, workspace } = await openAssistant(root);
  const file = join(root, 'backfill.yaml');
  const led = (host: string) =>
    `version: 1\ndefaultConnection: office\nconnections:\n  office: { engine: postgres, host: ${host}, database: shop, user: ann }\n`;
  writeFileSync(file, led('one.example'));
  await workspace.changed({ paths: ['backfill.yaml'] });
  const hosts: (string | undefined)[] = [];
  const listeners: (() => void)[] = [];
  const session = await openSession('shop.daily', {
    ...services,
    client: heard(services.client, listeners),
    startRunThread: () => ({
      call: (async (_: string, { connection }: Parameters<RunApi['sliceStates']>[0]) => {
        if (connection.engine === 'postgres') hosts.push(connection.host);
        const message = 'The server asks for a password.';
        return hosts.at(-1) === 'one.example'
          ? { kind: 'world', error: 'password', message, remedy: undefined }
          : { kind: 'world', error: 'network', message: 'no server', remedy: undefined };
      }) as Remote<RunApi>['call'],
      async stop() {},
    }),
  });
  await expect.poll(() => session.state.silent).toMatchObject({ wantsPassword: true });
  writeFileSync(file, led('two.example'));
  await workspace.changed({ paths: ['backfill.yaml'] });
  for (const listener of listeners) listener();
  await expect.poll(() => session.state.silent).toMatchObject({ wantsPassword: false, message: 'no server' });
  expect([...new Set(hosts)]).toEqual(['one.example', 'two.example']);
});

test('a ledger is asked again when the code of a task is another one, and not when something else has changed', async () => {
  const { services, workspace } = await openAssistant(root);
  const asked: string[] = [];
  const listeners: (() => void)[] = [];
  await openSession('shop.daily', {
    ...services,
    client: heard(services.client, listeners),
    startRunThread: () => ({
      call: (async (method: string, argument: Parameters<RunApi['sliceStates']>[0]) => {
        // Rows of other tables are counted without the code.
        const daily = method === 'sliceStates' ? new Map(argument.codeHashes).get('shop.daily') : undefined;
        if (daily !== undefined) asked.push(daily);
        return { kind: 'known', states: [], runs: [], rows: [], columns: [], sums: [], untold: [] };
      }) as Remote<RunApi>['call'],
      async stop() {},
    }),
  });
  await expect.poll(() => asked.length).toBe(1);
  const changed = async (path: string, text: string): Promise<void> => {
    writeFileSync(join(root, path), text);
    await workspace.changed({ paths: [path] });
    for (const listener of listeners) listener();
  };
  const sql = 'dags/sql/daily.sql';
  const text = readFileSync(join(root, sql), 'utf8');
  await changed('dags/sql/other.sql', 'SELECT 1;\n');
  await changed(sql, text.replace(/WHERE/i, 'WHERE 1 = 1 AND'));
  await expect.poll(() => asked.length).toBe(2);
  await changed(sql, text);
  await expect.poll(() => asked.length).toBe(3);
  expect(asked[2]).toBe(asked[0]);
  expect(asked[1]).not.toBe(asked[0]);
});
