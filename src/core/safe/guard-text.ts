import { ledgerSchema } from '../sql/names/ledger-name.ts';

/** The command that makes the functions which the text calls. */
const installCommand = 'backfill make-safe --install';

export const guardBegin = 'BEGIN ISOLATION LEVEL READ COMMITTED;';
export const guardCommit = 'COMMIT;';
export const commitSlice = `SELECT ${ledgerSchema}.commit_slice();`;

/** Says by name what is missing, where PostgreSQL would say that a schema or a function does not exist. */
export const installedCheck = `DO $backfill$ BEGIN
  IF to_regproc('${ledgerSchema}.begin_slice') IS NULL THEN
    RAISE EXCEPTION 'the ledger of this database is missing or too old for this task; install it with: ${installCommand}';
  END IF;
END $backfill$;`;

/** A slice as the guard hands it to the ledger; everything but names is SQL or template as written. */
export interface GuardedSlice {
  /** Templates of text. */
  readonly task: string;
  readonly run: string;
  /** SQL. */
  readonly intervalStart: string;
  readonly lower: string;
  readonly upper: string;
  /** The table as the task writes it. */
  readonly target: string;
  readonly column: string;
  /** The condition of the task's DELETE, where it has one. */
  readonly predicate: string | undefined;
  readonly key: readonly string[];
  readonly leftOut: readonly string[];
}

export function beginSlice(slice: GuardedSlice): string {
  const lines = [
    `task => ${literal(slice.task)}, run => ${literal(slice.run)}, interval_start => ${slice.intervalStart}`,
    `target => ${literal(slice.target)}, slice_column => ${literal(slice.column)}`,
    `lower_bound => ${slice.lower}`,
    `upper_bound => ${slice.upper}`,
    ...(slice.predicate === undefined ? [] : [`predicate => ${dollarQuoted(slice.predicate)}`]),
    ...(slice.key.length === 0 ? [] : [`key => ${array(slice.key)}`]),
    ...(slice.leftOut.length === 0 ? [] : [`left_out => ${array(slice.leftOut)}`]),
  ];
  return `SELECT ${ledgerSchema}.begin_slice(\n  ${lines.join(',\n  ')});`;
}

/** What stands in a template is Jinja's, which knows no doubled quote. */
const literal = (text: string): string =>
  `'${text.replace(/\{\{.*?\}\}|'/gs, (part) => (part === "'" ? "''" : part))}'`;

function dollarQuoted(text: string): string {
  let tag = '$slice$';
  while (text.includes(tag)) tag = tag.replace(/\$$/, '_$');
  return `${tag}${text}${tag}`;
}

const array = (names: readonly string[]): string => `ARRAY[${names.map(literal).join(', ')}]`;
