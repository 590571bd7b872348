import { addsTwice, changedColumn, surelyAgain, type WriteFact } from '../../lineage/facts/facts.ts';
import { madeAnewInWords, nullInWords, refusedInWords, rowsAgainInWords } from '../../lineage/facts/insert-words.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { PlanFinding } from '../model/plan.ts';
import type { Planned } from './planned.ts';
import { startsOf, tasksOf } from './planned-tasks.ts';

/** Tasks whose second run of an interval adds its rows once more or changes values again: refused where that is sure. */
export function addsAgain({ request, graph, units }: Pick<Planned, 'request' | 'graph' | 'units'>): PlanFinding[] {
  return tasksOf(units).flatMap((id) => {
    const task = graph.tasks.get(id);
    // Of a journal it is as it is meant to be.
    const tables = (task?.writes ?? []).filter(
      (write) => write.journal !== true && (write.mode === 'append' || changedColumn(write) !== undefined),
    );
    if (task === undefined || tables.length === 0) return [];
    const { pairedWith } = task;
    if (pairedWith !== undefined && covers(startsOf(units, pairedWith), startsOf(units, id))) return [];
    const remedy = pairedWith === undefined ? '' : ` Select ${pairedWith} as well, which empties them first.`;
    return tables.map(
      (write): PlanFinding => ({
        code: 'append-in-plan',
        // What is left to Airflow is not run by the plan, so it need not be kept from starting.
        severity:
          request.allowAppend ||
          !(surelyAgain(write) || (addsTwice(write) && write.tellsOfRuns !== true)) ||
          task.executor.kind !== 'warehouse'
            ? 'warning'
            : 'error',
        message: `${id} ${secondTime(write)}${remedy}`,
        task: id,
      }),
    );
  });
}

function secondTime(write: WriteFact): string {
  const {
    table,
    mode,
    takenFrom,
    behindMark,
    markSetBack,
    doneBy,
    leavesOut,
    addsNull,
    refusedBy,
    madeAnew,
    keepsRows,
    tellsOfRuns,
    mayEmpty,
  } = write;
  const changed = changedColumn(write);
  if (changed !== undefined && (surelyAgain(write) || mode !== 'append')) {
    const { column, adds, certainty, why } = changed;
    if (column === undefined) return `${rowsAgainInWords(table, changed)}, when an interval is run again.`;
    if (certainty === 'open')
      return `makes ${column} of ${table} from its old value: running an interval again may change it once more; what decides it is ${why}.`;
    return adds
      ? `adds to ${column} of ${table}: running an interval again adds to it a second time.`
      : `makes ${column} of ${table} from its old value: running an interval again changes it a second time.`;
  }
  if (mayEmpty !== undefined)
    return `empties ${mayEmpty} before it adds rows to ${table}: unless that is the partition which holds them, running an interval again adds them a second time.`;
  if (behindMark !== undefined && markSetBack === true)
    return `adds to ${table} what lies behind the mark in ${behindMark}, and sets that mark to the end of its own interval: running one that is not the newest sets it back, and the runs behind it add their rows a second time. Let the mark only move on (greatest(…, …)), or delete the rows of the interval first.`;
  if (behindMark !== undefined)
    return `adds to ${table} what lies behind the mark in ${behindMark}: running an interval again adds none of its rows, but those that came since.`;
  if (doneBy?.certainty === 'sure')
    return `adds to ${table} only where ${doneBy.what} does not say that it has: running an interval again that is done adds nothing, nor what came since.`;
  if (doneBy !== undefined)
    return `asks ${doneBy.what} before it adds to ${table}: whether that tells of what a first run has added is not known, so running an interval again may add it a second time, or add nothing.`;
  if (takenFrom !== undefined)
    return `takes the rows that it adds to ${table} out of ${takenFrom}: running an interval again finds none of its rows there, and adds those that came since.`;
  if (addsNull !== undefined)
    return `adds to ${table} only rows for which it finds none there, by ${addsNull} among others: ${nullInWords(table, addsNull)} when an interval is run again.`;
  if (leavesOut === 'open')
    return `looks into ${table} for rows that are there before it adds some: whether it finds those that it has added itself is not known, so running an interval again may add them a second time.`;
  if (leavesOut !== undefined)
    return `adds to ${table} only rows for which it finds none there: running an interval again adds those that came since.`;
  if (keepsRows === true)
    return `makes ${table} anew of its own rows and those of the interval: running an interval again adds its rows a second time.`;
  if (tellsOfRuns === true)
    return `adds to ${table} what tells of the run itself: running an interval again tells of it once more.`;
  if (refusedBy !== undefined) return `only adds rows to ${table}. ${refusedInWords(table, refusedBy)}`;
  const why = madeAnew === undefined ? '' : `: ${madeAnewInWords(madeAnew)}`;
  return `only adds rows to ${table}${why}: running an interval again adds its rows a second time.`;
}

const covers = (all: ReadonlySet<Instant>, some: ReadonlySet<Instant>): boolean =>
  [...some].every((start) => all.has(start));
