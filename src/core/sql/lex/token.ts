import type { Span } from '../../text/span.ts';

export type TokenKind =
  | 'word'
  /** An identifier in quotes; `text` is its content. */
  | 'quoted'
  | 'string'
  | 'number'
  | 'operator'
  /** `:name`, `@name`, `$1`, `?`, `%s`, `%(name)s`, a stage. */
  | 'parameter'
  /** A template expression that stands alone or fills a whole quoted string. */
  | 'hole'
  /** A quoted string that mixes text and template expressions. */
  | 'template-string'
  /** `;`, or the delimiter in force. */
  | 'terminator';

export interface Token extends Span {
  readonly kind: TokenKind;
  /**
   * Words in lower case, quoted identifiers and strings without their quotes, all else as written. Expressions inside
   * an identifier are written back as `{{ … }}`, because the mask's filler says nothing.
   */
  readonly text: string;
  /** Indexes into `MaskedText.holes`. */
  readonly holes: readonly number[];
  /** Nothing but white space and comments stands before it on its line. */
  readonly startsLine: boolean;
  /** What stands inside the quotes; `undefined` for tokens without any. */
  readonly content: Span | undefined;
}
