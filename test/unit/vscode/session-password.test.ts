import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Remote } from '../../../src/vscode/host/rpc.ts';
import type { RunApi, WorldAnswer } from '../../../src/vscode/host/run-api.ts';
import { openSession } from '../../../src/vscode/panel/session/assistant-session.ts';
import { openAssistant, shows } from '../../support/open-assistant.ts';

const fixture = fileURLToPath(new URL('../../fixtures/cli/shop', import.meta.url));

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'session-'));
  cpSync(fixture, root, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const refusal = (message: string): WorldAnswer => ({
  kind: 'world',
  error: 'password',
  message,
  remedy: undefined,
});
const known = { kind: 'known', states: [], runs: [], rows: [], columns: [], sums: [], untold: [] };

test('that a typed password was wrong stays said on the page until it is taken', async () => {
  const assistant = await openAssistant(root);
  const { connections } = assistant.services;
  let typed: string | undefined;
  let isAloud = false;
  let quietAnswers = 0;
  const session = await openSession('shop.daily', {
    ...assistant.services,
    connections: {
      ...connections,
      async withPassword(client, name, work) {
        isAloud = true;
        try {
          return await connections.withPassword(client, name, work);
        } finally {
          isAloud = false;
        }
      },
    },
    startRunThread: () => ({
      call: (async () => {
        if (!isAloud) quietAnswers++;
        if (typed === 'right') return known;
        return refusal(isAloud ? `${typed} is not the password` : 'The server asks for a password.');
      }) as Remote<RunApi>['call'],
      async stop() {},
    }),
  });
  await shows(session, ({ state }) => state.silent !== undefined);
  expect(session.state.silent).toEqual({ wantsPassword: true, message: undefined });

  typed = 'wrong';
  await session.handle({ type: 'ask-again' });
  const isWrong = { wantsPassword: true, message: 'wrong is not the password' };
  expect(session.state.silent).toEqual(isWrong);
  // A task that is shown for the first time asks its tables, and nobody is there to be asked.
  const before = quietAnswers;
  await session.handle({ type: 'select-task', task: 'shop.rolling3' });
  await expect.poll(() => quietAnswers).toBeGreaterThan(before);
  await new Promise(setImmediate);
  expect(session.state.silent).toEqual(isWrong);
  typed = 'wrong again';
  await session.handle({ type: 'ask-again' });
  expect(session.state.silent).toEqual({ ...isWrong, message: 'wrong again is not the password' });

  typed = 'right';
  await session.handle({ type: 'ask-again' });
  expect(session.state.silent).toBeUndefined();
});
