import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import { overwritesSet } from '../../../pipeline/model/overwrites-of.ts';
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
  /** The task names its rows by `REPLACE WHERE`, which only tables with versions have. */
  readonly replaces?: boolean | undefined;
}

/** A task that puts the rows of one query in the place of the partitions of its interval, and does nothing else. */
export interface Overwrite extends OwnPartitions {
  readonly kind: 'ready';
  /** Settings and temporary views that come before it, in the order of the task. */
  readonly before: readonly RenderedStatement[];
  readonly insert: RenderedStatement;
  /** It names no partition of an interval: run by its scheduler, it replaces the whole table unless its Spark is set to dynamic. */
  readonly wipes: boolean;
  /** Which partitions it writes is decided by its rows, at least in part. */
  readonly byRows: boolean;
  /** What its text or the settings of the connection say of partitions that get no rows; `undefined`: nothing. */
  readonly overwrites: 'static' | 'dynamic' | undefined;
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
const oneInsert =
  'write one INSERT OVERWRITE … PARTITION (…) a task (of Delta and Iceberg INSERT INTO … REPLACE WHERE …), or let its scheduler run it';

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
    if (read.kind === 'insert_overwrite' || read.kind === 'insert_replace_where') {
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
  const slice = sliceOf(slices, statement, read);
  if ('kind' in slice) return slice;
  const cutBy = columnsOfCut(slice);
  const overwrites = overwritesSaid(before, options.settings);
  const fixed = fixedValues(read, cutBy);
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
    overwrites,
    replaces: read.kind === 'insert_replace_where',
    byRows: read.kind === 'insert_overwrite' && (read.partitionBy.length === 0 || openColumns(read).length > 0),
    wipes:
      read.kind === 'insert_overwrite' &&
      !namedColumns(read).some((name) => isOneOf(cutBy, name)) &&
      overwrites !== 'dynamic',
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
      return 'INSERT INTO adds its rows to those of the last run, and files cannot be told apart by who added them';
    case 'merge':
    case 'delete':
    case 'update':
      return `${shown(statement)} changes rows in place; what is carried out from here replaces the rows of its interval by those of one query`;
    default:
      return `${shown(statement)} is neither a setting nor a temporary view nor an INSERT OVERWRITE`;
  }
}

function sliceOf(
  slices: readonly JobSlice[],
  statement: RenderedStatement,
  read: Statement,
): Overwrite['slice'] | NoOverwrite {
  const [slice, ...others] = slices;
  if (slice === undefined || others.length > 0) return refuse('it writes none or several tables', oneInsert, statement);
  const { table, column, from, to, predicate, cut, shared, byOwn, again } = slice;
  if (column === undefined || from === undefined || to === undefined)
    return refuse(
      `which partitions of ${table} an interval owns is not known: ${notKnown(read)}`,
      knownBy(table, read),
      statement,
    );
  if (cut?.kind === 'expression')
    return refuse(
      `the slice of ${table} was declared as an expression, and partitions are told apart by the columns of their folders`,
      'declare column, or columns: [year, month, day], of the partitions that an interval is cut by, or let its scheduler run it',
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

/** What `PARTITION (…)` leaves open, in words that follow a colon. */
function notKnown(read: Statement): string {
  const open = openColumns(read);
  const given = namedColumns(read);
  if (given.length > 0 && open.length === 0)
    return `PARTITION (…) names ${given.join(', ')}, and what of them is the interval's is not read`;
  if (open.length > 0)
    return `PARTITION (${open.join(', ')}) takes whatever its query gives, and nothing there bounds that to the interval on both sides`;
  return 'without PARTITION (…) a static overwrite empties the whole table';
}

function knownBy(table: string, read: Statement): string {
  const [given, open] = [namedColumns(read), openColumns(read)];
  if (given.length > 1)
    return `declare under its writes in backfill.yaml which of them hold its time, like columns: [${[...given, ...open].join(', ')}] and slice: day of start`;
  const column = open[0] ?? given[0] ?? 'day';
  const declare = `declare column: ${column} and slice: day of start under its writes in backfill.yaml`;
  const clause = `PARTITION (${column} = '{{ ds }}')`;
  if (open.length > 0)
    return `bound ${column} in its query (WHERE ${column} >= '{{ ds }}' AND …), name it (${clause}), or ${declare}`;
  if (given.length > 0) return `write its value as it is read (${clause}), or ${declare}`;
  return `where ${table} has partitions, name that of the interval (INSERT OVERWRITE ${table} ${clause}), or ${declare}; where it has none, let its scheduler run it`;
}

const named = ({ partitionBy }: Statement) =>
  partitionBy.flatMap((entry) =>
    entry.kind === 'binary' && entry.left.kind === 'column' ? [{ name: entry.left.name, value: entry.right }] : [],
  );

/** Columns that `PARTITION (…)` gives a value, and those that it leaves to the rows. */
const namedColumns = (read: Statement): readonly string[] => named(read).map(({ name }) => name);
const openColumns = ({ partitionBy }: Statement): readonly string[] =>
  partitionBy.flatMap((entry) => (entry.kind === 'column' ? [entry.name] : []));

const isOneOf = (columns: readonly string[], name: string): boolean =>
  columns.some((column) => column.toLowerCase() === name.toLowerCase());

function overwritesSaid(
  statements: readonly RenderedStatement[],
  settings: Readonly<Record<string, string>>,
): Overwrite['overwrites'] {
  const set = Object.entries(settings).find(([name]) => /^spark\.sql\.sources\.partitionOverwriteMode$/i.test(name));
  const ofConnection = set && (/^dynamic$/i.test(set[1]) ? 'dynamic' : 'static');
  return overwritesSet(statements.map(({ text }) => text).join(';\n')) ?? ofConnection;
}

/** Constants of `PARTITION (a = 'x', day = …)`, but for the columns of the slice, whose bounds are known. */
function fixedValues(read: Statement, own: readonly string[]): Readonly<Record<string, string>> | undefined {
  const fixed: Record<string, string> = {};
  for (const { name, value: given } of named(read)) {
    if (isOneOf(own, name)) continue;
    const value = constant(given);
    if (value === undefined) return undefined;
    fixed[name.toLowerCase()] = value;
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
