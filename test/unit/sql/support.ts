import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import type { SqlReading, Statement } from '../../../src/core/sql/model/statement.ts';
import { readSql } from '../../../src/core/sql/read-sql.ts';
import { type StatementJson, statementJson } from '../../../src/core/sql/statement-json.ts';
import { maskTemplate } from '../../../src/core/template/mask/mask.ts';
import type { MaskedText } from '../../../src/core/template/mask/masked-text.ts';
import { lineIndex } from '../../../src/core/text/line-index.ts';

/** What a statement is expected to say; keys as in `statements.json`. */
export interface Expectation {
  readonly k?: string;
  readonly t?: string;
  readonly r?: readonly string[];
  readonly w?: readonly string[];
  readonly set?: readonly string[];
  readonly br?: readonly string[];
  readonly fn?: readonly string[];
  readonly ts?: readonly string[];
  readonly sel?: readonly (string | null)[];
  readonly conf?: string;
  readonly part?: string;
  readonly tmp?: boolean;
}

export interface SqlCase {
  readonly id: string;
  readonly dialect: DialectName;
  readonly sql: string;
  readonly expect: Expectation | readonly Expectation[];
}

export const plain = (text: string): MaskedText => ({ text, holes: [], tags: [], problem: undefined });

export const read = (sql: string, dialect: DialectName = 'postgres'): SqlReading =>
  readSql(sql.includes('{{') ? maskTemplate(sql, []) : plain(sql), dialect);

export function readOne(sql: string, dialect: DialectName = 'postgres'): Statement {
  const { statements } = read(sql, dialect);
  const [only] = statements;
  if (only === undefined || statements.length !== 1) throw new Error(`${statements.length} statements in: ${sql}`);
  return only;
}

export const readJson = (sql: string, dialect: DialectName): readonly StatementJson[] =>
  read(sql, dialect).statements.map((statement) => statementJson(statement, lineIndex(sql)));

const fold = (name: string): string => name.toLowerCase().replace(/[`"[\]]/g, '');
const asSet = (names: readonly string[]): readonly string[] => [...new Set(names.map(fold))].sort();

/** Every expected fact that is missing or different, in words; none when all hold. */
export function differences({ sql, dialect, expect }: SqlCase): string[] {
  const got = readJson(sql, dialect);
  const wanted: readonly Expectation[] = Array.isArray(expect) ? expect : [expect as Expectation];
  const found: string[] = [];
  if (got.length !== wanted.length) found.push(`${got.length} statements, expected ${wanted.length}`);
  wanted.forEach((want, index) => {
    const json = got[index];
    if (json === undefined) return;
    const compare = (fact: string, actual: unknown, expected: unknown): void => {
      if (JSON.stringify(actual) !== JSON.stringify(expected))
        found.push(`${index} ${fact}: ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}`);
    };
    if (want.k !== undefined) compare('kind', json.kind, want.k);
    if (want.t !== undefined) compare('target', fold(json.target ?? ''), fold(want.t));
    if (want.r !== undefined) compare('reads', asSet(json.reads), asSet(want.r));
    if (want.w !== undefined) compare('predicates', asSet(json.predicates), asSet(want.w));
    if (want.set !== undefined) compare('set', asSet(json.set), asSet(want.set));
    if (want.br !== undefined) compare('branches', asSet(json.branches), asSet(want.br));
    if (want.fn !== undefined) compare('nondeterministic', asSet(json.nondeterministic), asSet(want.fn));
    if (want.ts !== undefined) compare('targets', asSet(json.targets), asSet(want.ts));
    if (want.sel !== undefined) {
      const names = (list: readonly (string | null)[]) => list.map((name) => (name === null ? null : fold(name)));
      compare('columns', names(json.columns), names(want.sel));
    }
    if (want.conf !== undefined) compare('conflict', json.conflict, want.conf);
    if (want.part !== undefined) compare('partition', json.partition, want.part);
    if (want.tmp !== undefined) compare('temporary', json.temporary, want.tmp);
  });
  return found;
}
