import type { Node, Tree } from 'web-tree-sitter';
import type { Span } from '../../../text/span.ts';

/** A node of the Python syntax tree as plain data, so that no parser memory has to be kept or freed. */
export interface SyntaxNode extends Span {
  /** Name of the grammar rule, e.g. `call`, `keyword_argument`. */
  readonly type: string;
  /** The role in the parent, e.g. `left`, `arguments`. */
  readonly field: string | undefined;
  /** Named children, and the unnamed ones that have a field (operators). Comments are left out. */
  readonly children: readonly SyntaxNode[];
}

/** One parsed Python text. Offsets are UTF-16. */
export interface SyntaxTree {
  readonly root: SyntaxNode;
  /** The first place where the text is not valid Python, if any; the rest is understood all the same. */
  readonly firstError: Span | undefined;
}

interface Building {
  type: string;
  field: string | undefined;
  start: number;
  end: number;
  children: Building[];
}

/** Copies a parser's tree and frees it; `place` gives the offsets of a text that was changed to be parsed. */
export function takeSyntaxTree(tree: Tree, place: (offset: number) => number = (offset) => offset): SyntaxTree {
  const cursor = tree.walk();
  const build = (field: string | undefined): Building => ({
    type: cursor.nodeType,
    field,
    start: place(cursor.startIndex),
    end: place(cursor.endIndex),
    children: [],
  });
  const root = build(undefined);
  // Iterative, because a chain of a few thousand `+` nests as deeply. A cursor call costs more than the rest of the
  // loop, so punctuation and the insides of literals are left out before anything else is asked.
  const path: Building[] = [root];
  let open = cursor.gotoFirstChild();
  while (open || path.length > 1) {
    if (!open) {
      cursor.gotoParent();
      path.pop();
      open = cursor.gotoNextSibling();
      continue;
    }
    const field = cursor.currentFieldName ?? undefined;
    const named = cursor.nodeIsNamed;
    if (named || field !== undefined) {
      const node = build(field);
      if (!skipped.has(node.type)) path.at(-1)?.children.push(node);
      if (named && !leaves.has(node.type) && cursor.gotoFirstChild()) {
        path.push(node);
        continue;
      }
    }
    open = cursor.gotoNextSibling();
  }
  cursor.delete();
  const error = tree.rootNode.hasError ? findError(tree.rootNode) : undefined;
  const firstError = error && { start: place(error.start), end: place(error.end) };
  tree.delete();
  return { root, firstError };
}

const skipped: ReadonlySet<string> = new Set(['comment', 'line_continuation']);
const leaves: ReadonlySet<string> = new Set([
  'comment',
  'line_continuation',
  'identifier',
  'integer',
  'string_content',
  'string_start',
  'string_end',
]);

/** The first ERROR or missing token below a node that has one. */
function findError(node: Node): Span | undefined {
  let at = node;
  for (;;) {
    if (at.isError || at.isMissing) return { start: at.startIndex, end: at.endIndex };
    const inner = at.children.find((child) => child?.hasError || child?.isError || child?.isMissing);
    if (!inner) return undefined;
    at = inner;
  }
}

export const childOf = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node.children.find((child) => child.field === field);

export const childrenOf = (node: SyntaxNode, field: string): readonly SyntaxNode[] =>
  node.children.filter((child) => child.field === field);

export const childOfType = (node: SyntaxNode, type: string): SyntaxNode | undefined =>
  node.children.find((child) => child.type === type);
