import { expect, test } from 'vitest';
import { checkFiles } from '../../support/check-files.ts';

const said = (sql: string): readonly string[] =>
  checkFiles({ 'sql/clean.sql': sql })
    .filter(({ rule }) => rule === 'additive-update')
    .map(({ severity, message }) => `${severity} ${message.slice(0, message.indexOf(';'))}`);

const mild = `UPDATE ods.events SET severity = CASE WHEN severity IN ('mild', 'mild|mild') THEN 'mild' WHEN severity = 'dead' THEN 'severe' END
WHERE severity IN ('mild', 'mild|mild', 'dead');`;
const source = "UPDATE ods.events SET source = CASE WHEN source = 'a' THEN 'b' ELSE source END WHERE source = 'a';";

test('what a column holds is put in other words, which the condition on it does not ask for again', () => {
  expect(said(mild)).toEqual([]);
  expect(said(`${mild}\n${source}`)).toEqual([]);
});

test('words that are changed once more by a second run are said', () => {
  expect(said("UPDATE ods.t SET s = CASE WHEN s = 'a' THEN 'b' WHEN s = 'b' THEN 'c' ELSE 'none' END")).toHaveLength(1);
});

test('another column that tells what was done is a guard that others may take back', () => {
  expect(said('UPDATE ods.prices SET price = price * 2, done = true WHERE NOT done')).toEqual([
    'info The new value of price is made of the old one',
  ]);
  expect(said('UPDATE ods.prices SET n = n + 1 WHERE n = 1')).toHaveLength(1);
});

test('a value that is the same for all is settled, whatever the types and whatever else is put right beside it', () => {
  const dated = "UPDATE ods.visits SET seen = NULL WHERE seen = '' OR seen < '1980-01-01';";
  expect(said(dated)).toEqual([]);
  expect(said(`${dated}\n${source.replaceAll('events', 'visits')}`)).toEqual([]);
});
