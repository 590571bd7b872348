import type { SourceSpan } from '../text/span.ts';
import type { Finding } from './model/finding.ts';

/** Findings that a project has accepted as they are, so that only new ones are reported. */
export interface Baseline {
  readonly version: 1;
  readonly findings: readonly AcceptedFinding[];
}

/**
 * Findings of one rule in one file that mark the same text. Lines are not kept, so that they stay known wherever edits
 * move them to; where the marked text itself is changed, the finding is a new one.
 */
export interface AcceptedFinding {
  readonly rule: string;
  /** Relative to the root of the workspace, with `/`. */
  readonly file: string;
  /** What is marked, with white space folded. */
  readonly text: string;
  readonly count: number;
}

type TextOf = (file: string) => string | undefined;

/** The baseline that accepts all of these findings, in the order of files, rules and texts. */
export function makeBaseline(findings: readonly Finding[], textOf: TextOf): Baseline {
  const counts = new Map<string, AcceptedFinding>();
  for (const { rule, at } of findings) {
    const text = markedText(at, textOf);
    const key = keyOf(rule, at.file, text);
    counts.set(key, { rule, file: at.file, text, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  const order = ({ file, rule, text }: AcceptedFinding): string => `${file}\n${rule}\n${text}`;
  return { version: 1, findings: [...counts.values()].sort((a, b) => (order(a) < order(b) ? -1 : 1)) };
}

export interface Compared {
  /** What the baseline does not know: of equal ones, as many as there are more. */
  readonly added: readonly Finding[];
  /** How many findings of the baseline are there no more. */
  readonly gone: number;
}

/** Sets the findings that a baseline accepts aside. */
export function withoutAccepted(findings: readonly Finding[], baseline: Baseline, textOf: TextOf): Compared {
  const left = new Map(baseline.findings.map(({ rule, file, text, count }) => [keyOf(rule, file, text), count]));
  const added = findings.filter(({ rule, at }) => {
    const key = keyOf(rule, at.file, markedText(at, textOf));
    const count = left.get(key) ?? 0;
    if (count > 0) left.set(key, count - 1);
    return count === 0;
  });
  return { added, gone: [...left.values()].reduce((sum, count) => sum + count, 0) };
}

const keyOf = (rule: string, file: string, text: string): string => JSON.stringify([rule, file, text]);

const markedText = ({ file, start, end }: SourceSpan, textOf: TextOf): string =>
  (textOf(file) ?? '').slice(start, end).replace(/\s+/g, ' ').trim();

/** A baseline from its file's text; a string says what is wrong with it. */
export function readBaseline(text: string): Baseline | string {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  if (!isRecord(data) || data.version !== 1) return 'it is of another version';
  if (!Array.isArray(data.findings) || !data.findings.every(isAccepted)) return 'its findings cannot be read';
  return { version: 1, findings: data.findings };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isAccepted = (value: unknown): value is AcceptedFinding =>
  isRecord(value) &&
  ['rule', 'file', 'text'].every((name) => typeof value[name] === 'string') &&
  Number.isInteger(value.count) &&
  Number(value.count) > 0;
