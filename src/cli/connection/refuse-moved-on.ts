import type { LedgerStore, RunSummary } from '../../core/ledger/ledger-store.ts';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import { refused } from '../../core/run/order/run-plan.ts';
import { comparePlans } from '../../core/run/reviewed/moved-on.ts';
import type { PlanFile, ReviewedPlan } from '../../core/run/reviewed/plan-file.ts';
import { runsOfPlan } from '../../core/run/reviewed/plan-mark.ts';
import type { RunRefusal } from '../../core/run/unit/run-result.ts';
import { plural } from '../../core/text/plural.ts';
import { toIso } from '../../core/time/zones/iso.ts';
import type { Shell } from '../terminal/shell.ts';
import { exitCodeOf, finishRun } from './finish-run.ts';
import { type PlanNow, planFileNow } from './plan-file-now.ts';

/**
 * Whether a reviewed plan is not what would run now, or a run of it waits to be gone on with: that was said, and nothing is
 * to be run. `format`: of the refusal; `run`: the id that it would have had.
 */
export async function refusedAsMovedOn(
  reviewed: ReviewedPlan,
  now: PlanNow,
  how: { readonly run: string; readonly format: 'text' | 'json'; readonly preview: boolean },
  shell: Shell,
): Promise<boolean> {
  const { warehouse } = now;
  const last = warehouse === undefined ? undefined : await lastRun(reviewed, sqlLedgerStore(warehouse));
  const begun = how.preview || last === undefined ? undefined : goOnWith(reviewed, last);
  const stands = begun === undefined ? stillStands(reviewed, await planFileNow(now, shell), last) : undefined;
  const refusal = begun ?? stands?.refusal;
  if (refusal !== undefined) {
    const result = { ...refused(how.run, refusal, { ledger: undefined }), preview: how.preview };
    finishRun(result, now.target, { format: how.format, samples: 0, connection: undefined }, shell);
    shell.exit(exitCodeOf(result));
    return true;
  }
  for (const file of stands?.untouched ?? [])
    shell.err(
      `${shell.colors.cyan('info')} ${file} was changed since the plan was reviewed, and nothing of the plan with it\n`,
    );
  return false;
}

/** Runs among which one of the same plan is looked for. */
const mostRuns = 200;

const committed: ReadonlySet<string> = new Set(['changed', 'unchanged', 'skipped', 'done']);

/** The latest run of a reviewed plan, if there was one. */
async function lastRun({ seal }: ReviewedPlan, ledger: LedgerStore): Promise<RunSummary | undefined> {
  const runs = await ledger.listRuns(mostRuns).finally(() => ledger.close());
  return runsOfPlan(runs, seal)[0];
}

/** A run of a reviewed plan that has units left is gone on with, and not begun again. */
function goOnWith({ name }: ReviewedPlan, { run, counts }: RunSummary): RunRefusal | undefined {
  const left = Object.entries(counts).reduce((sum, [state, units]) => sum + (committed.has(state) ? 0 : units), 0);
  if (left === 0) return undefined;
  return {
    code: 'plan-begun',
    message: `run ${run} has begun ${name}, and ${plural(left, 'unit')} of it ${left === 1 ? 'is' : 'are'} left`,
    remedy: `go on with: backfill resume ${run}`,
  };
}

/** What a reviewed plan comes to now: refused, or to be run, with the files that changed without touching it. */
function stillStands(
  { name, file }: ReviewedPlan,
  now: PlanFile,
  last: RunSummary | undefined,
): { readonly refusal: RunRefusal | undefined; readonly untouched: readonly string[] } {
  const { movedOn, untouched } = comparePlans(file, now);
  if (movedOn.length === 0) return { refusal: undefined, untouched };
  const refusal = {
    code: 'plan-moved-on',
    message: `${name} is out of date`,
    reasons: [
      ...movedOn.map(({ message }) => message),
      ...(last === undefined ? [] : [`run ${last.run} has run it already, at ${toIso(last.createdAt)}`]),
    ],
    remedy: `look at what changed, then plan and review it anew: ${planCommand(file, name)}`,
  } as const;
  return { refusal, untouched };
}

/** The command that writes the plan anew. */
function planCommand({ asked, connection }: PlanFile, name: string): string {
  const range = asked.logical ? `--logical-dates ${asked.from}..${asked.to}` : `--from ${asked.from} --to ${asked.to}`;
  const words = [
    'backfill plan',
    ...asked.tasks,
    range,
    ...(asked.units ?? []).map((unit) => `--unit ${unit}`),
    ...(asked.downstream ? ['--downstream'] : []),
    ...(asked.without ?? []).map((task) => `--without ${task}`),
    ...(asked.expandUnbounded ? ['--expand-unbounded'] : []),
    ...(asked.allowAppend ? ['--allow-append'] : []),
    ...(asked.allowExpired ? ['--allow-expired'] : []),
    ...(asked.order === undefined ? [] : [`--order ${asked.order}`]),
    `--connection ${connection}`,
    `--out ${name}`,
  ];
  return words.join(' ');
}
