/** How a statement of a task is carried out inside the unit's own transaction. */
export type StatementPlan =
  | { readonly kind: 'run' }
  /** Not sent: the unit's own transaction takes its place. `note` where something of it is lost. */
  | { readonly kind: 'drop'; readonly note: string | undefined }
  /** `alone`: it cannot be part of any transaction, and can be run by itself. */
  | { readonly kind: 'refuse'; readonly reason: string; readonly remedy: string; readonly alone?: true };

/** The savepoint of the run protocol; a task may not use its name. */
export const unitSavepoint = 'backfill_unit';

const run: StatementPlan = { kind: 'run' };
const drop: StatementPlan = { kind: 'drop', note: undefined };
const outside = 'Take it out of the task, or run the task by its scheduler.';

/**
 * Decides by the first words. A task's BEGIN and COMMIT are no-ops, its isolation clauses are dropped and said, and
 * what would end the transaction or cannot run in one is refused.
 */
export function planStatement(text: string): StatementPlan {
  const words = leadingWords(text);
  const [first = '', second = '', third = ''] = words;
  const refuse = (reason: string, remedy = outside): StatementPlan => ({ kind: 'refuse', reason, remedy });
  const alone = (reason: string): StatementPlan => ({ kind: 'refuse', reason, remedy: outside, alone: true });
  switch (first) {
    case '':
      return text.trimStart().startsWith('\\')
        ? refuse('A psql command cannot be run over a connection.', 'Write it as SQL.')
        : drop;
    case 'begin':
    case 'start':
      if (first === 'start' && second !== 'transaction') return run;
      return words.some((word) => ['isolation', 'read', 'deferrable'].includes(word)) ? isolationDropped(text) : drop;
    case 'commit':
    case 'end':
      return second === 'prepared' ? refuse('COMMIT PREPARED ends a transaction of somebody else.') : drop;
    case 'rollback':
    case 'abort':
      // Rows of other slices that were never deleted would be told as left over, with the advice to delete them.
      return words.includes('to')
        ? refuse(
            'ROLLBACK TO takes back what statements before it did, so that which rows the task writes is not known.',
            'Take out its savepoint and what is taken back, or run the task by its scheduler.',
          )
        : refuse(
            `${first.toUpperCase()} takes back what statements before it did, and this rerun cannot: it is one transaction.`,
            'Take out what is taken back together with its BEGIN, or run the task by its scheduler.',
          );
    case 'savepoint':
    case 'release':
      return savepoint(words, refuse);
    case 'prepare':
      return second === 'transaction' ? refuse('PREPARE TRANSACTION takes the transaction out of our hands.') : run;
    case 'set':
    case 'reset': {
      if (second === 'transaction' || (second === 'session' && third === 'characteristics'))
        return isolationDropped(text);
      const name = second === 'session' || second === 'local' ? third : second;
      if (/^transaction_(isolation|read_only|deferrable)$/.test(name)) return isolationDropped(text);
      return name === 'temp_buffers'
        ? leftOut(text, 'it has to come before the first temporary table, and a run has some of its own')
        : run;
    }
    case 'vacuum':
      return alone('VACUUM cannot run inside a transaction.');
    case 'discard':
      if (second === 'all') return refuse('DISCARD ALL cannot run inside a transaction.');
      return second === 'temp' || second === 'temporary'
        ? refuse(
            'DISCARD TEMP would drop the copies of its slices as well, by which a run compares them.',
            'DROP TABLE the temporary tables of the task by name; those that are left are dropped after each run.',
          )
        : run;
    case 'create':
    case 'drop':
      if (['database', 'tablespace', 'subscription'].includes(second)) {
        return alone(`${first.toUpperCase()} ${second.toUpperCase()} cannot run inside a transaction.`);
      }
      return concurrently(words)
        ? alone('An index made or dropped CONCURRENTLY cannot be part of a transaction.')
        : run;
    case 'reindex':
      return concurrently(words) ? alone('REINDEX CONCURRENTLY cannot be part of a transaction.') : run;
    case 'alter':
      return second === 'system' ? alone('ALTER SYSTEM cannot run inside a transaction.') : run;
    case 'copy':
      return /\b(from\s+stdin|to\s+stdout)\b/i.test(text)
        ? refuse(
            'COPY over the connection needs a client that feeds it.',
            'Use INSERT, or COPY from a file of the server.',
          )
        : run;
    default:
      return run;
  }
}

function isolationDropped(text: string): StatementPlan {
  const words = leadingWords(text);
  const isReadOnly = words.includes('only') || words.includes('transaction_read_only');
  const why = [
    ...(isReadOnly ? ['its transaction writes the record of the rerun too'] : []),
    ...(isReadOnly && !words.includes('isolation') ? [] : ['a rerun works at READ COMMITTED']),
  ];
  return leftOut(text, why.join(', and '));
}

const leftOut = (text: string, why: string): StatementPlan => ({
  kind: 'drop',
  note: `\`${text.trim().replace(/\s+/g, ' ').slice(0, 100)}\` was left out: ${why}.`,
});

function savepoint(
  words: readonly string[],
  refuse: (reason: string, remedy?: string) => StatementPlan,
): StatementPlan {
  return words.includes(unitSavepoint)
    ? refuse(`The savepoint name ${unitSavepoint} is taken.`, 'Rename the savepoint of the task.')
    : run;
}

const concurrently = (words: readonly string[]): boolean => words.includes('concurrently');

/** The first words in lower case, without comments; enough to know what a statement does. */
function leadingWords(text: string): readonly string[] {
  const words: string[] = [];
  let rest = text;
  while (words.length < 12) {
    rest = rest.replace(/^[\s;(,]+/, '');
    if (rest.startsWith('--')) rest = rest.replace(/^--[^\n]*/, '');
    else if (rest.startsWith('/*')) rest = rest.slice(blockCommentLength(rest));
    else {
      const word = /^[\p{L}_][\p{L}\p{N}_$]*/u.exec(rest)?.[0];
      if (word === undefined) break;
      words.push(word.toLowerCase());
      rest = rest.slice(word.length);
    }
  }
  return words;
}

/** Block comments nest in PostgreSQL. */
function blockCommentLength(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length - 1; at++) {
    const pair = text.slice(at, at + 2);
    if (pair === '/*') depth++;
    else if (pair === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
