import type { RangeSlice, WriteFact } from '../../lineage/facts/facts.ts';
import type { Task } from '../../pipeline/model/model.ts';
import { lastNamePart, nameParts } from '../../sql/model/name-parts.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { exactTime } from '../../time/expressions/evaluate-time.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { Instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { JobSlice } from '../unit/unit-job.ts';
import { type RenderedSql, renderPart, unqualified } from './render-statements.ts';

/** By what the rows of a slice are told from others. */
export type SliceRows = Pick<JobSlice, 'column' | 'from' | 'to' | 'predicate' | 'values' | 'cut'>;

type RangeWrite = Pick<WriteFact, 'table' | 'through'> & { readonly slice: RangeSlice };

/**
 * The rows of one interval: those of the task's own condition or values, rendered, else those between the bounds. `table`: its
 * name in the interval; `texts`: the rendered SQL of the task, by index.
 */
export function sliceRows(
  write: RangeWrite,
  table: string,
  data: DataInterval,
  task: Task,
  texts: readonly (Pick<RenderedSql, 'text'> | undefined)[],
  context: TemplateContext,
): SliceRows {
  const { slice } = write;
  const bounds = {
    column: slice.column,
    from: isoBound(exactTime(slice.lo, data)),
    to: isoBound(exactTime(slice.hi, data)),
  };
  if (slice.cut !== undefined) return { ...bounds, predicate: undefined, cut: slice.cut };
  if (slice.predicate === undefined) {
    const values = renderedValues(slice, task, texts, context);
    return { ...bounds, predicate: undefined, ...(values.length > 0 ? { values } : {}) };
  }
  const sql = task.sql[slice.predicate.sqlIndex];
  const rendered = texts[slice.predicate.sqlIndex];
  const part = sql && rendered && renderPart(sql, slice.predicate, rendered.text, context);
  // In a loop it comes out several times, in a branch that is not taken not at all: the rows between the bounds hold either.
  if (sql === undefined || part === undefined) return { ...bounds, predicate: undefined };
  return {
    ...bounds,
    predicate: unqualified(part, qualifiers(write.through?.view ?? table, slice, task), sql.dialect),
  };
}

/** What the rows have in columns with one value; none where one of them cannot be told from the template. */
function renderedValues(
  { values = [] }: RangeSlice,
  task: Task,
  texts: readonly (Pick<RenderedSql, 'text'> | undefined)[],
  context: TemplateContext,
): readonly { readonly column: string; readonly sql: string }[] {
  const known = values.flatMap(({ column, sqlIndex, ...part }) => {
    const [sql, rendered] = [task.sql[sqlIndex], texts[sqlIndex]];
    const text = sql && rendered && renderPart(sql, part, rendered.text, context);
    return text === undefined ? [] : [{ column, sql: text }];
  });
  return known.length === values.length ? known : [];
}

/** Names that may stand before a column of the target in its own DELETE. */
function qualifiers(table: string, { predicate }: RangeSlice, task: Task): ReadonlySet<string> {
  const names = new Set([nameParts(table).join('.'), lastNamePart(table)]);
  if (predicate === undefined) return names;
  const { sqlIndex, start, end } = predicate;
  const statement = task.sql[sqlIndex]?.reading.statements.find((one) => one.start <= start && end <= one.end);
  if (statement?.targetAlias !== undefined) names.add(statement.targetAlias);
  return names;
}

/** `undefined` where it is no instant: the side is open. */
export const isoBound = (at: Instant): string | undefined => (Number.isFinite(at) ? toIso(at) : undefined);
