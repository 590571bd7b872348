import { describe, expect, test } from 'vitest';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import type { PlanFinding } from '../../../src/core/plan/model/plan.ts';
import type { PlanGrid } from '../../../src/core/view/page/plan-view.ts';
import type { PageFacts, RunFacts } from '../../../src/core/view/page/status/page-facts.ts';
import { pageStatus } from '../../../src/core/view/page/status/page-status.ts';

/** A plan of one task with as many slices as there are states. */
function plan(
  count: number,
  purpose: PlanGrid['purpose'] = { kind: 'run' },
  findings: readonly PlanFinding[] = [],
): PlanGrid {
  const units = Array.from({ length: count }, (_, index) => ({
    id: `shop.clean@${index}`,
    task: 'shop.clean',
    label: `${index}`,
    start: '',
    end: '',
    widened: false,
    reason: 'selected',
  }));
  const row = {
    task: 'shop.clean',
    dag: 'shop',
    name: 'clean',
    tables: [],
    engine: undefined,
    reason: '',
    left: undefined,
  };
  return {
    stamp: 1,
    title: '',
    purpose,
    units,
    rows: [{ ...row, units: units.map((_, index) => index) }],
    details: [],
    findings,
    scheduler: undefined,
    previewable: true,
    startable: count > 0 && findings.every(({ severity }) => severity !== 'error'),
  };
}

const run = (patch: Partial<RunFacts>): RunFacts => ({
  run: 'r1',
  mode: 'run',
  status: 'finished',
  secondsLeft: undefined,
  ended: { at: '14:33', tookMs: 112_000 },
  away: undefined,
  lost: undefined,
  said: undefined,
  ...patch,
});

const facts = (patch: Partial<PageFacts>): PageFacts => ({
  task: 'shop.clean',
  range: { valid: true, summary: '' },
  connection: 'warehouse',
  silent: undefined,
  plan: plan(3),
  run: undefined,
  states: [],
  busy: undefined,
  starting: false,
  error: undefined,
  outdated: [],
  keepBeforeDays: 30,
  firstStop: undefined,
  ...patch,
});

/** Sentence | action | tone. */
function said(patch: Partial<PageFacts>): string {
  const { sentence, action, news } = pageStatus(facts(patch));
  return `${sentence.lead}${sentence.rest} | ${action === undefined ? '' : `${action.label} ${action.look}`} | ${news.tone}`;
}

const ended = (states: readonly UnitState[], patch: Partial<RunFacts> = {}): Partial<PageFacts> => ({
  states,
  plan: plan(states.length),
  run: run(patch),
  firstStop: 0,
});
const undo = { kind: 'undo', run: 'r0' } as const;
const blocking: PlanFinding = { code: 'cycle', severity: 'error', message: 'It reads itself.', task: 'shop.sums' };

describe('what the page says of itself', () => {
  test.each<[string, Partial<PageFacts>, string]>([
    [
      'nothing in the range',
      { plan: undefined, range: { valid: false, summary: 'The end is not after the start.' } },
      'No slice lies in this range | Preview off | warning',
    ],
    ['planning', { plan: undefined, busy: 'Planning…' }, 'Planning… | Preview off | info'],
    [
      'no connection',
      { connection: undefined },
      '3 slices of 1 task are planned · no warehouse is connected | Connect… primary | info',
    ],
    ['planned', {}, '3 slices of 1 task will be compared and replaced on warehouse | Preview primary | info'],
    ['blocked', { plan: plan(3, { kind: 'run' }, [blocking]) }, '3 slices cannot run yet | Show primary | error'],
    ['starting', { starting: true, busy: 'Starting…' }, 'Starting… · 3 slices | Stop secondary | info'],
    [
      'previewing',
      ended(['changed', 'running', 'waiting'], { mode: 'preview', status: 'running', secondsLeft: 40 }),
      'Previewing: 1 of 3 · 1 would change · about 40 s left | Stop secondary | info',
    ],
    [
      'previewed',
      ended(['changed', 'unchanged', 'unchanged'], { mode: 'preview' }),
      '1 of 3 slices would change · 0 would be held · nothing is written yet | Run 3 slices primary | info',
    ],
    [
      'a preview that failed',
      ended(['changed', 'failed', 'blocked'], { mode: 'preview', said: 'no such table' }),
      'The preview stopped: 1 slice failed · 1 of 3 slices looked at · nothing is written yet | Preview primary | error',
    ],
    [
      'out of date',
      { ...ended(['changed'], { mode: 'preview' }), outdated: ['shop.clean'] },
      'The code of shop.clean changed since the preview | Preview primary | warning',
    ],
    [
      'running',
      ended(['changed', 'unchanged', 'running', 'waiting'], { status: 'running', secondsLeft: 200 }),
      'Running: 2 of 4 · 1 changed · about 3 min left | Stop secondary | info',
    ],
    [
      'a server that is away while the run waits for it',
      ended(['changed', 'waiting'], { status: 'running', away: { since: '14:32', reason: 'connect ECONNREFUSED' } }),
      'The server is away since 14:32 · 1 changed · 1 wait | Stop secondary | error',
    ],
    ['stopping', ended(['changed', 'running'], { status: 'cancelling' }), 'Stopping · 1 slice end first |  | info'],
    [
      'stopped',
      ended(['changed', 'cancelled', 'waiting'], { status: 'cancelled' }),
      'Stopped · 1 changed · 2 not run | Resume primary | info',
    ],
    [
      'cut off',
      ended(['changed', 'waiting'], { status: 'interrupted' }),
      'Cut off · 1 changed · 1 not run | Resume primary | info',
    ],
    ['done', ended(['changed', 'unchanged']), '1 of 2 slices changed · 0 held | Review 1 change primary | ok'],
    [
      'nothing changed',
      { ...ended(['unchanged', 'skipped']), firstStop: undefined },
      'All 2 slices are as they were |  | ok',
    ],
    [
      'held',
      ended(['held', 'blocked', 'changed']),
      '1 slice held · 1 wait behind · 1 changed | Review 1 held primary | warning',
    ],
    [
      'failed',
      ended(['failed', 'blocked', 'changed']),
      '1 slice failed · 1 wait behind · 1 changed | Resume primary | error',
    ],
    [
      'failed and held: the worse comes first',
      ended(['failed', 'held']),
      '1 slice failed · 1 held · 0 changed | Resume primary | error',
    ],
    [
      'stopped halfway',
      ended(['unknown', 'changed']),
      '1 slice stopped halfway · 1 changed | Review 1 slice primary | error',
    ],
    [
      'the connection is lost',
      ended(['changed', 'failed', 'waiting'], { lost: 'connect ECONNREFUSED' }),
      'Connection lost at 14:33 · 1 changed · 2 not run | Resume primary | error',
    ],
    [
      'proved',
      { ...ended(['unchanged', 'unchanged'], { mode: 'prove' }), firstStop: undefined },
      '2 of 2 came out the same twice · nothing is kept | Preview primary | info',
    ],
    [
      'not safe to run twice',
      ended(['changed', 'unchanged'], { mode: 'prove' }),
      '1 of 2 slices differs when run twice · nothing is kept | Review 1 difference primary | info',
    ],
    [
      'an undo is planned',
      { plan: plan(2, undo), firstStop: 0 },
      '2 slices of 1 task will be put back | Put back 2 slices primary | info',
    ],
    [
      'undone',
      { ...ended(['changed', 'changed']), plan: plan(2, undo) },
      '2 slices put back | Review 2 changes primary | ok',
    ],
  ])('%s', (_, patch, expected) => {
    expect(said(patch)).toBe(expected);
  });

  test('a thousand slices have their separators', () => {
    expect(said({ plan: plan(5503) })).toMatch(/^5,503 slices of 1 task/);
  });

  test('what a dead server said comes with what is whole, and with the way back', () => {
    const { news } = pageStatus(facts(ended(['changed', 'failed'], { lost: 'connect ECONNREFUSED 10.0.4.12:5432' })));
    expect(news.text).toBe(
      'Connect ECONNREFUSED 10.0.4.12:5432. What was written is whole; slices in work were rolled back. Resume connects and runs only what is left.',
    );
    expect(news.actions.map(({ label }) => label)).toEqual(['Connect…', 'Show log']);
  });

  test('a database that has told nothing says why, and who can help', () => {
    const news = (silent: PageFacts['silent']) => pageStatus(facts({ silent })).news;
    expect(news({ wantsPassword: true, message: undefined })).toMatchObject({
      tone: 'info',
      text: 'warehouse asks for a password: until then it is not known what is there.',
      actions: [{ label: 'Enter password…', request: { type: 'ask-again' } }],
    });
    expect(news({ wantsPassword: true, message: 'password authentication failed' })).toMatchObject({
      tone: 'warning',
      text: 'warehouse did not answer: Password authentication failed.',
      actions: [{ label: 'Enter password…' }, { label: 'Show log' }],
    });
    expect(news({ wantsPassword: false, message: 'connect ECONNREFUSED' })).toMatchObject({
      actions: [{ label: 'Ask again' }, { label: 'Show log' }],
    });
  });

  test('the worst finding is said, with what can be left out', () => {
    const warning: PlanFinding = { ...blocking, severity: 'warning', message: 'It may be wrong.', task: undefined };
    const { news } = pageStatus(facts({ plan: plan(1, { kind: 'run' }, [warning, blocking]) }));
    expect(news).toMatchObject({
      tone: 'error',
      text: 'It reads itself. … and 1 more',
      actions: [
        { label: 'Leave out', request: { type: 'include-task', task: 'shop.sums', included: false } },
        { label: 'Show', request: { type: 'open-source', task: 'shop.sums' } },
      ],
    });
    const own = pageStatus(facts({ plan: plan(1, { kind: 'run' }, [{ ...blocking, task: 'shop.clean' }]) }));
    expect(own.news.actions.map(({ label }) => label)).toEqual(['Show']);
  });

  test('an error stands above what else is to be known, in sentences', () => {
    const error = { message: 'password authentication failed', remedy: 'ask again' };
    expect(pageStatus(facts({ error })).news).toMatchObject({
      tone: 'error',
      text: 'Password authentication failed. Ask again.',
    });
  });

  test('the bar has a part for each outcome, and what waits is its rest', () => {
    const states: UnitState[] = ['changed', 'changed', 'unchanged', 'held', 'blocked', 'waiting'];
    expect(pageStatus(facts(ended(states))).progress).toEqual({
      done: 4,
      total: 6,
      label: '4 of 6',
      parts: [
        { state: 'changed', count: 2 },
        { state: 'unchanged', count: 1 },
        { state: 'held', count: 1 },
        { state: 'blocked', count: 1 },
      ],
    });
  });

  test('a run that changed something can be undone, a preview cannot', () => {
    const more = (patch: Partial<PageFacts>) => pageStatus(facts(patch)).more.map(({ label }) => label);
    expect(more(ended(['changed']))).toEqual(['Undo run…', 'Run again']);
    expect(more(ended(['unchanged']))).toEqual(['Run again']);
    expect(more(ended(['changed'], { mode: 'preview' }))).not.toContain('Undo run…');
    expect(more(ended(['held', 'changed']))).toEqual(['Resume without held slices', 'Undo run…']);
  });
});
