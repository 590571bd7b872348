import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { PlanFinding, UnitId } from '../../plan/model/plan.ts';
import { plural } from '../../text/plural.ts';
import type { UnitJob } from '../unit/unit-job.ts';

const mostNamed = 10;

/**
 * Says before an undo what it leaves as its run left it: all that the units did beside rows of their slices, as far as it was
 * recorded. `changed`: the units that are undone, with what the run recorded of them.
 */
export function notUndone(
  run: string,
  changed: readonly UnitId[],
  jobs: ReadonlyMap<UnitId, UnitJob>,
  records: ReadonlyMap<UnitId, readonly SliceDiff[]>,
): readonly PlanFinding[] {
  const byTask = new Map<string, { readonly stays: Set<string>; carried: boolean; units: number }>();
  for (const unit of changed) {
    const job = jobs.get(unit);
    if (job === undefined) continue;
    const { task, outside = [], carried } = job;
    const said = byTask.get(task) ?? { stays: new Set(), carried: false, units: 0 };
    byTask.set(task, said);
    const stays = (records.get(unit) ?? []).flatMap((diff) => diff.stays ?? []);
    for (const what of stays) said.stays.add(what);
    if (outside.length > 0) said.stays.add(`does for good what no rollback takes back (${outside.join('; ')})`);
    if (stays.length > 0 || outside.length > 0) said.units += 1;
    said.carried ||= carried !== undefined;
  }
  return [...byTask].flatMap(([task, { stays, carried, units }]): PlanFinding[] => [
    ...(stays.size === 0 ? [] : [finding(task, inWords(task, run, [...stays], units))]),
    ...(carried
      ? [
          finding(
            task,
            `${task} was run by its scheduler: what it did beside rows of its slices was not looked at, and stays.`,
          ),
        ]
      : []),
  ]);
}

const finding = (task: string, message: string): PlanFinding => ({
  code: 'not-undone',
  severity: 'warning',
  message,
  task,
});

function inWords(task: string, run: string, stays: readonly string[], units: number): string {
  const more = stays.length > mostNamed ? `, and ${stays.length - mostNamed} more of this kind` : '';
  return (
    `an undo puts back rows of slices, and nothing else of what run ${run} did: ${task} ${stays.slice(0, mostNamed).join(', ')}${more} ` +
    `(${plural(units, 'unit')}). Take that back by hand where it is not to stay.`
  );
}
