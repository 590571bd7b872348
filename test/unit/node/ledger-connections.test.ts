import { expect, test } from 'vitest';
import { ledgerConnections } from '../../../src/node/config/ledger-connections.ts';
import { readConfig } from '../../../src/node/config/read-config.ts';

const ledgersOf = (text: string): readonly string[] => ledgerConnections(readConfig('backfill.yaml', text).config);

test('every connection has a ledger, the default one first', () => {
  expect(ledgersOf('version: 1\n')).toEqual([]);
  expect(
    ledgersOf(`version: 1
defaultConnection: office
connections:
  lake: { engine: spark, url: 'sc://spark', ledger: office }
  sandbox: { engine: pglite, directory: .backfill/sandbox }
  office: { engine: postgres, host: db, database: shop }
  archive: { engine: postgres, host: db, database: archive }
`),
  ).toEqual(['office', 'sandbox', 'archive']);
});

test('a copy that previews go to tells nothing of its own, and a database with two names is asked once', () => {
  expect(
    ledgersOf(`version: 1
defaultConnection: office
connections:
  office: { engine: postgres, host: db, database: shop, user: me, preview: clone }
  clone: { engine: postgres, host: clone, database: shop }
  guarded: { engine: postgres, host: db, database: shop, user: boss, protected: true }
  sandbox: { engine: pglite, directory: .backfill/sandbox }
`),
  ).toEqual(['office', 'sandbox']);
});
