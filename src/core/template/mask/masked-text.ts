import type { Span } from '../../text/span.ts';
import type { BranchWay } from '../language/template-blocks.ts';
import type { SymbolicValue } from '../names/symbolic-value.ts';

/** An expression inside a text: `{{ ds }}` of a template, `{day}` of an f-string, or `%(day)s`, which a driver fills in. Offsets as in the unmasked text. */
export interface Hole extends Span {
  readonly origin: 'template' | 'f-string' | 'parameter';
  /** The expression without its delimiters, trimmed. */
  readonly source: string;
  /** The expression's own span, inside the delimiters. */
  readonly expression: Span;
  readonly value: SymbolicValue;
  /** Inside a quoted SQL string the mask is filler; elsewhere it is an identifier or a number. */
  readonly quoted: boolean;
}

/**
 * A template with every tag and comment blanked and every expression replaced by a stand-in of the same length, so
 * that SQL can be read without rendering. Same length, same newlines, same offsets as the source.
 */
export interface MaskedText {
  readonly text: string;
  /** Ordered by start. */
  readonly holes: readonly Hole[];
  /** `{% if %}`, `{% for %}` … in source order, for rules that look at branches. */
  readonly tags: readonly (Span & { readonly source: string })[];
  /** Branches that a run may take and that are blanked here, because one that stands before them is read. */
  readonly passed?: readonly Span[];
  /** Other ways that a run may go through its branches. */
  readonly ways?: readonly BranchWay[];
  /** Set when the template could not be read to its end (unclosed tag); the rest is left as it stands. */
  readonly problem: (Span & { readonly message: string }) | undefined;
}
