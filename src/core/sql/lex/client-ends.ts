import type { Lexis } from './lexis.ts';
import type { Token } from './token.ts';

const cell = /-- COMMAND -{5,}[ \t]*(?=\r|\n|$)/y;

/** True at the comment that parts two cells of a notebook kept as a SQL file: what is before it is a statement of its own. */
export function notebookCell(text: string, at: number): boolean {
  cell.lastIndex = at;
  return cell.test(text);
}

const batchEnd = /go(?:[ \t]+\d+)?[ \t]*;?[ \t]*(?=\r|\n|$|--)/iy;

const runLine = /\/[ \t]*(?:\r|\n|$)/y;

/**
 * True at a line `GO`, with which the clients of SQL Server send what stands before it, and at a line `/` behind the end
 * of a statement, with which those of Oracle send a block.
 */
export function endsBatch(text: string, at: number, { batches }: Lexis, last: Token | undefined): boolean {
  batchEnd.lastIndex = at;
  if (batches && batchEnd.test(text)) return true;
  runLine.lastIndex = at;
  return last?.kind === 'terminator' && runLine.test(text);
}

/** Commands of psql that run what has been written so far. */
const sendsBuffer = /^\\(?:;|(?:g|gx|gset|gexec|gdesc|crosstabview|watch)\b)/;

/** True where a command of psql ends the statement in front of it. */
export const sendsStatement = (command: string): boolean => sendsBuffer.test(command);

/** What only says how psql shows and tells things: without them a script does the same to its database. */
const onlyShows =
  /^\\(?:(?:timing|x|a|t|f|H|C|T|pset|echo|qecho|warn|p|conninfo|copyright|h|help|errverbose|restrict|unrestrict|d\w*\+?|l\+?)(?:\s.*)?|(?:g|gx|o|;)\s*|encoding\s+'?[uU][tT][fF]-?8'?\s*|(?:un)?set\s+(?:ECHO|ECHO_HIDDEN|QUIET|VERBOSITY|SHOW_CONTEXT|SHOW_ALL_RESULTS|FETCH_COUNT|ON_ERROR_STOP|ON_ERROR_ROLLBACK|HIST\w*|PROMPT\d)(?:\s.*)?)$/;

/** A line of psql that decides what is done, and where: another client would leave that out. One that cannot be told counts. */
export const decidesWork = (command: string): boolean =>
  command
    .split(/(?=\\[a-zA-Z!])/)
    .map((one) => one.trim())
    .some((one) => one !== '' && !onlyShows.test(one));
