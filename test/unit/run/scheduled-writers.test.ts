import { describe, expect, test } from 'vitest';
import type { WorkspaceFacts } from '../../../src/core/lineage/facts/workspace-facts.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { prepareJobs } from '../../../src/core/run/jobs/prepare-jobs.ts';
import { scheduledWriters } from '../../../src/core/run/jobs/scheduled-writers.ts';
import type { UnitJob } from '../../../src/core/run/unit/unit-job.ts';
import { type PipelineText, workspace } from '../lineage/workspace.ts';
import { range, request } from '../plan/planning.ts';

const daily = `DELETE FROM mart.daily WHERE day = '{{ ds }}';
INSERT INTO mart.daily SELECT day, sum(amount) FROM raw.orders WHERE day = '{{ ds }}' GROUP BY day`;
const guarded = `BEGIN;
SELECT backfill_ledger.begin_slice('mart.daily', 'day', '{{ ds }}', '{{ ds }}');
${daily};
SELECT backfill_ledger.commit_slice();
COMMIT`;

/** The job of `shop.daily` for 2024-03-04. */
function jobOf(facts: WorkspaceFacts, lockTable?: boolean): UnitJob | undefined {
  const plan = makePlan(
    plannableTasks(facts, (text) => text),
    request(['shop.daily'], range('2024-03-04', '2024-03-05'), { allowAppend: true }),
  );
  const options = { compare: 'rows', settings: {}, lockTable } as never;
  const setting = { run: 'r', variables: {}, params: {}, options };
  const [job] = prepareJobs(plan, facts, new Map(), setting, () => undefined).jobs.values();
  return job;
}

/** Whether the job of 2024-03-04 locks its table. */
const locks = (pipelines: Readonly<Record<string, PipelineText>>, lockTable?: boolean): boolean | undefined =>
  jobOf(workspace(pipelines), lockTable)?.options.lockTable;

describe('a table is locked against other writers', () => {
  test('by default where a scheduled task writes it', () => {
    expect(locks({ shop: { tasks: { daily } } })).toBe(true);
  });

  test('not where the task takes the same locks as a unit, or the settings say so', () => {
    expect(locks({ shop: { tasks: { daily: guarded } } })).toBe(false);
    expect(locks({ shop: { tasks: { daily } } }, false)).toBe(false);
    expect(locks({ shop: { tasks: { daily: guarded } } }, true)).toBe(true);
  });

  test('also where another pipeline writes it and this one is safe', () => {
    const other = { tasks: { mend: "UPDATE mart.daily SET amount = 0 WHERE day = '{{ ds }}'" } };
    const facts = workspace({ shop: { tasks: { daily: guarded } }, other });
    expect(scheduledWriters(facts, 'mart.daily')).toEqual(['other.mend']);
    expect(scheduledWriters(facts, 'mart.none')).toEqual([]);
    expect(locks({ shop: { tasks: { daily: guarded } }, other })).toBe(true);
  });

  test.each([
    ['"Mart"."Daily"', '"Mart"."Daily"'],
    ['daily', 'mart.daily'],
    ['mart.daily', 'shop.mart.daily'],
  ])('whatever is written for its name: %s beside %s', (name, other) => {
    const upsert = (table: string) =>
      `INSERT INTO ${table} SELECT * FROM raw.orders WHERE day = '{{ ds }}' ON CONFLICT (day) DO UPDATE SET n = excluded.n`;
    const facts = workspace({ shop: { tasks: { daily: upsert(name), more: upsert(other) } } });
    const job = jobOf(facts);
    expect(job?.options.lockTable).toBe(true);
    expect(job?.slices[0]?.shared).toMatch(/^shop\.more writes .* too$/);
  });
});
