import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addsTwice, surelyAgain } from '../../../src/core/lineage/facts/facts.ts';
import { checkFiles, type Files, factsOf } from '../../support/check-files.ts';
import { folderFiles } from '../../support/folder-files.ts';

const root = new URL('../../../', import.meta.url);
const below = (folder: string, inside = ''): readonly string[] =>
  readdirSync(new URL(folder, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => `${folder}${name}/${inside}`);

const workspaces = [
  ...below('examples/'),
  ...below('test/fixtures/cases/', 'input/'),
  ...below('test/fixtures/pipeline/'),
  'test/fixtures/same-tables/',
];

/** What stands where only one of the two speaks of a table, by workspace and task, and why that is right. */
const reasons: Readonly<Record<string, string>> = {
  'cases/047-force-copy/ sql/copy_orders.sql raw.orders append':
    'a file that no scheduler runs; the engine keeps a history of what it has copied',
  'cases/emptied-in-a-task-of-its-own/ top.fill mart.top append':
    'another task of the run empties the table, which a plan asks for as well',
  'cases/stream-is-used-up/ inn.history mart.stays_history append': 'reads a stream of Snowflake, which no plan runs',
  'pipeline/operators/ all_operators.redshift a append': 'another task of the DAG empties the table',
  'pipeline/operators/ all_operators.trino a append': 'another task of the DAG empties the table',
  'pipeline/operators/ all_operators.athena a append': 'another task of the DAG empties the table',
  'pipeline/operators/ all_operators.hive a append': 'another task of the DAG empties the table',
  'pipeline/operators/ all_operators.house a append': 'another task of the DAG empties the table',
  'pipeline/problems/ half_typed.typing a append': 'the statement is half typed',
  'same-tables/ shop_visits.fill stage.visits append':
    'another task of the run empties the table, which a plan asks for as well',
  'same-tables/ sources.sql raw.orders append': 'a file of rows that is loaded by hand',
  'same-tables/ sources.sql raw.visits append': 'a file of rows that is loaded by hand',
  'same-tables/ sources.sql raw.products append': 'a file of rows that is loaded by hand',
  'same-tables/ sources.sql mart.mark append': 'a file of rows that is loaded by hand',
  'same-tables/ sources.sql mart.revenue append': 'a file of rows that is loaded by hand',
  'same-tables/ sources.sql mart.visits append': 'a file of rows that is loaded by hand',
  'same-tables/ sources.sql mart.products append': 'a file of rows that is loaded by hand',
};

test('what a plan refuses is a finding in the editor, or why not is said here', () => {
  const differences: string[] = [];
  for (const folder of workspaces) {
    const files: Files = Object.fromEntries(
      [...folderFiles(new URL(folder, root))].filter(([path]) => /\.(py|sql|ya?ml)$/.test(path)),
    );
    const { facts } = factsOf(files);
    const findings = checkFiles(files);
    for (const [task, { writes }] of facts) {
      for (const write of writes.filter(({ provenance }) => provenance === 'sql')) {
        const isRefused = surelyAgain(write) || (addsTwice(write) && write.tellsOfRuns !== true);
        const spoken = findings.filter(
          ({ rule, at }) =>
            /^(plain-insert|additive-update|append-\w+)$/.test(rule) &&
            write.at !== undefined &&
            at.file === write.at.file &&
            at.start < write.at.end + 2000 &&
            at.end > write.at.start - 2000,
        );
        if (isRefused && spoken.length === 0)
          differences.push(`${folder.replace(/^test\/fixtures\/|input\/$/g, '')} ${task} ${write.table} ${write.mode}`);
      }
    }
  }
  expect(differences.filter((one) => reasons[one] === undefined)).toEqual([]);
  expect(Object.keys(reasons).filter((one) => !differences.includes(one))).toEqual([]);
});
