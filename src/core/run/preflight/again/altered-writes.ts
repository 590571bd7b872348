import type { TaskId } from '../../../pipeline/model/model.ts';
import type { PlanFinding } from '../../../plan/model/plan.ts';
import { describeReadable } from '../../../warehouse/catalog/describe-tables.ts';
import { alteredWritesSql } from '../../../warehouse/dialects/postgres/altered-writes-sql.ts';
import type { Session } from '../../../warehouse/port/ports.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { mayDo } from './may-do.ts';

/**
 * A warning for each task that deletes or updates rows of a table where the database makes something else of that: a rule DO
 * INSTEAD, a trigger that keeps the row, or one that makes the new value of the old one. By its own text a second run of such a task
 * gives the same. A trigger that only puts back an old value, or a clock, is not among them. Throws {@link WarehouseError}.
 */
export async function alteredWrites(session: Session, jobs: readonly UnitJob[]): Promise<readonly PlanFinding[]> {
  const byTask = new Map<TaskId, UnitJob>();
  for (const job of jobs) if (job.carried === undefined && !byTask.has(job.task)) byTask.set(job.task, job);
  const names = [...new Set([...byTask.values()].flatMap(({ slices }) => slices.map(({ table }) => table)))];
  if (names.length === 0) return [];
  const described = await describeReadable(session, names, new Map());
  const found: PlanFinding[] = [];
  for (const [index, name] of names.entries()) {
    const table = described[index];
    if (table === undefined) continue;
    const { rows } = await session.query(alteredWritesSql, [`{${[table.oid, ...table.storage].join(',')}}`]);
    const altering = rows.flatMap((row) => alteringOf(row.map(String)) ?? []);
    if (altering.length === 0) continue;
    for (const [task, job] of byTask) {
      if (!job.slices.some((slice) => slice.table === name)) continue;
      const words = altering.filter(({ event }) => mayDo(job, event)).map((one) => one.words);
      if (words.length === 0) continue;
      const message = `${task} writes ${name}, where ${words.join('; ')}: running an interval again may then not give the same; backfill prove tries it.`;
      found.push({ code: 'altered-writes', severity: 'warning', message, task });
    }
  }
  return found;
}

/** What the database does of itself when rows are deleted or updated. */
interface Altering {
  readonly event: 'delete' | 'update';
  readonly words: string;
}

const ruleEvents: Readonly<Record<string, Altering['event']>> = { '2': 'update', '4': 'delete' };

/** Bits of `pg_trigger.tgtype`. */
const [onDelete, onUpdate] = [8, 16];

function alteringOf([kind = '', name = '', type = '', routine = '', language = '', text = '']: readonly string[]):
  | readonly Altering[]
  | undefined {
  if (kind === 'rule') {
    const event = ruleEvents[type];
    return event && [{ event, words: `the rule ${name} does something else instead of ${verbs[event]}` }];
  }
  const bits = Number(type);
  const by = `the trigger ${name} (${routine}())`;
  if (language === 'internal' || language === 'c') return undefined;
  const body = withoutComments(text);
  const isRead = language === 'plpgsql';
  return [
    ...((bits & onDelete) !== 0 && (!isRead || keepsRow(body))
      ? [{ event: 'delete', words: `${by} may keep a row that is deleted` } as const]
      : []),
    ...((bits & onUpdate) !== 0 && (!isRead || makesOfOld(body))
      ? [{ event: 'update', words: `${by} may make the new value of a row of its old one` } as const]
      : []),
  ];
}

const verbs = { delete: 'deleting a row', update: 'updating a row' } as const;

const withoutComments = (text: string): string => text.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, ' ');

/** NULL keeps a row, and so does NEW, which is NULL where a row is deleted. */
const keepsRow = (body: string): boolean =>
  /\breturn\s+null\b/i.test(body) || (/\breturn\s+new\b/i.test(body) && !/\btg_op\b/i.test(body));

/** An assignment to a column of NEW from more than the old value alone. */
const makesOfOld = (body: string): boolean =>
  [...body.matchAll(/\bnew\s*\.\s*(?:\w+|"[^"]+")\s*:?=\s*([^;]*);/gi)].some(
    ([, value = '']) => /\bold\b/i.test(value) && !/^\s*old\s*\.\s*(?:\w+|"[^"]+")\s*$/i.test(value),
  );
