import { lineIndex } from '../../text/line-index.ts';
import type { SourceSpan } from '../../text/span.ts';
import { commentsOf } from './comments.ts';

/** What the comments of one file switch off. A word that is no rule switches off nothing. */
export interface Suppressions {
  readonly unknown: readonly { readonly at: SourceSpan; readonly word: string }[];
  suppresses(rule: string, offset: number): boolean;
}

const directive = /^[\s!*]*backfill-disable(-next-line)?(?![\w-])[ \t]*/;

/**
 * Reads `backfill-disable <rule>` (whole file) and `backfill-disable-next-line <rule>: reason`. Several rules are
 * separated by commas or blanks; everything after the first colon is the reason.
 */
export function readSuppressions(file: string, text: string, knownRules: ReadonlySet<string>): Suppressions {
  const unknown: { at: SourceSpan; word: string }[] = [];
  const wholeFile = new Set<string>();
  const byLine = new Map<number, Set<string>>();
  if (!text.includes('backfill-disable')) return { unknown, suppresses: () => false };
  const lines = lineIndex(text);
  const comments = commentsOf(file, text);
  for (const comment of comments) {
    const found = directive.exec(comment.text);
    if (found === null) continue;
    const wordsAt = comment.start + found[0].length;
    const words = (comment.text.slice(found[0].length).split(/[:\r\n]/, 1)[0] ?? '').matchAll(/[^\s,]+/g);
    const rules = found[1] === undefined ? wholeFile : ruleSet(byLine, nextCodeLine(comment.end));
    let named = false;
    for (const match of words) {
      named = true;
      const start = wordsAt + match.index;
      if (knownRules.has(match[0])) rules.add(match[0]);
      else unknown.push({ word: match[0], at: { file, start, end: start + match[0].length } });
    }
    if (!named) {
      const start = comment.start + comment.text.indexOf('backfill-disable');
      unknown.push({ word: '', at: { file, start, end: start + found[0].trim().length } });
    }
  }
  return {
    unknown,
    suppresses: (rule, offset) => wholeFile.has(rule) || (byLine.get(lines.position(offset).line)?.has(rule) ?? false),
  };

  /** The line below the comment; further comments of this kind and blank lines in between are passed over. */
  function nextCodeLine(from: number): number {
    let line = lines.position(from).line + 1;
    const last = lines.position(text.length).line;
    for (; line < last; line++) {
      const start = lines.offset({ line, column: 1 });
      const rest = text.slice(start, lines.offset({ line: line + 1, column: 1 })).trim();
      const comment = comments.find(
        (one) => one.start >= start && one.start - start <= 200 && directive.test(one.text),
      );
      const onlyComment =
        comment !== undefined && lines.position(comment.start).line === line && /^(#|--|\/\*|\{#)/.test(rest);
      if (rest !== '' && !onlyComment) break;
    }
    return line;
  }
}

function ruleSet(byLine: Map<number, Set<string>>, line: number): Set<string> {
  const found = byLine.get(line) ?? new Set<string>();
  byLine.set(line, found);
  return found;
}
