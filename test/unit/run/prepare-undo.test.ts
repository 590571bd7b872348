import { expect, test } from 'vitest';
import type { ChangedSlice } from '../../../src/core/ledger/ledger-store.ts';
import { runPlan } from '../../../src/core/run/order/run-plan.ts';
import { isUndoRefusal, prepareUndo, type UndoRequest } from '../../../src/core/run/stored/prepare-undo.ts';
import { encodeRunDocument } from '../../../src/core/run/stored/run-document.ts';
import { defaultRunOptions } from '../../../src/core/run/unit/run-options.ts';
import type { UnitOutcome } from '../../../src/core/run/unit/unit-outcome.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { changed, failure, fakeClock, fakeExecutor, fakeLedger, jobsOf, planOf } from '../../support/fake-run.ts';

const request: UndoRequest = { run: 'r1', units: undefined, as: 'u1', createdBy: 'tester', now: instant(0) };

const kept = (unit: string): ChangedSlice => ({
  unit,
  slice: 't|||',
  target: 't',
  rowsBefore: 1,
  kept: 1,
  newerRun: undefined,
});

function ledgerOf(slices: readonly ChangedSlice[]) {
  const plan = planOf([
    { task: 'a', index: 0 },
    { task: 'a', index: 1 },
    { task: 'b', index: 0 },
    { task: 'a', index: 2 },
  ]);
  const jobs = jobsOf(plan, 'r1');
  const document = encodeRunDocument({ plan, jobs, refused: new Map(), options: defaultRunOptions });
  const ledger = { ...fakeLedger(), changedSlices: async () => slices };
  ledger.runs.set('r1', { run: 'r1', createdAt: instant(0), createdBy: 'tester', title: 'a title', document });
  return ledger;
}

/** Newest first, as a ledger tells them. */
const all = ['a@2', 'b@0', 'a@1', 'a@0'].map(kept);

async function undoing(answer: (unit: string, tries: number) => UnitOutcome) {
  const ledger = ledgerOf(all);
  const made = await prepareUndo(request, ledger);
  if (isUndoRefusal(made)) throw new Error(made.message);
  const clock = fakeClock();
  const tries = new Map<string, number>();
  const executor = fakeExecutor(clock, 4, ({ unit, restores }) => {
    expect(restores).toEqual({ run: 'r1', unit });
    tries.set(unit, (tries.get(unit) ?? 0) + 1);
    return answer(unit, tries.get(unit) ?? 0);
  });
  const signal = new AbortController().signal;
  const result = await clock.passUntil(runPlan(made, { executor, ledger, clock, signal, onEvent: () => {} }));
  return { states: result.units.map(({ unit, state }) => `${unit} ${state}`), started: executor.started };
}

test('the last change is taken back first, also where it has to be tried again', async () => {
  const { started } = await undoing((unit, tries) => (unit === 'b@0' && tries === 1 ? failure(true) : changed));
  expect(started).toEqual(['a@2', 'b@0', 'b@0', 'a@1', 'a@0']);
});

test('nothing is taken back before what came after it', async () => {
  const { started } = await undoing((unit) => (unit === 'b@0' ? failure(false) : changed));
  expect(started).toEqual(['a@2', 'b@0']);
});

test.each<[string, Partial<UndoRequest>, readonly ChangedSlice[], RegExp]>([
  ['an unknown run', { run: 'r9' }, all, /no run r9/],
  ['a unit that changed nothing', { units: ['c@0'] }, all, /nothing by c@0/],
  ['a run that changed nothing', {}, [], /changed nothing/],
  ['rows that were not kept', {}, [{ ...kept('a@0'), kept: undefined }], /were not kept/],
  ['a slice that a later run made anew', {}, [{ ...kept('a@0'), newerRun: 'r2' }], /run r2 made/],
  ['what was undone', {}, [{ ...kept('a@0'), newerRun: 'u0', undone: true }], /^run r1 was undone already, by run u0$/],
  [
    'a unit that was undone',
    { units: ['a@0'] },
    [kept('a@1'), { ...kept('a@0'), newerRun: 'u0', undone: true }],
    /^a@0 of run r1 was undone already, by run u0$/,
  ],
])('%s is refused in words', async (_, parts, slices, message) => {
  const made = await prepareUndo({ ...request, ...parts }, ledgerOf(slices));
  expect(isUndoRefusal(made) && made.message).toMatch(message);
});

test('what has begun and has no record yet is ended first', async () => {
  const ledger = { ...ledgerOf([kept('a@0')]), begun: async () => ['a@1', 'a@2'] };
  const made = async (units?: readonly string[]) => prepareUndo({ ...request, units }, ledger);
  expect(await made()).toMatchObject({
    message: expect.stringMatching(/^run r1 has not ended: rows of a@1 and 1 more unit may be there already/),
    remedy: 'end it first: backfill resume r1',
  });
  expect(await made(['a@1'])).toMatchObject({ message: expect.stringContaining('rows of a@1 may') });
  expect(isUndoRefusal(await made(['a@0']))).toBe(false);
});

test('what an undo of single units left is undone by an undo of the run', async () => {
  const made = await prepareUndo(request, ledgerOf([kept('a@1'), { ...kept('a@0'), newerRun: 'u0', undone: true }]));
  expect(isUndoRefusal(made) ? made.message : made.plan.units.map(({ id }) => id)).toEqual(['a@1']);
});
