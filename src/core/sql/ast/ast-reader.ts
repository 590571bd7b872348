import type { DialectName } from '../dialect-name.ts';
import type { Statement, StatementKind } from '../statement.ts';
import { astFacts } from './ast-facts.ts';
import type { AstParser } from './ast-parser.ts';

/** A second opinion on statements, from the full grammars that are loaded. */
export interface AstReader {
  /** `sql` is the masked text of the statement alone. A dialect without grammar, or one it cannot read, is no doubt. */
  trustOf(statement: Statement, sql: string, dialect: DialectName): Statement['trust'];
}

/** Longer statements are not worth the time of a backtracking parser. */
const maxLength = 20_000;

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
export const createAstReader = (parserOf: (dialect: DialectName) => AstParser | undefined): AstReader => ({
  trustOf(statement, sql, dialect) {
    if (!compared.has(statement.kind) || misread[dialect]?.has(statement.kind) === true || sql.length > maxLength)
      return 'full';
    const tree = parserOf(dialect)?.parse(sql);
    const facts = tree === undefined ? undefined : astFacts(tree);
    if (facts === undefined) return 'full';
    const { query } = statement;
    const sameQuery =
      facts.query === undefined ||
      query === undefined ||
      (facts.query.selectItems === query.select.length &&
        facts.query.groupKeys === query.groupBy.length &&
        facts.query.filtered === query.where.length > 0);
    const name = statement.target?.name.toLowerCase().replace(/^.*\./, '') ?? '';
    const alias = statement.targetAlias?.toLowerCase() ?? '';
    const sameTarget = facts.targets.length === 0 || facts.targets.includes(name) || facts.targets.includes(alias);
    return facts.kind === statement.kind && sameTarget && sameQuery ? 'full' : 'envelope';
  },
});
