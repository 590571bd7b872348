import type { RowComparison } from '../../../diff/compare-rows.ts';
import type { RowSample } from '../../../diff/slice-diff.ts';
import {
  type DiffQuery,
  differingHashesSql,
  keyedDiffSql,
  keyedSamplesSql,
  multisetDiffSql,
  rowsByHashSql,
} from '../../../warehouse/dialects/spark/diff-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';

type Row = Readonly<Record<string, string | null>>;

/**
 * Compares two sets of rows inside of Spark: counts and a few samples are all that comes back. By key where the key tells rows apart
 * on both sides, else as multisets, where a changed row counts as one removed and one added.
 */
export async function lakeDiff(
  lake: Session,
  query: DiffQuery,
  { keyUsable, samples: asked }: { readonly keyUsable: boolean; readonly samples: number },
): Promise<RowComparison> {
  const samples = Math.min(20, Math.max(0, asked));
  return keyUsable ? byKey(lake, query, samples) : asMultisets(lake, query, samples);
}

async function byKey(lake: Session, query: DiffQuery, most: number): Promise<RowComparison> {
  const [added, removed, changed, ...perColumn] = ((await lake.query(keyedDiffSql(query))).rows[0] ?? []).map(Number);
  const counts = { removed: removed ?? 0, added: added ?? 0, changed: changed ?? 0 };
  const samples: RowSample[] = [];
  for (const kind of ['added', 'removed', 'changed'] as const) {
    if (most === 0 || counts[kind] === 0) continue;
    const { rows } = await lake.query(keyedSamplesSql(query, kind, most));
    for (const values of rows) {
      const before = record(query, values);
      const after = record(query, values.slice(query.columns.length));
      const of = kind === 'removed' ? before : after;
      samples.push({
        kind,
        key: Object.fromEntries(query.key.map(({ name }) => [name, of[name] ?? null])),
        before: kind === 'added' ? undefined : before,
        after: kind === 'removed' ? undefined : after,
      });
    }
  }
  const columns = query.columns.flatMap(({ name: column }, index) => {
    const rows = perColumn[index] ?? 0;
    return rows > 0 ? [{ column, rows }] : [];
  });
  return { ...counts, columns, samples, method: 'key', withinTolerance: 0 };
}

async function asMultisets(lake: Session, query: DiffQuery, most: number): Promise<RowComparison> {
  const [added = 0, removed = 0] = ((await lake.query(multisetDiffSql(query))).rows[0] ?? []).map(Number);
  const samples: RowSample[] = [];
  for (const side of ['added', 'removed'] as const) {
    if (most === 0 || (side === 'added' ? added : removed) === 0) continue;
    const hashes = (await lake.query(differingHashesSql(query, side, most))).rows;
    const pairs = hashes.map(([h0, h1]): [string, string] => [String(h0), String(h1)]);
    const { rows } = await lake.query(rowsByHashSql(side === 'added' ? query.after : query.before, query, pairs));
    const byHash = new Map(rows.map(([h0, h1, ...values]) => [`${h0} ${h1}`, record(query, values)]));
    for (const [h0, h1, more] of hashes) {
      const row = byHash.get(`${h0} ${h1}`);
      if (row === undefined) continue;
      const sample: RowSample = {
        kind: side,
        key: undefined,
        before: side === 'removed' ? row : undefined,
        after: side === 'added' ? row : undefined,
      };
      for (let times = Number(more); times > 0 && samples.filter(({ kind }) => kind === side).length < most; times--)
        samples.push(sample);
    }
  }
  return { added, removed, changed: 0, columns: [], samples, method: 'multiset', withinTolerance: 0 };
}

const record = ({ columns }: DiffQuery, values: readonly (string | null)[]): Row =>
  Object.fromEntries(columns.map(({ name }, index) => [name, values[index] ?? null]));
