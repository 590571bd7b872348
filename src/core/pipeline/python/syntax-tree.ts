import type { Tree } from 'web-tree-sitter';
import type { Span } from '../../text/span.ts';

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

/** Copies a parser's tree and frees it. */
export function takeSyntaxTree(tree: Tree): SyntaxTree {
  const cursor = tree.walk();
  let firstError: Span | undefined;
  const build = (): Building => {
    if (firstError === undefined && (cursor.nodeType === 'ERROR' || cursor.nodeIsMissing))
      firstError = { start: cursor.startIndex, end: cursor.endIndex };
    return {
      type: cursor.nodeType,
      field: cursor.currentFieldName ?? undefined,
      start: cursor.startIndex,
      end: cursor.endIndex,
      children: [],
    };
  };
  const root = build();
  const path: Building[] = [root];
  // Iterative, because a chain of a few thousand `+` nests as deeply.
  let descend = true;
  for (;;) {
    if (descend && cursor.gotoFirstChild()) {
      const node = build();
      keep(path.at(-1), node, cursor.nodeIsNamed);
      path.push(node);
      continue;
    }
    if (cursor.gotoNextSibling()) {
      path.pop();
      const node = build();
      keep(path.at(-1), node, cursor.nodeIsNamed);
      path.push(node);
      descend = true;
      continue;
    }
    if (!cursor.gotoParent()) break;
    path.pop();
    descend = false;
  }
  cursor.delete();
  tree.delete();
  return { root, firstError };
}

function keep(parent: Building | undefined, node: Building, named: boolean): void {
  if ((named || node.field !== undefined) && node.type !== 'comment' && node.type !== 'line_continuation')
    parent?.children.push(node);
}

export const childOf = (node: SyntaxNode, field: string): SyntaxNode | undefined =>
  node.children.find((child) => child.field === field);

export const childrenOf = (node: SyntaxNode, field: string): readonly SyntaxNode[] =>
  node.children.filter((child) => child.field === field);

export const childOfType = (node: SyntaxNode, type: string): SyntaxNode | undefined =>
  node.children.find((child) => child.type === type);
