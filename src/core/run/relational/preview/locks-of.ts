import type { StatementKind } from '../../../sql/model/statement.ts';
import { readSql } from '../../../sql/read-sql.ts';
import { plainText } from '../../../template/mask/plain-text.ts';
import type { TableLock } from '../../unit/forecast.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { alikeTables } from './alike-tables.ts';
import { byTask } from './by-task.ts';

/** Kinds of statements that take a table away from its readers as well. */
const exclusive: ReadonlySet<StatementKind> = new Set([
  'truncate',
  'drop',
  'rename',
  'alter',
  'alter_rename',
  'alter_swap',
  'alter_append',
  'alter_partition',
  'refresh',
]);

const dropsIndex = /^[\s;]*drop\s+index\b(?!\s+concurrently\b)/i;
const makesPartition = /^[\s;]*create\s+table\b[^(]*\bpartition\s+of\b/i;

/**
 * By the words of the statements: each table with the strongest lock that a unit takes on it. Whose an index or a partition is,
 * the words do not say for sure: where one is dropped or made, readers of all tables that the unit writes may wait.
 */
export function locksOf(jobs: readonly UnitJob[], keepsWritersOut: boolean): readonly TableLock[] {
  const tables = new Map<string, TableLock['against']>();
  for (const ofTask of byTask(jobs)) {
    const [job] = ofTask;
    if (job === undefined) continue;
    const nameOf = alikeTables(ofTask);
    const statements = job.statements.flatMap(({ text }) =>
      readSql(plainText(text), 'postgres').statements.map((one) => ({ ...one, text: text.slice(one.start, one.end) })),
    );
    const reachesOthers = statements.some(({ text }) => dropsIndex.test(text) || makesPartition.test(text));
    for (const { table: own, mode } of job.slices) {
      const table = nameOf(own);
      if (mode === 'create' || tables.get(table) === 'everyone') continue;
      tables.set(table, reachesOthers ? 'everyone' : keepsWritersOut && job.options.lockTable ? 'writers' : 'rows');
    }
    // What the unit has made itself, nobody else sees yet; a table that it drops first and makes then is not among them.
    const made = new Set<string>();
    for (const { kind, targets, ifNotExists, text } of statements) {
      for (const { name } of targets) {
        if (kind.startsWith('create_table') && !ifNotExists) made.add(name);
        else if (exclusive.has(kind) && !made.has(name) && !dropsIndex.test(text)) tables.set(nameOf(name), 'everyone');
      }
    }
  }
  return [...tables].map(([table, against]) => ({ table, against }));
}
