import type { DialectName } from '../model/dialect-name.ts';

/** A node of the parser's tree; its shape differs between dialects, so nothing about it is taken for granted. */
export type AstNode = Readonly<Record<string, unknown>>;

/** The full grammar of one dialect. `undefined`: not understood, which says nothing about the statement. */
export interface AstParser {
  parse(sql: string): AstNode | undefined;
}

interface ParserModule {
  readonly Parser: new () => { astify(sql: string, options: { database: string; trimQuery: boolean }): unknown };
}

interface Grammar {
  readonly database: string;
  readonly load: () => Promise<{ readonly default?: unknown }>;
}

const postgres: Grammar = {
  database: 'Postgresql',
  load: () => import('node-sql-parser/build/postgresql.js'),
};

/** Every grammar is a chunk of its own. DuckDB is read with that of Postgres; Spark and Trino have none to be trusted. */
const grammars: Readonly<Partial<Record<DialectName, Grammar>>> = {
  postgres,
  duckdb: postgres,
  redshift: { database: 'Redshift', load: () => import('node-sql-parser/build/redshift.js') },
  snowflake: { database: 'Snowflake', load: () => import('node-sql-parser/build/snowflake.js') },
  bigquery: { database: 'BigQuery', load: () => import('node-sql-parser/build/bigquery.js') },
  mysql: { database: 'MySQL', load: () => import('node-sql-parser/build/mysql.js') },
};

/** Loads the grammar of a dialect, a few hundred kilobytes; `undefined` when there is none. */
export async function loadAstParser(dialect: DialectName): Promise<AstParser | undefined> {
  const grammar = grammars[dialect];
  if (grammar === undefined) return undefined;
  const loaded = await grammar.load();
  // The package is CommonJS: bundlers and Node put its exports in different places.
  const { Parser } = ('Parser' in loaded ? loaded : loaded.default) as ParserModule;
  const parser = new Parser();
  return {
    parse(sql) {
      try {
        const tree = parser.astify(sql, { database: grammar.database, trimQuery: false });
        const only = Array.isArray(tree) ? (tree.length === 1 ? tree[0] : undefined) : tree;
        return isNode(only) ? only : undefined;
      } catch {
        return undefined;
      }
    },
  };
}

export const isNode = (value: unknown): value is AstNode =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
