import type { Span } from '../../text/span.ts';
import type { Statement } from '../model/statement.ts';
import { ledgerSchema } from './ledger-name.ts';

/**
 * The statements by which a task that its scheduler runs joins the ledger and the lock, around the task's own. A run of
 * ours does by itself what they do, so it leaves them out.
 */
export type GuardPart = 'installed' | 'begin' | 'commit';

const patterns: Readonly<Record<GuardPart, RegExp>> = {
  installed: new RegExp(`^do\\b[^;]*\\b${ledgerSchema}\\.begin_slice\\b`, 'i'),
  begin: new RegExp(`^select\\s+${ledgerSchema}\\.begin_slice\\s*\\(`, 'i'),
  commit: new RegExp(`^select\\s+${ledgerSchema}\\.commit_slice\\s*\\(`, 'i'),
};

/** Which part of the guard a statement is; `undefined` for one of the task's own. `text` is the text that it stands in. */
export function guardPart(text: string, { start, end }: Span): GuardPart | undefined {
  const own = text.slice(start, end);
  return (Object.keys(patterns) as GuardPart[]).find((part) => patterns[part].test(own));
}

/** The statements of a text without its guard. */
export const ownStatements = (text: string, statements: readonly Statement[]): readonly Statement[] =>
  text.includes(ledgerSchema) ? statements.filter((statement) => guardPart(text, statement) === undefined) : statements;

/**
 * The parts of a text that are guard: its statements with the BEGIN in front and the COMMIT behind them, and the white
 * space that parts them from the task's own.
 */
export function guardSpans(text: string, statements: readonly Statement[]): readonly Span[] {
  if (!text.includes(ledgerSchema)) return [];
  const isGuard = (at: number): boolean => {
    const statement = statements[at];
    return statement !== undefined && guardPart(text, statement) !== undefined;
  };
  const belongs = statements.map(
    ({ kind }, at) => isGuard(at) || (kind === 'begin' && isGuard(at + 1)) || (kind === 'commit' && isGuard(at - 1)),
  );
  return statements.flatMap((statement, at): Span[] => {
    if (!belongs[at]) return [];
    const terminated = (from: number): number => from + (/^\s*;/.exec(text.slice(from))?.[0].length ?? 0);
    const end = text.charAt(statement.end - 1) === ';' ? statement.end : terminated(statement.end);
    const next = statements.slice(at + 1).findIndex((_, further) => !belongs[at + 1 + further]);
    // In front of the task's own the white space goes with the guard; behind it, what leads to the guard.
    if (next >= 0) return [{ start: statement.start, end: statements[at + 1]?.start ?? end }];
    const before = /\s*$/.exec(text.slice(0, statement.start))?.[0].length ?? 0;
    return [{ start: statement.start - before, end }];
  });
}

/** The text without the spans: same length, same lines, same offsets. */
export const blanked = (text: string, spans: readonly Span[]): string =>
  spans.reduce(
    (left, { start, end }) => left.slice(0, start) + left.slice(start, end).replace(/[^\r\n]/g, ' ') + left.slice(end),
    text,
  );

/** The text without the spans and nothing in their place. */
export const cutOut = (text: string, spans: readonly Span[]): string =>
  spans.reduceRight((left, { start, end }) => left.slice(0, start) + left.slice(end), text);
