import type { WriteFact } from '../lineage/facts/facts.ts';
import { cutInWords } from '../lineage/facts/slice-cut.ts';
import type { WorkspaceFacts } from '../lineage/facts/workspace-facts.ts';
import { sqlContext } from '../lineage/times/sql-context.ts';
import { namesOfWorkspace } from '../lineage/workspace/names-of-workspace.ts';
import { tableName } from '../lineage/writes/table-of-statement.ts';
import type { LintContext } from '../lint/context/lint-context.ts';
import { sliceDeletion } from '../lint/fixes/replace-slice-fix.ts';
import { type StatementView, sameTable, sourceText, type TaskView } from '../lint/source/statement-view.ts';
import type { TaskId } from '../pipeline/model/model.ts';
import type { Hole } from '../template/mask/masked-text.ts';
import type { Span } from '../text/span.ts';
import { Refusal } from './refusal.ts';

/** The one write of a task, with the rows that an interval owns. */
export type SlicedWrite = WriteFact & { readonly slice: Extract<WriteFact['slice'], { kind: 'range' }> };

export function slicedWrite(view: TaskView, context: LintContext, facts: WorkspaceFacts): SlicedWrite {
  const found = context.factsOf(view);
  const unknown = found?.unknowns.find(({ about }) => about === 'tables' || about === 'table-name');
  if (unknown !== undefined)
    throw new Refusal(`not all that it writes is known: ${unknown.message}`, 'declare what it writes in backfill.yaml');
  const [write, second] = found?.writes ?? [];
  if (write === undefined) throw new Refusal('it writes no table', 'there is nothing to make safe');
  if (second !== undefined)
    throw new Refusal(`it writes several tables (${write.table}, ${second.table})`, 'split it into one task a table');
  const { slice } = write;
  if (write.naming !== undefined)
    throw new Refusal(
      `each run makes the name of its table, ${write.table}`,
      'write into one table, and cut it by the interval',
    );
  const others = (facts.tables.get(namesOfWorkspace(facts)(write.table))?.writers ?? []).filter(
    (writer) => writer !== view.task.id,
  );
  const empties = (id: TaskId): boolean =>
    facts.facts.get(id)?.writes.some((other) => sameTable(other.table, write.table) && other.empties === true) === true;
  if (slice.kind !== 'range') {
    const fills = others.find((other) => !empties(other));
    if (write.empties === true && fills !== undefined)
      throw new Refusal(
        `it only empties ${write.table}, which ${fills} fills: the two are run again together`,
        'let one task empty and fill it, if each is to be run again alone',
      );
    const reason = slice.kind === 'unknown' ? slice.reason : 'it rewrites the whole table';
    throw new Refusal(
      `no interval owns rows of ${write.table}: ${reason}`,
      'cut what it writes by the interval, from start to end',
    );
  }
  if (write.through !== undefined)
    throw new Refusal(
      `it writes ${write.table} through the view ${write.through.view}`,
      'let its statements name the table',
    );
  if (slice.cut !== undefined)
    throw new Refusal(
      `the rows of an interval are told by ${cutInWords(slice)}, no single column`,
      'run it from here, where they are told by that too',
    );
  if (write.mode === 'append') {
    const emptied = others.find(empties);
    const other = others.find((writer) => writer !== emptied && !empties(writer));
    if (other === undefined && emptied !== undefined)
      throw new Refusal(
        `${emptied} empties ${write.table} in each run, and this task only fills it: the two are run again together`,
        'let one task empty and fill it, if each is to be run again alone',
      );
    if (other !== undefined)
      throw new Refusal(
        `${other} adds rows to ${write.table} too, which a DELETE of the slice would take away`,
        'let one task write the slice',
      );
  }
  return { ...write, slice };
}

/** How the slice is emptied before it is filled: by the task's own DELETE, by one that it gets, or by the key of an upsert. */
export interface Replacement {
  /** The table as the task's INSERT names it. */
  readonly target: string;
  /** What is put before which statement. */
  readonly deletion: { readonly before: StatementView; readonly sql: string } | undefined;
  readonly condition: string | undefined;
  readonly holes: readonly Hole[];
}

/** Whether a value is a day as the ledger writes it, and nothing beside it. */
function isDay(view: StatementView, { start, end }: Span): boolean {
  const [hole, more] = holesOf(view, { start, end });
  if (hole === undefined || more !== undefined || hole.value.kind !== 'time') return false;
  const rest = sourceText(view, { start, end: hole.start }) + sourceText(view, { start: hole.end, end });
  return (
    /^(?:date|basic-date)$/.test(String(hole.value.form)) && /^[\s']*(?:::\s*\w+)?$/.test(rest.replace(/^date\b/i, ''))
  );
}

export function replacement(own: readonly StatementView[], { table, mode, slice, key }: SlicedWrite): Replacement {
  const onTarget = own.filter((view) => targetOf(view, table) !== undefined);
  const other = onTarget.find(({ statement }) => statement.kind !== 'delete' && statement.kind !== 'insert');
  if (other !== undefined)
    throw new Refusal(
      `it changes ${table} by ${other.statement.kind.replaceAll('_', ' ').toUpperCase()}`,
      'replace the slice by DELETE and INSERT',
    );
  const deletions = onTarget.filter(({ statement }) => statement.kind === 'delete');
  const inserts = onTarget.filter(({ statement }) => statement.kind === 'insert');
  const [deletion, secondDeletion] = deletions;
  const [insert, secondInsert] = inserts;
  if (insert === undefined)
    throw new Refusal(`it puts no rows into ${table} itself`, 'let one task delete and insert the slice');
  const target = sourceText(insert, targetOf(insert, table) ?? insert.statement);
  if (deletion !== undefined) {
    if (mode !== 'delete+insert' || secondDeletion !== undefined)
      throw new Refusal(
        `its DELETEs of ${table} are not one slice`,
        'delete the slice of the interval once, before the INSERT',
      );
    if (deletion.statement.targetAlias !== undefined)
      throw new Refusal('its DELETE names the table by an alias', 'name the columns without it');
    const { predicate } = slice;
    const span: Span = predicate ?? deletion.statement.whereSpan ?? deletion.statement;
    return {
      target,
      deletion: undefined,
      condition: predicate && sourceText(deletion, predicate),
      holes: holesOf(deletion, span),
    };
  }
  if (mode === 'merge') {
    if (!key.includes(slice.column))
      throw new Refusal(
        `the key of its upsert has no ${slice.column}, so that it may move rows of other intervals`,
        `make ${slice.column} a part of the key, or delete and insert the slice`,
      );
    const [value, more] = slice.values ?? [];
    if (more !== undefined || (value !== undefined && !inserts.some((one) => isDay(one, value))))
      throw new Refusal(
        `the rows of an interval are those with its value of ${slice.values?.map(({ column }) => column).join(', ')}, no range of days`,
        'delete and insert the slice',
      );
    return {
      target,
      deletion: undefined,
      condition: undefined,
      holes: inserts.flatMap((one) => holesOf(one, one.statement)),
    };
  }
  const made = secondInsert === undefined && mode === 'append' ? sliceDeletion(insert) : undefined;
  if (made === undefined || made.cuts[0]?.column.name !== slice.column)
    throw new Refusal(
      'the DELETE of its slice cannot be told from its INSERT',
      'put a DELETE of the slice before the INSERT',
    );
  return {
    target,
    deletion: { before: insert, sql: `DELETE FROM ${target} WHERE ${made.condition};` },
    condition: made.condition,
    holes: made.cuts.flatMap(({ conjunct }) => holesOf(insert, conjunct)),
  };
}

/** Where a statement names the table as its target. */
const targetOf = ({ statement, sql, task, pipeline }: StatementView, table: string): Span | undefined =>
  statement.targets.find((target) => {
    const name = tableName(target, { context: sqlContext(sql, pipeline.zone), params: task.params });
    return name !== undefined && sameTable(name, table);
  });

const holesOf = ({ sql }: StatementView, { start, end }: Span): readonly Hole[] =>
  sql.masked.holes.filter((hole) => start <= hole.start && hole.end <= end);
