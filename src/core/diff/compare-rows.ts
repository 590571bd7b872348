import {
  type DiffQuery,
  keyedDiffSql,
  multisetDiffSql,
  type PairedDiffQuery,
  pairedCountsSql,
  pairedSamplesSql,
  rowsByHashSql,
  rowsByKeySql,
} from '../warehouse/dialects/postgres/slice/diff-sql.ts';
import type { Session } from '../warehouse/port/ports.ts';
import type { ColumnChange, RowSample } from './slice-diff.ts';
import type { SliceRelation } from './slice-relation.ts';
import { comparedColumns, keyColumns } from './take-figures.ts';

/** How many rows differ, which columns, and a few of the rows. */
export interface RowComparison {
  readonly added: number;
  readonly removed: number;
  readonly changed: number;
  readonly columns: readonly ColumnChange[];
  readonly samples: readonly RowSample[];
  readonly method: 'key' | 'multiset';
  /** Changed rows that differ in float columns only, and there only within the table's tolerance. */
  readonly withinTolerance: number;
}

/** Nothing differs. */
export const noRows: RowComparison = {
  ...{ added: 0, removed: 0, changed: 0, columns: [], samples: [], method: 'key', withinTolerance: 0 },
};

type Keys = readonly (readonly (string | null)[])[];

/**
 * Compares the copy of the old rows with the live slice: by key where the key tells rows apart on both sides, else as
 * multisets, where a changed row counts as one removed and one added.
 */
export async function compareRows(
  session: Session,
  relation: SliceRelation,
  sides: { readonly old: string; readonly live: string; readonly predicate: string | undefined },
  options: { readonly keyUsable: boolean; readonly samples: number },
): Promise<RowComparison> {
  const query: DiffQuery = { ...sides, ...queryOf(relation, options.samples) };
  return options.keyUsable ? compareByKey(session, query) : compareAsMultisets(session, query);
}

/**
 * The same for several slices whose differing rows are kept side by side, by the number of the slice: `from` has them, `by` is that
 * number, as SQL. By key only.
 */
export async function comparePairs(
  session: Session,
  relation: SliceRelation,
  pairs: Pick<PairedDiffQuery, 'from' | 'by'>,
  samples: number,
): Promise<ReadonlyMap<number, RowComparison>> {
  const query = { ...queryOf(relation, samples), ...pairs };
  const { rows } = await session.query(pairedCountsSql(query));
  const shown = query.samples === 0 || rows.length === 0 ? [] : (await session.query(pairedSamplesSql(query))).rows;
  const kinds: readonly RowSample['kind'][] = ['added', 'removed', 'changed'];
  const found = new Map<string, RowSample[]>();
  for (const [slice, kind, ...values] of shown) {
    const own = found.get(`${slice} ${kind}`);
    const sample = pairedSample(query, kinds.find((name) => name.startsWith(kind ?? '')) ?? 'changed', values);
    if (own === undefined) found.set(`${slice} ${kind}`, [sample]);
    else own.push(sample);
  }
  return new Map(
    rows.map(([slice, added, removed, changed, ...counts]) => [
      Number(slice),
      {
        ...{ added: Number(added), removed: Number(removed), changed: Number(changed), method: 'key' },
        ...changesOf(query.columns, counts),
        samples: kinds.flatMap((kind) => found.get(`${slice} ${kind.charAt(0)}`) ?? []),
      },
    ]),
  );
}

function pairedSample(
  { key, columns }: Pick<DiffQuery, 'key' | 'columns'>,
  kind: RowSample['kind'],
  values: readonly (string | null)[],
): RowSample {
  const side = (from: number) => record({ columns }, values.slice(from, from + columns.length));
  return {
    kind,
    key: Object.fromEntries(key.map(({ name }, index) => [name, values[index] ?? null])),
    before: kind === 'added' ? undefined : side(key.length),
    after: kind === 'removed' ? undefined : side(key.length + columns.length),
  };
}

const queryOf = (relation: SliceRelation, samples: number) => ({
  columns: comparedColumns(relation),
  key: keyColumns(relation),
  hash: relation.hash,
  samples: Math.min(20, Math.max(0, samples)),
  floatTolerance: relation.floatTolerance,
});

/** From the counts of rows that are near, of rows of each column, and of near ones of each float. */
function changesOf(
  all: DiffQuery['columns'],
  [onlyNear, ...counts]: readonly (string | null)[],
): Pick<RowComparison, 'columns' | 'withinTolerance'> {
  const perColumn = counts.slice(0, all.length);
  const nearPerFloat = counts.slice(all.length).map(Number);
  const near = all.map((column) => (column.float ? nearPerFloat.shift() : undefined));
  const columns = all.flatMap((column, index) => {
    const rows = Number(perColumn[index]);
    return rows > 0 ? [{ column: column.name, rows, withinTolerance: near[index] }] : [];
  });
  return { columns, withinTolerance: Number(onlyNear) };
}

async function compareByKey(session: Session, query: DiffQuery): Promise<RowComparison> {
  const row = (await session.query(keyedDiffSql(query))).rows[0] ?? [];
  const [added, removed, changed, addedKeys, removedKeys, changedKeys, ...counts] = row;
  const [inserted, deleted, altered] = [keysOf(addedKeys), keysOf(removedKeys), keysOf(changedKeys)];
  const live = await rowsByKey(session, query, query.live, query.predicate, [...inserted, ...altered]);
  const old = await rowsByKey(session, query, query.old, undefined, [...deleted, ...altered]);
  const sample = (kind: RowSample['kind'], key: readonly (string | null)[]): RowSample => ({
    kind,
    key: Object.fromEntries(query.key.map((column, index) => [column.name, key[index] ?? null])),
    before: kind === 'added' ? undefined : old.get(JSON.stringify(key)),
    after: kind === 'removed' ? undefined : live.get(JSON.stringify(key)),
  });
  return {
    added: Number(added),
    removed: Number(removed),
    changed: Number(changed),
    ...changesOf(query.columns, counts),
    samples: [
      ...inserted.map((key) => sample('added', key)),
      ...deleted.map((key) => sample('removed', key)),
      ...altered.map((key) => sample('changed', key)),
    ],
    method: 'key',
  };
}

async function rowsByKey(
  session: Session,
  query: DiffQuery,
  from: string,
  predicate: string | undefined,
  keys: Keys,
): Promise<ReadonlyMap<string, Readonly<Record<string, string | null>>>> {
  if (keys.length === 0) return new Map();
  const result = await session.query(rowsByKeySql(from, predicate, query.columns, query.key, keys));
  return new Map(
    result.rows.map((row) => [
      JSON.stringify(row.slice(0, query.key.length)),
      record(query, row.slice(query.key.length)),
    ]),
  );
}

async function compareAsMultisets(session: Session, query: DiffQuery): Promise<RowComparison> {
  const [added, removed, more, fewer] = (await session.query(multisetDiffSql(query))).rows[0] ?? [];
  const fetch = async (from: string, predicate: string | undefined, hashes: Keys) => {
    if (hashes.length === 0) return [];
    const text = (hash: Keys[number]): string => hash.join();
    const distinct = [...new Map(hashes.map((hash) => [text(hash), hash])).values()];
    const { rows } = await session.query(rowsByHashSql(from, predicate, query.columns, query.hash, distinct));
    const byHash = new Map(rows.map((row) => [text(row.slice(0, 2)), record(query, row.slice(2))] as const));
    return hashes.map((hash) => byHash.get(text(hash))).filter((row) => row !== undefined);
  };
  const after = await fetch(query.live, query.predicate, keysOf(more));
  const before = await fetch(query.old, undefined, keysOf(fewer));
  return {
    added: Number(added),
    removed: Number(removed),
    changed: 0,
    columns: [],
    samples: [
      ...after.map((row): RowSample => ({ kind: 'added', key: undefined, before: undefined, after: row })),
      ...before.map((row): RowSample => ({ kind: 'removed', key: undefined, before: row, after: undefined })),
    ],
    method: 'multiset',
    withinTolerance: 0,
  };
}

const keysOf = (json: string | null | undefined): Keys => (json ? (JSON.parse(json) as Keys) : []);

const record = (query: Pick<DiffQuery, 'columns'>, values: readonly (string | null)[]) =>
  Object.fromEntries(query.columns.map((column, index) => [column.name, values[index] ?? null]));
