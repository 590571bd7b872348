import { loadModule, parseSync } from 'libpg-query';

/** What the real grammar says about one statement; offsets are UTF-16. */
export interface OracleFacts {
  readonly kind: string;
  readonly target: string | undefined;
  /** Name and offset of every table read, in source order. */
  readonly reads: readonly string[];
  /** `undefined` when the statement has no select list. */
  readonly columns: readonly (string | undefined)[] | undefined;
}

type Node = Readonly<Record<string, unknown>>;

await loadModule();

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;
const child = (node: Node | undefined, key: string): Node | undefined => {
  const value = node?.[key];
  return isNode(value) ? value : undefined;
};
const list = (node: Node | undefined, key: string): readonly Node[] => {
  const value = node?.[key];
  return Array.isArray(value) ? (value as Node[]) : [];
};
const only = (node: Node | undefined): readonly [string, Node] =>
  (Object.entries(node ?? {})[0] ?? ['', {}]) as [string, Node];

/** The statements of a text as Postgres parses it; `undefined` when it refuses the text. */
export function oracle(sql: string): readonly OracleFacts[] | undefined {
  let parsed: { stmts?: readonly { stmt: Node }[] };
  try {
    parsed = parseSync(sql) as typeof parsed;
  } catch {
    return undefined;
  }
  const offset = utf16Offsets(sql);
  return (parsed.stmts ?? []).map(({ stmt }) => factsOf(stmt, offset));
}

function utf16Offsets(sql: string): (byte: number) => number {
  const bytes = Buffer.from(sql, 'utf8');
  return (byte) => bytes.subarray(0, byte).toString('utf8').length;
}

const tableName = (relation: Node | undefined): string | undefined =>
  relation?.relname === undefined
    ? undefined
    : [relation.catalogname, relation.schemaname, relation.relname].filter((part) => part !== undefined).join('.');

const kinds: Readonly<Record<string, string>> = {
  SelectStmt: 'select',
  InsertStmt: 'insert',
  UpdateStmt: 'update',
  DeleteStmt: 'delete',
  MergeStmt: 'merge',
  TruncateStmt: 'truncate',
  CreateStmt: 'create_table',
  CreateTableAsStmt: 'create_table_as',
  ViewStmt: 'create_view',
  CreateFunctionStmt: 'create_procedure',
  DropStmt: 'drop',
  AlterTableStmt: 'alter',
  RenameStmt: 'alter_rename',
  CopyStmt: 'copy',
  RefreshMatViewStmt: 'refresh',
  DoStmt: 'do',
};

const transactions: Readonly<Record<string, string>> = {
  TRANS_STMT_BEGIN: 'begin',
  TRANS_STMT_START: 'begin',
  TRANS_STMT_COMMIT: 'commit',
  TRANS_STMT_ROLLBACK: 'rollback',
  TRANS_STMT_ROLLBACK_TO: 'rollback',
};

function factsOf(statement: Node, offset: (byte: number) => number): OracleFacts {
  const [type, body] = only(statement);
  // One query that fills several columns stands in the tree once for each.
  const reads: { name: string; at: number }[] = [];
  collect(body, [], reads, offset);
  reads.sort((a, b) => a.at - b.at);
  return {
    kind: kindOf(type, body),
    target: targetOf(type, body),
    reads:
      type === 'TruncateStmt' || type === 'CreateStmt'
        ? []
        : [...new Set(reads.map(({ name, at }) => `${name}@${at}`))],
    columns: columnsOf(type, body),
  };
}

function kindOf(type: string, body: Node): string {
  if (type === 'TransactionStmt') return transactions[String(body.kind)] ?? 'other';
  if (type === 'CreateTableAsStmt' && body.objtype === 'OBJECT_MATVIEW') return 'create_view';
  if (type === 'SelectStmt' && body.intoClause !== undefined) return 'create_table_as';
  if (type === 'RenameStmt' && body.renameType !== 'OBJECT_TABLE') return 'alter';
  if (type === 'AlterTableStmt' && JSON.stringify(body).includes('PartitionCmd')) return 'alter_partition';
  return kinds[type] ?? 'other';
}

function targetOf(type: string, body: Node): string | undefined {
  if (type === 'SelectStmt') return tableName(child(child(body, 'intoClause'), 'rel'));
  if (type === 'CreateTableAsStmt') return tableName(child(child(body, 'into'), 'rel'));
  if (type === 'ViewStmt') return tableName(child(body, 'view'));
  if (type === 'TruncateStmt') return tableName(child(list(body, 'relations')[0], 'RangeVar'));
  if (type === 'CopyStmt' && body.is_from !== true) return undefined;
  if (type === 'DropStmt') {
    const parts = list(child(list(body, 'objects')[0], 'List'), 'items');
    return parts.map((part) => String(child(part, 'String')?.sval)).join('.');
  }
  return tableName(child(body, 'relation'));
}

function selectOf(type: string, body: Node): Node | undefined {
  if (type === 'SelectStmt') return body;
  const query = child(body, 'selectStmt') ?? child(body, 'query');
  return child(query, 'SelectStmt');
}

function columnsOf(type: string, body: Node): readonly (string | undefined)[] | undefined {
  let select = selectOf(type, body);
  while (child(select, 'larg') !== undefined) select = child(select, 'larg');
  if (select?.targetList === undefined) return undefined;
  return list(select, 'targetList').map((item) => {
    const target = child(item, 'ResTarget');
    return target?.name === undefined ? nameOfValue(child(target, 'val')) : String(target.name);
  });
}

function nameOfValue(value: Node | undefined): string | undefined {
  const [type, body] = only(value);
  if (type === 'TypeCast') return nameOfValue(child(body, 'arg'));
  if (type !== 'ColumnRef') return undefined;
  const last = list(body, 'fields').at(-1);
  return child(last, 'A_Star') !== undefined ? '*' : String(child(last, 'String')?.sval);
}

/** Every RangeVar that stands as a source, with the common tables in force at its place left out. */
function collect(
  value: unknown,
  scope: readonly string[],
  into: { name: string; at: number }[],
  offset: (byte: number) => number,
): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, scope, into, offset);
    return;
  }
  if (!isNode(value)) return;
  let inner = scope;
  const clause = child(value, 'withClause');
  const recursive = clause?.recursive === true;
  const tables = list(clause, 'ctes').map((item) => child(item, 'CommonTableExpr') ?? {});
  if (recursive) inner = [...inner, ...tables.map((table) => String(table.ctename))];
  for (const table of tables) {
    collect(table.ctequery, inner, into, offset);
    inner = [...inner, String(table.ctename)];
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === 'withClause' || key === 'lockingClause') continue;
    const table = key === 'RangeVar' && isNode(item) ? item : undefined;
    const name = tableName(table);
    if (table === undefined || name === undefined) collect(item, inner, into, offset);
    else if (table.schemaname !== undefined || !inner.includes(name))
      into.push({ name, at: offset(Number(table.location ?? 0)) });
  }
}
