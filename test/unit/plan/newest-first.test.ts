import { describe, expect, it } from 'vitest';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import type { PlannableTask } from '../../../src/core/plan/model/plan-request.ts';
import { cadence, days, end, floor, listed, own, range, request, start, task, window, write } from './planning.ts';

const daily = cadence('day', 'UTC', '2024-01-01', '2025-01-10');
const threeDays = range('2024-05-01', '2024-05-04');
const newest = (...tasks: readonly PlannableTask[]): Plan =>
  makePlan(
    tasks,
    request([tasks[0]?.id ?? ''], threeDays, { order: 'newest', now: new Date('2024-05-05').getTime() as never }),
  );
const said = (plan: Plan) => plan.findings.filter(({ code }) => code === 'oldest-first').map(({ message }) => message);

describe('the newest intervals first', () => {
  it('turns round what is free, and keeps each child behind its parent', () => {
    const plan = newest(task('a', daily), task('b', daily, { a: own }));
    expect(listed(plan)).toEqual(['a 05-03', 'b 05-03', 'a 05-02', 'b 05-02', 'a 05-01', 'b 05-01']);
    expect(said(plan)).toEqual([]);
  });

  it('keeps a task that reads its own past oldest first, and what waits for it, and says so', () => {
    const plan = newest(
      task('a', daily),
      task('sum', daily, { a: own, sum: window(undefined, start()) }),
      task('c', daily, { sum: own }),
    );
    expect(listed(plan).slice(0, 3)).toEqual(['a 05-03', 'a 05-02', 'a 05-01']);
    expect(listed(plan).filter((name) => name.startsWith('sum'))).toEqual([
      'sum 05-01',
      'sum 05-02',
      'sum 05-03',
      'sum 05-04',
    ]);
    expect(said(plan)).toEqual([
      'sum stays oldest first: each of its runs builds on the one before.',
      'c comes oldest first: it waits for sum, which does.',
    ]);
  });

  it('keeps month to date oldest first: the last run writes the rows of the others too', () => {
    const monthToDate = {
      kind: 'range',
      column: 'ts',
      lo: start(floor('month')),
      hi: end(),
      predicate: undefined,
    } as const;
    const plan = newest(task('mtd', daily, {}, { writes: [write('mtd', monthToDate)] }));
    expect(listed(plan)).toEqual([...listed(plan)].sort());
    expect(said(plan)).toEqual([
      'mtd stays oldest first: runs of different intervals write the same rows, and the last one counts.',
    ]);
  });

  it('keeps an upsert oldest first unless its key holds the day', () => {
    const upsert = (key: readonly string[]) => ({ ...write('u', undefined, 'merge'), key });
    expect(said(newest(task('u', daily, {}, { writes: [upsert(['id'])] })))).toHaveLength(1);
    const free = newest(task('u', daily, {}, { writes: [upsert(['ts', 'id'])] }));
    expect(listed(free)).toEqual(['u 05-03', 'u 05-02', 'u 05-01']);
  });

  it('keeps tasks that write rows of each other in the order of old', () => {
    const before = {
      kind: 'range',
      column: 'ts',
      lo: start(days(-1)),
      hi: end(days(-1)),
      predicate: undefined,
    } as const;
    const tasks = [task('a', daily), task('late', daily, { a: own }, { writes: [write('a', before)] })];
    const at = request(['a'], threeDays);
    const oldest = makePlan(tasks, at);
    const plan = makePlan(tasks, { ...at, order: 'newest' });
    expect(listed(plan)).toEqual(listed(oldest));
    expect(said(plan)).toHaveLength(2);
  });

  it('keeps what only adds rows, and what nobody knows, oldest first', () => {
    const adds = makePlan(
      [task('log', daily, {}, { writes: [write('log', undefined, 'append')] })],
      request(['log'], threeDays, { order: 'newest', allowAppend: true }),
    );
    expect(said(adds)).toEqual(['log stays oldest first: what a run adds may depend on what is there.']);
    const unknown = newest(task('x', daily, {}, { writes: [write('x', { kind: 'unknown', reason: 'no bound' })] }));
    expect(said(unknown)).toEqual(['x stays oldest first: which rows each of its runs owns is not known.']);
  });
});
