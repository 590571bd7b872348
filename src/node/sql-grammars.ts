import { type AstParser, loadAstParser } from '../core/sql/ast/ast-parser.ts';
import { type AstReader, createAstReader } from '../core/sql/ast/ast-reader.ts';
import type { DialectName } from '../core/sql/model/dialect-name.ts';

/** The full grammars that a process has loaded. Statements of other dialects are not doubted. */
export interface SqlGrammars {
  readonly reader: AstReader;
  load(dialects: Iterable<DialectName>): Promise<void>;
}

export function sqlGrammars(): SqlGrammars {
  const loading = new Map<DialectName, Promise<void>>();
  const loaded = new Map<DialectName, AstParser | undefined>();
  const take = async (dialect: DialectName): Promise<void> => {
    loaded.set(dialect, await loadAstParser(dialect));
  };
  return {
    reader: createAstReader((dialect) => loaded.get(dialect)),
    async load(dialects) {
      for (const dialect of dialects) if (!loading.has(dialect)) loading.set(dialect, take(dialect));
      await Promise.all([...dialects].map((dialect) => loading.get(dialect)));
    },
  };
}
