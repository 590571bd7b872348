import type { Span } from '../../text/span.ts';

const blankOrComment = /([\s;]+)|--[^\r\n]*|\/\*[\s\S]*?\*\//y;

/** The comments before the first word of a SQL text, in order; empty statements there are passed over. A line comment ends before its line end. */
export function leadingComments(text: string): { readonly comments: readonly Span[]; readonly end: number } {
  const comments: Span[] = [];
  let end = 0;
  // One piece after the other: a single expression for all of them would try every way to cut `------` or
  // `/* a */ /* b */` into comments, which are exponentially many.
  for (;;) {
    blankOrComment.lastIndex = end;
    const found = blankOrComment.exec(text);
    if (found === null) return { comments, end };
    if (found[1] === undefined) comments.push({ start: end, end: blankOrComment.lastIndex });
    end = blankOrComment.lastIndex;
  }
}

/** A SQL text from its first word on. */
export const withoutLeadingComments = (text: string): string => text.slice(leadingComments(text).end);
