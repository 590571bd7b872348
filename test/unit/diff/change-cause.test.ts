import { expect, test } from 'vitest';
import { type ChangeEvidence, causesInWords, changeCauses } from '../../../src/core/diff/change-cause.ts';

const figures = (rowChecksum: string, algorithm = 'a') => ({
  rows: 3,
  rowChecksum,
  algorithm,
  keyChecksum: undefined,
  duplicateKeys: undefined,
});
const previous = {
  after: figures('old'),
  undone: undefined,
  scheduled: false,
  sameCode: true,
  sameStatements: true,
  sameDefinitions: true,
  sameSchema: true,
  sameSettings: true,
};
const evidence: ChangeEvidence = { before: figures('old'), after: figures('new'), previous, inputs: [] };
const kinds = (parts: Partial<ChangeEvidence>) => changeCauses({ ...evidence, ...parts }).map(({ kind }) => kind);

test.each<[string, Partial<ChangeEvidence>, readonly string[]]>([
  ['nothing is known', { previous: undefined }, ['first-run']],
  ['nothing differs', {}, ['not-deterministic']],
  ['a task that adds', { again: { kind: 'adds-again' } }, ['adds-again']],
  [
    'code before what it does by itself',
    { again: { kind: 'adds-again' }, previous: { ...previous, sameCode: false } },
    ['code'],
  ],
  ['a value made of itself', { again: { kind: 'made-of-itself', column: 'n' } }, ['made-of-itself']],
  ['a task that goes by its own rows', { again: { kind: 'goes-by-own' } }, ['goes-by-own']],
  ['rows that go as declared', { orphans: 'all' }, ['orphans']],
  ['rows that go as declared, of a first run', { orphans: 'all', previous: undefined }, ['orphans']],
  [
    'rows that go as declared, and a source that has less',
    { orphans: 'all', inputs: [{ table: 'a', same: false }] },
    ['orphans', 'input'],
  ],
  [
    'rows that go as declared, whatever was not recorded',
    { orphans: 'all', inputs: [{ table: 'a', same: undefined }] },
    ['orphans'],
  ],
  ['rows that go as declared, beside others', { orphans: 'part' }, ['orphans', 'not-deterministic']],
  ['code', { previous: { ...previous, sameCode: false } }, ['code']],
  ['the same code as other SQL', { previous: { ...previous, sameStatements: false } }, ['statements']],
  ['other code is other SQL', { previous: { ...previous, sameCode: false, sameStatements: false } }, ['code']],
  [
    'a slice whose last run was undone',
    { previous: { ...previous, undone: 'r1', sameCode: false, sameStatements: false } },
    ['undo'],
  ],
  [
    'a slice that its scheduler made last',
    { previous: { ...previous, scheduled: true, sameCode: false, sameDefinitions: false, sameSettings: false } },
    ['scheduled'],
  ],
  ['a setting that no record holds', { unrecorded: 'current_setting()' }, ['unrecorded']],
  ['what the database defines', { previous: { ...previous, sameDefinitions: false } }, ['definitions']],
  ['code and schema', { previous: { ...previous, sameCode: false, sameSchema: false } }, ['code', 'schema']],
  ['a view', { inputs: [{ table: 'v', isView: true, same: false }] }, ['view']],
  ['settings', { previous: { ...previous, sameSettings: false } }, ['settings']],
  [
    'one of two inputs',
    {
      inputs: [
        { table: 'a', same: true },
        { table: 'b', same: false },
      ],
    },
    ['input'],
  ],
  [
    'an unknown input explains only what nothing else does',
    { inputs: [{ table: 'a', same: undefined }] },
    ['unrecorded-input'],
  ],
  [
    'a known cause beats an unknown one',
    {
      inputs: [
        { table: 'a', same: undefined },
        { table: 'b', same: false },
      ],
    },
    ['input'],
  ],
  [
    'somebody changed the rows and the run put them back',
    { before: figures('else'), after: figures('old') },
    ['outside'],
  ],
  [
    'somebody changed the rows and the code changed',
    { before: figures('else'), previous: { ...previous, sameCode: false } },
    ['code', 'outside'],
  ],
  ['figures of another algorithm say nothing of outside', { before: figures('else', 'b') }, ['not-deterministic']],
  ['a first slice', { before: undefined, previous: undefined }, ['first-run']],
])('%s', (_, parts, expected) => {
  expect(kinds(parts)).toEqual(expected);
});

test('each cause has its words', () => {
  expect(causesInWords(changeCauses({ ...evidence, inputs: [{ table: 'raw.orders', same: false }] }))).toBe(
    'raw.orders holds other rows than the last run read',
  );
  // Nothing tells whether a scheduler made it or somebody said that it was made.
  expect(causesInWords(changeCauses({ ...evidence, previous: { ...previous, scheduled: true } }))).toBe(
    'the last version was made elsewhere (by its scheduler, or told with backfill done), and what that saw was not recorded',
  );
  // What was not recorded is no cause.
  expect(causesInWords(changeCauses({ ...evidence, inputs: [{ table: 'raw.orders', same: undefined }] }))).toBe(
    'not known: what this run or the last one read of raw.orders was not recorded',
  );
});
