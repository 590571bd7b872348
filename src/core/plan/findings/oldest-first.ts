import type { TaskId } from '../../pipeline/model/model.ts';
import type { PlanFinding, PlanUnit } from '../model/plan.ts';
import type { OldestFirst } from '../units/newest-first.ts';
import type { Planned } from './planned.ts';

const reasons: Readonly<Record<OldestFirst, string>> = {
  past: 'each of its runs builds on the one before',
  rows: 'runs of different intervals write the same rows, and the last one counts',
  adds: 'what a run adds may depend on what is there',
  unknown: 'which rows each of its runs owns is not known',
};

/** Where the newest intervals were asked for first: the tasks that go oldest first all the same, and why. */
export function oldestFirst({ units, stay }: Pick<Planned, 'units' | 'stay'>): readonly PlanFinding[] {
  if (stay === undefined) return [];
  const planned = new Map<TaskId, PlanUnit[]>();
  for (const unit of units) {
    const own = planned.get(unit.task);
    if (own === undefined) planned.set(unit.task, [unit]);
    else own.push(unit);
  }
  /** Tasks that come oldest first, for themselves or because of what they wait for. */
  const held = new Set(stay.keys());
  return [...planned].flatMap(([task, own]): PlanFinding[] => {
    if (own.length < 2) return [];
    const why = stay.get(task);
    if (why !== undefined) return [finding(task, `${task} stays oldest first: ${reasons[why]}.`)];
    const behind = own.flatMap(({ waitsFor }) => waitsFor).find((range) => held.has(range.task));
    const isOldestFirst = own.every(({ start }, index) => index === 0 || start > (own[index - 1] as PlanUnit).start);
    if (behind === undefined || !isOldestFirst) return [];
    held.add(task);
    return [finding(task, `${task} comes oldest first: it waits for ${behind.task}, which does.`)];
  });
}

const finding = (task: TaskId, message: string): PlanFinding => ({
  code: 'oldest-first',
  severity: 'info',
  message,
  task,
});
