import { readSql } from '../../sql/read-sql.ts';
import type { MaskedText } from '../../template/mask/masked-text.ts';
import { NotRun } from './rows/not-run.ts';
import type { Scene, WorldKey } from './rows/relation.ts';
import { runExpression } from './rows/run-expression.ts';
import type { StatementPiece } from './statements/read-body.ts';

/** A partial unique index as a key, and as a query whose condition is that of the index. */
export function partialKey(
  { columns, where }: { readonly columns: readonly string[]; readonly where: string },
  table: string,
): { readonly key: WorldKey; readonly piece: readonly StatementPiece[] } {
  const masked: MaskedText = { text: `select 1 from ${table} where ${where}`, holes: [], tags: [], problem: undefined };
  const [statement] = readSql(masked, 'postgres').statements;
  const conditions = statement?.query?.where ?? [];
  const scene: Scene = {
    masked,
    tables: new Map(),
    putOut: new Map(),
    isAnew: () => false,
    given: (source) => source,
    clock: '~',
    anew: () => '~',
  };
  const noQuery = (): never => {
    throw new NotRun('a query in an index');
  };
  const holds: WorldKey['holds'] = (row) => {
    const level = [{ alias: table, columns: [...row.keys()], values: [...row.values()] }];
    const sight = { levels: [level], variables: new Map() };
    return conditions.every((one) => runExpression(one, sight, scene, noQuery) === true);
  };
  return { key: { columns, holds }, piece: statement === undefined ? [] : [{ masked, statement }] };
}
