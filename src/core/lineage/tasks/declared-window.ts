import type { TimeExpression, TimeStep } from '../../time/expressions/time-expression.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { DeclaredEdge, DeclaredTask } from '../facts/declared-facts.ts';
import type { ReadFact, ReadWindow, WriteFact } from '../facts/facts.ts';
import { cutColumn } from '../facts/slice-cut.ts';

type DeclaredRead = DeclaredTask['reads'][number];

/** A declared window; `all` is every row for every interval. `column` is the fallback where none is declared. */
export function declaredWindow(read: DeclaredRead, column: string, zone: ZoneName): ReadWindow {
  const named = read.column ?? column;
  if (read.window === 'all') return { kind: 'range', column: named, lo: [], hi: [] };
  const { lo, hi } = read.window;
  return { kind: 'range', column: named, lo: edges(lo, zone), hi: edges(hi, zone) };
}

const edges = (edge: DeclaredEdge | undefined, zone: ZoneName): readonly TimeExpression[] =>
  edge === undefined ? [] : [edgeTime(edge, zone)];

function edgeTime({ anchor, floor, offset, zone: own }: DeclaredEdge, pipelineZone: ZoneName): TimeExpression {
  const zone = own ?? pipelineZone;
  const steps: TimeStep[] = [];
  if (floor !== undefined) steps.push({ kind: 'floor', unit: floor, zone });
  if (offset.months !== 0 || offset.days !== 0 || offset.ms !== 0) steps.push({ kind: 'shift', offset, zone });
  return { anchor, steps };
}

/** Inferred reads with those tables taken out that a person declared, and the declared ones behind them. */
export function withDeclaredReads(
  inferred: readonly ReadFact[],
  declared: readonly DeclaredRead[],
  same: (a: string, b: string) => boolean,
  columnOf: (table: string) => string,
  zone: ZoneName,
): readonly ReadFact[] {
  const kept = inferred.filter((read) => !declared.some(({ table }) => same(table, read.table)));
  const said = declared.map(
    (read): ReadFact => ({
      table: read.table,
      window: declaredWindow(read, columnOf(read.table), zone),
      provenance: 'declared',
      at: undefined,
    }),
  );
  return [...kept, ...said];
}

/** Inferred writes with slice, key and volatile columns as declared; a table that no statement writes is added. */
export function withDeclaredWrites(
  inferred: readonly WriteFact[],
  declared: DeclaredTask['writes'],
  same: (a: string, b: string) => boolean,
  zone: ZoneName = 'UTC',
): readonly WriteFact[] {
  const kept = inferred.filter((write) => !declared.some(({ table }) => same(table, write.table)));
  const said = declared.map((write): WriteFact => {
    const known = inferred.find(({ table }) => same(table, write.table));
    // Saying which rows are an interval's does not change what the statements do to them. The place of its slice goes:
    // it may be cut otherwise now.
    const { sliceAt: _, cascaded: _reached, ...does } = known ?? { table: write.table, mode: 'unknown' as const };
    const slice = declaredSlice(known?.slice, write, zone);
    const said = cutAsSaid(known?.slice, slice);
    return {
      ...does,
      slice,
      key: write.key.length > 0 ? write.key : (known?.key ?? []),
      ...(said === undefined ? {} : { cutAsSaid: said }),
      ...(write.journal === true ? { journal: true as const } : {}),
      ...(write.volatile.length > 0 ? { volatile: write.volatile } : {}),
      provenance: 'declared',
      at: known?.at,
    };
  });
  return [...kept, ...said];
}

function cutAsSaid(known: WriteFact['slice'] | undefined, slice: WriteFact['slice']): WriteFact['cutAsSaid'] {
  if (slice.kind !== 'range' || slice === known) return undefined;
  if (known?.kind !== 'range' || known.column !== slice.column) return 'alone';
  return { lo: known.lo, hi: known.hi };
}

/** A declared column without bounds stands for the interval itself, unless the statements already say how it is bounded. */
function declaredSlice(
  known: WriteFact['slice'] | undefined,
  { column: named, cut, slice, range }: DeclaredTask['writes'][number],
  zone: ZoneName,
): WriteFact['slice'] {
  if (slice === 'all') return { kind: 'whole-table' };
  const column = cut === undefined ? named : cutColumn(cut);
  if (column === undefined) return known ?? { kind: 'unknown', reason: 'its column is not declared' };
  const by = { kind: 'range', column, predicate: undefined, ...(cut === undefined ? {} : { cut }) } as const;
  if (range !== undefined) return { ...by, lo: edgeTime(range.lo, zone), hi: edgeTime(range.hi, zone) };
  if (known?.kind === 'range' && known.column === column && (cut === undefined || known.inParts === true)) return known;
  return { ...by, lo: { anchor: 'start', steps: [] }, hi: { anchor: 'end', steps: [] } };
}
