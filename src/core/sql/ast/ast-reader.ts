import type { DialectName } from '../model/dialect-name.ts';
import type { Statement, StatementKind, Trust } from '../model/statement.ts';
import { type AstFacts, astFacts } from './ast-facts.ts';
import type { AstParser } from './ast-parser.ts';

/** A second opinion on statements, from the full grammars that are loaded. */
export interface AstReader {
  /** `sql` is the masked text of the statement alone. A dialect without grammar, or one it cannot read, is no doubt. */
  trustOf(statement: Statement, sql: string, dialect: DialectName): Trust;
}

/** Longer statements are not worth the time of a backtracking parser, which takes about 0.03 ms a character. */
const maxLength = 4000;

/** Statements whose facts are kept: after an edit most of a file is read again as it was. */
const keptFacts = 500;

const compared: ReadonlySet<StatementKind> = new Set([
  'select',
  'insert',
  'replace',
  'delete',
  'update',
  'truncate',
  'create_table',
  'create_table_as',
  'create_view',
]);

/** Statements that the grammar is known to misread. */
const misread: Readonly<Partial<Record<DialectName, ReadonlySet<StatementKind>>>> = {
  bigquery: new Set(['delete', 'update']),
  snowflake: new Set(['delete']),
};

/** `parserOf` answers from what its caller has loaded (`loadAstParser`); it may grow while the reader is in use. */
export function createAstReader(parserOf: (dialect: DialectName) => AstParser | undefined): AstReader {
  const kept = new Map<string, AstFacts | undefined>();
  const factsOf = (sql: string, dialect: DialectName): AstFacts | undefined => {
    const parser = parserOf(dialect);
    if (parser === undefined) return undefined;
    const key = `${dialect} ${sql}`;
    if (kept.has(key)) return kept.get(key);
    const tree = parser.parse(sql);
    const facts = tree && astFacts(tree);
    kept.set(key, facts);
    const [oldest] = kept.keys();
    if (kept.size > keptFacts && oldest !== undefined) kept.delete(oldest);
    return facts;
  };
  return {
    trustOf(statement, sql, dialect) {
      if (!compared.has(statement.kind) || misread[dialect]?.has(statement.kind) === true || sql.length > maxLength)
        return 'full';
      const facts = factsOf(sql, dialect);
      return facts === undefined || agrees(statement, facts) ? 'full' : 'envelope';
    },
  };
}

function agrees(statement: Statement, facts: AstFacts): boolean {
  const { query } = statement;
  const sameQuery =
    facts.query === undefined ||
    query === undefined ||
    (facts.query.selectItems === query.select.length &&
      facts.query.groupKeys === query.groupBy.length &&
      facts.query.filtered === query.where.length > 0);
  const name = statement.target?.name.toLowerCase().replace(/^.*\./, '') ?? '';
  const alias = statement.targetAlias?.toLowerCase() ?? '';
  // The grammar reads a name that is a template under its mask.
  const isTemplate = statement.target?.templated === true;
  const sameTarget =
    isTemplate || facts.targets.length === 0 || facts.targets.includes(name) || facts.targets.includes(alias);
  return facts.kind === statement.kind && sameTarget && sameQuery;
}
