/** Half-open range of UTF-16 offsets in one text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A span of a file of the workspace. `file` is relative to the workspace root, with `/`. */
export interface SourceSpan extends Span {
  readonly file: string;
}

/** 1-based line and column (UTF-16 units), as every surface outside core shows them. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A replacement in one file; offsets refer to the text as read. An insertion has `start === end`. */
export interface TextEdit extends SourceSpan {
  readonly newText: string;
}

/** Something that could not be read or decided, said with its place; never an exception. */
export interface Problem {
  readonly message: string;
  readonly at: SourceSpan | undefined;
  readonly severity: 'error' | 'warning' | 'info';
}
