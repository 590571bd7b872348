import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Remote } from '../../../src/vscode/host/rpc.ts';
import type { RunApi } from '../../../src/vscode/host/run-api.ts';
import { openSession } from '../../../src/vscode/panel/session/assistant-session.ts';
import { openAssistant } from '../../support/open-assistant.ts';

const fixture = fileURLToPath(new URL('../../fixtures/cli/shop', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'session-'));
  cpSync(fixture, root, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a ledger is asked again when the code of a task is another one, and not when something else has changed', async () => {
  const { services, workspace } = await openAssistant(root);
  const asked: string[] = [];
  const listeners: (() => void)[] = [];
  await openSession('shop.daily', {
    ...services,
    client: {
      ...services.client,
      onDidChange(listener: () => void) {
        listeners.push(listener);
        return { dispose() {} };
      },
    } as typeof services.client,
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
