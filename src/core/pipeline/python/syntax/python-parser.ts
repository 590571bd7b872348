import type { Tree } from 'web-tree-sitter';

/** Parses Python to a syntax tree, tolerant of half-typed code. Loading the grammar is I/O, so the shells provide it. */
export interface PythonParser {
  /** The caller must `delete()` the tree when done with it. */
  parse(text: string): Tree;
}
