import { type AstNode, isNode } from './ast-parser.ts';

/** What the full grammar says about a statement, as far as it can be compared with the reading of its tokens. */
export interface AstFacts {
  readonly kind: string;
  /** Last parts of the names or aliases that may be the target, lower case; a MySQL UPDATE names all of its tables. */
  readonly targets: readonly string[];
  readonly query: AstQueryFacts | undefined;
}

export interface AstQueryFacts {
  readonly selectItems: number;
  readonly groupKeys: number;
  readonly filtered: boolean;
}

const kinds: Readonly<Record<string, string>> = {
  select: 'select',
  insert: 'insert',
  replace: 'replace',
  delete: 'delete',
  update: 'update',
  truncate: 'truncate',
};

/** `undefined` for statements that the comparison does not cover. */
export function astFacts(tree: AstNode): AstFacts | undefined {
  const type = String(tree.type);
  if (type === 'create') return createFacts(tree);
  const kind = kinds[type];
  if (kind === undefined) return undefined;
  if (kind === 'select') return { kind, targets: [], query: queryFacts(tree) };
  const values = nodeAt(tree, 'values');
  return {
    kind,
    targets: tableNames(kind === 'truncate' ? tree.name : tree.table),
    query: values?.type === 'select' ? queryFacts(values) : undefined,
  };
}

function createFacts(tree: AstNode): AstFacts | undefined {
  if (tree.keyword === 'view') {
    const view = nodeAt(tree, 'view');
    const query = nodeAt(tree, 'select');
    return { kind: 'create_view', targets: lastPart(view?.view), query: query && queryFacts(query) };
  }
  if (tree.keyword !== 'table') return undefined;
  const query = nodeAt(tree, 'query_expr');
  const kind = query === undefined ? 'create_table' : 'create_table_as';
  return { kind, targets: tableNames(tree.table), query: query && queryFacts(query) };
}

function queryFacts(query: AstNode): AstQueryFacts | undefined {
  const columns = query.columns;
  const grouped = nodeAt(query, 'groupby')?.columns ?? query.groupby;
  return {
    selectItems: Array.isArray(columns) ? columns.length : 1,
    groupKeys: Array.isArray(grouped) ? grouped.length : 0,
    filtered: isNode(query.where),
  };
}

function nodeAt(node: AstNode, key: string): AstNode | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

const tableNames = (tables: unknown): readonly string[] =>
  (Array.isArray(tables) ? tables : [tables]).flatMap((table: unknown) => (isNode(table) ? lastPart(table.table) : []));

const lastPart = (name: unknown): readonly string[] =>
  typeof name === 'string' ? [name.toLowerCase().replace(/^.*\./, '')] : [];
