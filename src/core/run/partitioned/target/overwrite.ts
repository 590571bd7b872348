import type { SqlExpression } from '../../../sql/model/expression.ts';
import { nameParts } from '../../../sql/model/name-parts.ts';
import type { Statement } from '../../../sql/model/statement.ts';
import { readSql } from '../../../sql/read-sql.ts';
import { plainText } from '../../../template/mask/plain-text.ts';
import type { JobSlice, RenderedStatement, UnitJob } from '../../unit/unit-job.ts';

/** Which partitions of which table are a unit's. */
export interface OwnPartitions {
  readonly slice: JobSlice & { readonly column: string };
  /** The table as the task names it. */
  readonly target: readonly string[];
  /** What `PARTITION (…)` says of other columns than that of the slice: partitions of other values are not the unit's. */
  readonly fixed: Readonly<Record<string, string>>;
}

/** A task that puts the rows of one query in the place of the partitions of its interval, and does nothing else. */
export interface Overwrite extends OwnPartitions {
  readonly kind: 'ready';
  /** Settings and temporary views that come before it, in the order of the task. */
  readonly before: readonly RenderedStatement[];
  readonly insert: RenderedStatement;
  /** The statement with another table as its target. */
  readonly into: (name: string) => string;
}

/** Why a task is not carried out in this way, and what helps; words of a sentence, without its end. */
export interface NoOverwrite {
  readonly kind: 'refused';
  readonly reason: string;
  readonly remedy: string;
  readonly statement: RenderedStatement | undefined;
}

const elsewhere = 'let its scheduler run it';
const oneInsert = 'write one INSERT OVERWRITE … PARTITION (…) a task, or let its scheduler run it';

/**
 * Reads the statements of a unit as they are sent, in the SQL of Spark: settings and temporary views, then one INSERT OVERWRITE of
 * the partitions that its interval owns. Everything else is refused by name, before anything is sent.
 */
export function readOverwrite({ statements, slices, options, notAtomic }: UnitJob): Overwrite | NoOverwrite {
  const before: RenderedStatement[] = [];
  let found: { readonly statement: RenderedStatement; readonly read: Statement } | undefined;
  for (const statement of statements) {
    const read = readOne(statement.text);
    if (read === undefined)
      return refuse(`${shown(statement)} cannot be read as one statement of Spark SQL`, elsewhere, statement);
    if (read.kind === 'insert_overwrite') {
      if (found !== undefined)
        return refuse('it overwrites more than one table or more than once', oneInsert, statement);
      found = { statement, read };
    } else if (isPreparation(read, statement)) before.push(statement);
    else return refuse(whyNot(read, statement), oneInsert, statement);
    if (found !== undefined && found.statement !== statement)
      return refuse(`${shown(statement)} comes after the INSERT OVERWRITE`, oneInsert, statement);
  }
  if (found === undefined) return refuse('it has no INSERT OVERWRITE', oneInsert, statements[0]);
  const { statement, read } = found;
  const { target } = read;
  if (target === undefined || target.templated || read.targets.length > 1)
    return refuse('its target cannot be told, or it has several', oneInsert, statement);
  const text = statement.text;
  if (keepsExisting(read, text))
    return refuse(
      'IF NOT EXISTS keeps the rows that are there, so that a rerun changes nothing',
      'take it out',
      statement,
    );
  const slice = sliceOf(slices, statement);
  if ('kind' in slice) return slice;
  const fixed = fixedValues(read, slice.column);
  if (fixed === undefined)
    return refuse(
      'a value in PARTITION (…) is no constant in an interval',
      'write it as a text or a number',
      statement,
    );
  if (notAtomic !== undefined || options.compare === 'none')
    return refuse(
      'a unit of Spark is published by its figures, and compare: none has none',
      'compare checksums or rows',
      statement,
    );
  return {
    kind: 'ready',
    slice,
    before,
    insert: statement,
    target: nameParts(target.name),
    fixed,
    into: (name) => text.slice(0, target.start) + name + text.slice(target.end),
  };
}

function readOne(text: string): Statement | undefined {
  const { statements } = readSql(plainText(text), 'spark');
  const [only] = statements;
  return statements.length === 1 && only?.modifying.length === 0 ? only : undefined;
}

/** Decides in the session alone, and lasts no longer. `SET` alone lists; `USE` would move the names of tables. */
const isPreparation = ({ kind, temporary }: Statement, { text }: RenderedStatement): boolean =>
  (kind === 'create_view' && temporary) || /^\s*set\s+(?:time\s+zone\b|[\w.`]+\s*=)/i.test(text);

function whyNot({ kind }: Statement, statement: RenderedStatement): string {
  switch (kind) {
    case 'insert':
      return 'INSERT INTO adds its rows to those of the last run';
    case 'insert_replace_where':
    case 'merge':
    case 'delete':
    case 'update':
      return `${shown(statement)} changes rows in place, which tables of files cannot, and Delta and Iceberg are not carried out from here`;
    default:
      return `${shown(statement)} is neither a setting nor a temporary view nor an INSERT OVERWRITE`;
  }
}

function sliceOf(slices: readonly JobSlice[], statement: RenderedStatement): Overwrite['slice'] | NoOverwrite {
  const [slice, ...others] = slices;
  if (slice === undefined || others.length > 0) return refuse('it writes none or several tables', oneInsert, statement);
  const { table, column, from, to, predicate, cut, shared, byOwn, again } = slice;
  if (column === undefined || from === undefined || to === undefined)
    return refuse(
      `which partitions of ${table} an interval owns is not known: without PARTITION (…) a static overwrite empties the whole table`,
      `name the partition (INSERT OVERWRITE ${table} PARTITION (day = '{{ ds }}')), or declare column and slice under its writes in backfill.yaml`,
      statement,
    );
  if (cut !== undefined)
    return refuse(
      `the slice of ${table} was declared as more than one column, and partitions are told apart by one`,
      'declare the one partition column that an interval is cut by, or let its scheduler run it',
      statement,
    );
  if (predicate !== undefined)
    return refuse(`the rows of ${table} are told by a condition and not by partitions`, oneInsert, statement);
  if (byOwn !== undefined || again !== undefined)
    return refuse(`what it leaves in ${table} goes by the rows that it finds there`, elsewhere, statement);
  if (shared !== undefined)
    return refuse(
      `its partitions of ${table} may hold rows of others (${shared})`,
      `write parts of one table as partitions of one task each, or let its scheduler run it`,
      statement,
    );
  return { ...slice, column };
}

/** Constants of `PARTITION (a = 'x', day = …)`, but for the column of the slice, whose bounds are known. */
function fixedValues({ partitionBy }: Statement, own: string): Readonly<Record<string, string>> | undefined {
  const fixed: Record<string, string> = {};
  for (const entry of partitionBy) {
    if (entry.kind !== 'binary' || entry.left.kind !== 'column') continue;
    if (entry.left.name.toLowerCase() === own.toLowerCase()) continue;
    const value = constant(entry.right);
    if (value === undefined) return undefined;
    fixed[entry.left.name.toLowerCase()] = value;
  }
  return fixed;
}

function constant(value: SqlExpression): string | undefined {
  if (value.kind === 'cast') return value.type === 'date' ? constant(value.operand) : undefined;
  return value.kind === 'literal' && (value.type === 'string' || value.type === 'number') ? value.text : undefined;
}

/** `PARTITION (…) IF NOT EXISTS` */
const keepsExisting = ({ partitionBy }: Statement, text: string): boolean =>
  /^[\s)]*if\s+not\s+exists\b/i.test(text.slice(partitionBy.at(-1)?.end ?? text.length));

const shown = ({ text }: RenderedStatement): string => {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
};

const refuse = (reason: string, remedy: string, statement: RenderedStatement | undefined): NoOverwrite => ({
  kind: 'refused',
  reason,
  remedy,
  statement,
});
