import type { Span } from './span.ts';

/** The text after replacements that do not overlap, whatever their order; insertions at one place keep theirs. */
export const applyEdits = (text: string, edits: readonly (Span & { readonly newText: string })[]): string =>
  [...edits]
    .sort((a, b) => a.start - b.start)
    .reduceRight((left, { start, end, newText }) => left.slice(0, start) + newText + left.slice(end), text);
