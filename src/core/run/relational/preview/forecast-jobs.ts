import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import {
  type ExplainedRows,
  explainedRows,
  explainSettings,
  explainSql,
} from '../../../warehouse/dialects/postgres/explained-rows.ts';
import type { Session, Warehouse } from '../../../warehouse/port/ports.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import { enterTransaction, protectiveSettings } from '../../session/session-settings.ts';
import type { Forecast, TableWrites } from '../../unit/forecast.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { planTask } from '../task/task-plan.ts';
import { alikeTables } from './alike-tables.ts';
import { byTask } from './by-task.ts';
import { areIndependent } from './independent-units.ts';
import { locksOf } from './locks-of.ts';
import { beginShadow } from './preview-by-query.ts';

/** What a forecast may wait for: it is said before work that may take hours, and must not hold it up. */
const patience = { lock_timeout: '2s', statement_timeout: '10s' } as const;

/** Intervals of a task that are planned on the server; the others are taken to be like them. */
const planned = 3;

/**
 * Says before a preview (which ends after `timeBoxMs`) or a run what it will cost and hold, by the planner's estimates.
 * Nothing is run. A server that does not answer is no reason not to go on: what it said is the forecast's problem.
 */
export async function forecastJobs(
  warehouse: Warehouse,
  all: readonly UnitJob[],
  purpose: 'run' | { readonly timeBoxMs: number },
): Promise<Forecast> {
  // The planner calls what is said to be constant, and what that does may stay.
  const jobs = all.filter(({ outside }) => outside === undefined);
  const found = new Found();
  let way: Forecast['way'] = purpose === 'run' ? 'units' : 'transaction';
  let problem: string | undefined;
  try {
    const [first] = jobs;
    if (way === 'transaction' && first !== undefined && jobs.length === all.length && areIndependent(jobs)) {
      if (await inSession(warehouse, (session) => tellsByQuery(session, warehouse, first, jobs.length > 1)))
        way = 'query';
    }
    await inSession(warehouse, (session) => explainJobs(session, jobs, found));
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    problem = error.message;
  }
  return {
    way,
    reads: found.reads(),
    writes: found.writes(),
    locks: way === 'query' ? [] : locksOf(all, way === 'units'),
    heldAtMostMs: purpose === 'run' ? undefined : purpose.timeBoxMs,
    unplanned: Math.round(found.unplanned) + all.length - jobs.length,
    problem,
  };
}

async function inSession<T>(warehouse: Warehouse, work: (session: Session) => Promise<T>): Promise<T> {
  const session = await warehouse.connect('unit');
  try {
    return await work(session);
  } finally {
    await session.query('rollback').catch(() => undefined);
    await session.close();
  }
}

/** Of several units the others are taken to be like the first. */
async function tellsByQuery(
  session: Session,
  { description }: Warehouse,
  job: UnitJob,
  amongOthers: boolean,
): Promise<boolean> {
  const plan = planTask(job);
  if (plan.kind === 'refused') return false;
  try {
    return (
      (await beginShadow(session, { job, plan, server: description, types: new Map() }, amongOthers)) !== undefined
    );
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.kind === 'connection') throw error;
    return false;
  }
}

/** Statements that can be planned without being run, and those that do rows unseen. */
const explainable = /^[\s(]*(?:insert|update|delete|merge|select|with|values)\b/i;
const unseen = /^[\s(]*(?:do|call|execute|copy)\b/i;

async function explainJobs(session: Session, jobs: readonly UnitJob[], found: Found): Promise<void> {
  for (const ofTask of byTask(jobs)) {
    const some = spread(ofTask, planned);
    const nameOf = alikeTables(ofTask);
    for (const job of some) {
      await session.query('begin isolation level read committed');
      await enterTransaction(session, job.options.settings, protectiveSettings(job.options), explainSettings, patience);
      for (const { text } of job.statements) {
        const bare = withoutLeadingComments(text);
        if (!explainable.test(bare) && !unseen.test(bare)) continue;
        const explained = explainable.test(bare) ? await explain(session, text) : undefined;
        found.add(explained, ofTask.length / some.length, nameOf);
      }
      await session.query('rollback');
    }
  }
}

async function explain(session: Session, text: string): Promise<ExplainedRows | undefined> {
  await session.query('savepoint backfill_explain');
  try {
    const { rows } = await session.query(explainSql(text));
    return explainedRows(rows[0]?.[0] ?? '[]');
  } catch (error) {
    if (!(error instanceof WarehouseError) || error.kind === 'connection' || error.kind === 'cancelled') throw error;
    await session.query('rollback to savepoint backfill_explain');
    return undefined;
  }
}

/** The first, the last, and some between. */
const spread = <T>(items: readonly T[], count: number): readonly T[] =>
  items.length <= count
    ? items
    : Array.from({ length: count }, (_, index) => items[Math.round((index * (items.length - 1)) / (count - 1))] as T);

/** Estimates of the planned intervals, each standing for several. */
class Found {
  unplanned = 0;
  readonly #reads = new Map<string, { rows: number; whole: boolean }>();
  readonly #writes = new Map<string, { insert: number; update: number; delete: number }>();

  add(explained: ExplainedRows | undefined, times: number, nameOf: (table: string) => string): void {
    if (explained === undefined) {
      this.unplanned += times;
      return;
    }
    for (const { table: own, rows, whole } of explained.reads) {
      const table = nameOf(own);
      const known = this.#reads.get(table) ?? { rows: 0, whole: false };
      this.#reads.set(table, { rows: known.rows + rows * times, whole: known.whole || whole });
    }
    for (const { table: own, operation, rows } of explained.writes) {
      const table = nameOf(own);
      const known = this.#writes.get(table) ?? { insert: 0, update: 0, delete: 0 };
      this.#writes.set(table, { ...known, [operation]: known[operation] + rows * times });
    }
  }

  reads(): Forecast['reads'] {
    return [...this.#reads]
      .map(([table, { rows, whole }]) => ({ table, rows: Math.round(rows), whole }))
      .sort((a, b) => b.rows - a.rows);
  }

  writes(): readonly TableWrites[] {
    return [...this.#writes].map(([table, counts]) => ({
      table,
      inserted: Math.round(counts.insert),
      updated: Math.round(counts.update),
      deleted: Math.round(counts.delete),
    }));
  }
}
