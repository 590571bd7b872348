import { sliceText } from '../../../python/values/text-value.ts';
import type { TextValue } from '../../../python/values/value.ts';
import { joined, nameOf, type SqlPart, sqlOf } from './sql-parts.ts';

/** Files by their path, as a table by that name, and the partition that the path leads into. */
export interface PathTable {
  /** In backticks. */
  readonly table: TextValue;
  readonly partition: readonly { readonly column: string; readonly value: TextValue }[];
}

/** Reads `s3a://lake/clicks/day={day}/*` as the table `s3://lake/clicks` and its partition `day`. */
export function pathTable(path: TextValue): PathTable {
  const { text } = path.mapped;
  const partition: { column: string; value: TextValue }[] = [];
  let end = rootEnd(path, text.length);
  for (;;) {
    const from = slashBefore(path, end);
    const segment = /^(\w+)=/.exec(text.slice(from + 1, end));
    if (segment === null) break;
    const value = sliceText(path, from + 1 + segment[0].length, end);
    if (value.mapped.text !== '*') partition.unshift({ column: segment[1] ?? '', value });
    end = rootEnd(path, from);
  }
  const scheme = /^s3[an]:/.exec(text)?.[0];
  const root = joined(withoutDoubled(sliceText(path, scheme?.length ?? 0, end)), '/');
  const parts: readonly SqlPart[] = scheme === undefined ? ['`', root, '`'] : ['`s3:', root, '`'];
  return { table: sqlOf(...parts), partition };
}

/** The parts between slashes that stand twice, which mean one; the two behind a scheme stay. */
function withoutDoubled(path: TextValue): readonly TextValue[] {
  const parts: TextValue[] = [];
  let from = 0;
  for (const { index, 0: slashes } of path.mapped.text.matchAll(/\/{2,}/g)) {
    const isScheme = index === 0 || path.mapped.text.charAt(index - 1) === ':';
    const isInHole = path.holes.some(({ start, end }) => start <= index && index < end);
    if (isScheme || isInHole) continue;
    parts.push(sliceText(path, from, index));
    from = index + slashes.length;
  }
  return [...parts, sliceText(path, from, path.mapped.text.length)];
}

/** Where the path ends without what stands for all that is below it. */
function rootEnd(path: TextValue, from: number): number {
  const rest = /(?:\/(?:\*(?:\.\w+)?|))+$/.exec(path.mapped.text.slice(0, from));
  return rest === null || rest.index === 0 ? from : rest.index;
}

/** The last slash before `end` that no expression of Python has. */
function slashBefore(path: TextValue, end: number): number {
  for (let at = end - 1; at >= 0; at--) {
    const hole = path.holes.find(({ start, end: behind }) => start <= at && at < behind);
    if (hole !== undefined) at = hole.start;
    else if (path.mapped.text.charAt(at) === '/') return at;
  }
  return -1;
}

/** The rows of some files. */
export function filesQuery(path: TextValue): TextValue {
  const { table, partition } = pathTable(path);
  const conditions = partition.flatMap(({ column, value }, index) => [
    index === 0 ? ' WHERE ' : ' AND ',
    `${nameOf(column)} = '`,
    value,
    "'",
  ]);
  return sqlOf('SELECT * FROM ', table, ...conditions);
}

/** `PARTITION (day = '…', hour)`: what a path leads into, and columns that the rows bring. */
export function partitionClause(
  partition: PathTable['partition'],
  open: readonly TextValue[] = [],
): readonly SqlPart[] {
  const parts = [...partition.map(({ column, value }) => sqlOf(`${nameOf(column)} = '`, value, "'")), ...open];
  return parts.length === 0 ? [] : [' PARTITION (', joined(parts, ', '), ')'];
}
