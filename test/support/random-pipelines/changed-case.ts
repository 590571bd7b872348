import { expect } from 'vitest';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import type { RunResult } from '../../../src/core/run/unit/run-result.ts';
import type { Session, Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { WarehouseError } from '../../../src/core/warehouse/port/warehouse-error.ts';
import { realClock } from '../warehouse-fixture.ts';
import { type Case, isStage } from './arbitrary.ts';
import { type Changed, change } from './change.ts';
import { createTables, differences, expectedLines, putRaw, putTables, tableLines } from './database.ts';
import { cleanRun, intervalsOfTask } from './oracle.ts';
import { done, openRunner, planOf, type Runner, resumeIt, runIt, summary } from './pipeline-run.ts';
import { filesOf } from './write-workspace.ts';

/** Where a case is played: a warehouse, a session of the test's own on it, a folder for the workspace's files. */
export interface Stage {
  readonly warehouse: Warehouse;
  readonly session: Session;
  readonly root: string;
}

let count = 0;
export const newRun = (what: string): string => `${what}-${++count}`;

export const at = (instant: number): string => new Date(instant).toISOString();

const always = { from: Date.UTC(2000), to: Date.UTC(2100) };
export const everything = ({ workspace }: Runner) => ({ tasks: workspace.tasks.map(({ id }) => id), ...always });

export type Lines = Record<string, readonly string[]>;

/** How the history came about: by runs of ours, or by a scheduler that the ledger knows nothing of. */
export type History = 'run' | 'found';

/** Fills the history; one that was run is proven right. */
async function filled({ session, warehouse, root }: Stage, { model, raw }: Case, history: History): Promise<void> {
  await createTables(session, model);
  await putRaw(session, model, raw);
  if (history === 'found') return putTables(session, model, cleanRun(model, raw));
  const runner = await openRunner(root, model, warehouse);
  expect(runner.workspace.problems).toEqual([]);
  const plan = planOf(runner, everything(runner));
  const planned = plan.units.map(({ task, start, next }) => `${task} ${at(start)} ${at(next)}`).sort();
  const meant = model.tasks.flatMap((task) =>
    intervalsOfTask(task, model).map(({ start, end }) => `${task.id} ${at(start)} ${at(end)}`),
  );
  expect(planned).toEqual(meant.sort());
  expect(summary(await runIt(runner, plan, { run: newRun('fill') }))).toEqual(done);
  await same(session, runner, expectedLines(model, cleanRun(model, raw)), 'the history');
}

export interface ChangedCase {
  readonly runner: Runner;
  readonly changed: Changed;
  /** Tables as they were, and as one clean run of what was changed leaves them. */
  readonly before: Lines;
  readonly expected: Lines;
  /** Of a person who knows what was changed; none where nothing reads it. */
  readonly plan: Plan | undefined;
  readonly what: string;
}

/** A history, then a change of rows or code, and the plan that follows it. */
export async function changedCase(stage: Stage, one: Case, history: History = 'run'): Promise<ChangedCase> {
  const { session, warehouse, root } = stage;
  await filled(stage, one, history);
  const changed = change(one.model, one.raw, one.change);
  await putRaw(session, changed.model, changed.raw);
  const runner = await openRunner(root, changed.model, warehouse);
  const before = expectedLines(one.model, cleanRun(one.model, one.raw));
  const expected = expectedLines(changed.model, cleanRun(changed.model, changed.raw));
  const { selection } = changed;
  if (selection === undefined) return { runner, changed, before, expected, plan: undefined, what: '' };
  const plan = planOf(runner, selection);
  const cautious = planOf(runner, selection, false);
  const unknown = cautious.findings.filter(({ code }) => code === 'unknown-window');
  expect(unknown.map(({ message }) => message)).toEqual([]);
  if (cautious.units.length < plan.units.length) {
    expect(cautious.findings.map(({ code }) => code)).toContain('unbounded-read');
  }
  const what = `${selection.tasks.join(', ')} ${at(selection.from)} to ${at(selection.to)}, planned ${plan.units
    .map(({ id }) => id)
    .join(' ')}`;
  return { runner, changed, before, expected, plan, what };
}

export const diedWith = (error: unknown): undefined => {
  if (!(error instanceof WarehouseError)) throw error;
};

/** What a person does: again and again, until the leases of the dead have run out or this runner dies too. */
export async function resumeUntilTold(runner: Runner, run: string): Promise<RunResult | undefined> {
  let result: RunResult | undefined;
  let tries = 0;
  for (let waits = 0; tries < 12 && waits < 1000; waits++) {
    result = await resumeIt(runner, run).catch(diedWith);
    if (result === undefined || result.outcome === 'done') break;
    // Another run has the slices: it ends, however slow the machine is.
    if (result.refusal?.code !== 'overlapping-run') tries++;
    await realClock.sleep(300);
  }
  return result;
}

/** Units whose change is in the ledger more than once, and units that are not done. */
export async function committedTwice(session: Session, run: string): Promise<readonly string[]> {
  const { rows } = await session.query(
    `select unit, slice from backfill_ledger.versions where run = $1 group by 1, 2 having count(*) > 1
     union all select unit, state from backfill_ledger.units where run = $1
       and state not in ('changed', 'unchanged', 'skipped')`,
    [run],
  );
  return rows.map((row) => row.join(' '));
}

/** A staging table holds what its last run put there, whichever interval that was of: it belongs to that run. */
export function lasting(lines: Lines, model: Runner['model']): Lines {
  const stages = new Set(model.tasks.filter(isStage).map(({ table }) => table));
  return Object.fromEntries(Object.entries(lines).filter(([table]) => !stages.has(table)));
}

export async function same(
  session: Session,
  { model }: Pick<Runner, 'model'>,
  expected: Lines,
  what: string,
): Promise<void> {
  const found = differences(await tableLines(session, model), lasting(expected, model));
  if (found.length > 0) throw new Error(`${what}: ${found.length} rows differ\n${found.slice(0, 20).join('\n')}`);
}

/** The workspace and what was planned, beside fast-check's own account. */
export function story({ model, raw, change: genes }: Case): string {
  const files = [...filesOf(model)].map(([path, text]) => `--- ${path}\n${text}`).join('\n');
  return `${files}\nsession zone ${model.sessionZone}, now ${at(model.now)}\nchange ${JSON.stringify(genes)}\nraw ${raw
    .map(({ t, k, v }) => `${at(t)} k${k} v${v}`)
    .join(', ')}`;
}
