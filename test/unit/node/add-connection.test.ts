import { expect, test } from 'vitest';
import { addConnection } from '../../../src/node/config/edit/add-connection.ts';
import { freeName } from '../../../src/node/config/edit/write-connection.ts';
import { readConfig } from '../../../src/node/config/read-config.ts';

const addition = (name: string) =>
  ({ section: 'connections', name, value: { engine: 'pglite', directory: '.backfill/sandbox' } }) as const;

test.each([
  ['no file', undefined],
  ['an empty file', '\n'],
  ['a file with comments', '# ours\nversion: 1\nrules:\n  plain-insert: warning # for now\n'],
  ['a file with connections', 'version: 1\nconnections:\n  other: { engine: postgres, host: h }\n'],
])('adds to %s', (_, source) => {
  const added = addConnection(source, addition('sandbox'));
  if ('wrong' in added) throw new Error(added.wrong);
  const { config, problems } = readConfig('backfill.yaml', added.text);
  expect(problems).toEqual([]);
  expect(config.connections.get('sandbox')).toMatchObject({ engine: 'pglite' });
  for (const comment of source?.match(/#.*$/gm) ?? []) expect(added.text).toContain(comment);
});

test('refuses a torn file and a name that is taken', () => {
  expect(addConnection('connections: [', addition('a'))).toHaveProperty('wrong');
  expect(addConnection('just text', addition('a'))).toHaveProperty('wrong');
  expect(addConnection('connections:\n  a: {}\n', addition('a'))).toHaveProperty('wrong');
});

test('finds a free name', () => {
  expect(freeName('sandbox', [])).toBe('sandbox');
  expect(freeName('sandbox', ['sandbox', 'sandbox2'])).toBe('sandbox3');
});
