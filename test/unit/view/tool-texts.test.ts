import { describe, expect, test } from 'vitest';
import type { UnitRecord } from '../../../src/core/ledger/ledger-store.ts';
import type { SliceState } from '../../../src/core/ledger/slice-states.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import type { PlanGrid } from '../../../src/core/view/page/plan-view.ts';
import { checkText, planText, staleText, withoutRows } from '../../../src/core/view/tools/tool-texts.ts';

describe('a language model is told', () => {
  const finding = (file: string, severity = 'error') => ({
    file,
    rule: 'plain-insert',
    severity,
    message: 'adds rows\nagain',
    start: { line: 24 },
  });

  test('findings with file and line, of one file or folder where it asks for that', () => {
    const found = [finding('dags/a.py'), finding('dags/sub/b.py'), finding('dags_old/c.py'), finding('d.py', 'hint')];
    expect(checkText(found, undefined).split('\n')[0]).toBe('3 findings:');
    expect(checkText(found, './dags/')).toBe(
      '2 findings:\ndags/a.py:24 error plain-insert: adds rows again\ndags/sub/b.py:24 error plain-insert: adds rows again',
    );
    expect(checkText(found, 'd.py')).toBe('Nothing found in d.py that a second run would change.');
    expect(
      checkText(
        Array.from({ length: 100 }, () => finding('a.py')),
        undefined,
      ),
    ).toMatch(/and 40 more$/);
  });

  test('what a plan makes anew, why, and that nothing has run', () => {
    const unit = (label: string) => ({ label }) as PlanGrid['units'][number];
    const row = (task: string, units: number[], left?: string) =>
      ({ task, units, tables: ['mart.t'], reason: 'selected', left }) as unknown as PlanGrid['rows'][number];
    const plan = {
      units: [unit('2026-11-01'), unit('2026-11-02'), unit('2026-11-02')],
      rows: [row('shop.a', [0, 1]), row('shop.b', [2]), row('shop.c', [], 'left out: its slices stay stale')],
      findings: [{ severity: 'warning', message: 'It appends.' }],
      startable: true,
    } as unknown as PlanGrid;
    expect(planText(plan, 'backfill run shop.a')).toBe(
      [
        '3 slices of 2 tasks would be made anew. Nothing has run.',
        '- shop.a: 2 intervals, 2026-11-01 to 2026-11-02, writes mart.t; selected',
        '- shop.b: 1 interval, 2026-11-02, writes mart.t; selected',
        '- shop.c: left out: its slices stay stale',
        'warning: It appends.',
        'The same on the command line: backfill run shop.a',
      ].join('\n'),
    );
    expect(planText({ ...plan, startable: false }, '')).toContain('this plan cannot run as it is');
  });

  test('what is stale and why, of one task where it asks for that', () => {
    const slice = (unit: string, state: SliceState['state']): SliceState => ({
      unit,
      state,
      rows: 1,
      at: instant(0),
      why: state === 'fresh' ? '' : 'the code of the task changed since',
      run: 'r',
    });
    const states = [slice('shop.a@1', 'fresh'), slice('shop.a@2', 'stale'), slice('shop.b@1', 'held')];
    expect(staleText(states, 'shop.a', 'w')).toBe(
      '1 slice on w of 3 that it knows of:\n- shop.a@2 stale: the code of the task changed since',
    );
    expect(staleText(states.slice(0, 1), undefined, 'w')).toBe(
      'w knows of 1 slice, and none is stale, held or failed.',
    );
    expect(staleText([], undefined, 'w')).toBe('No slice was made by a run on w yet.');
  });

  test('figures of a run, and none of its rows', () => {
    const secret = { kind: 'changed', key: { id: '1' }, before: { iban: 'DE02' }, after: { iban: 'DE03' } };
    const record = {
      unit: 'shop.a@1',
      state: 'changed',
      slices: [{ table: 'mart.t', changed: 1, samples: [secret], leftOver: { rows: 1, samples: [{ iban: 'DE04' }] } }],
    } as unknown as UnitRecord;
    const told = JSON.stringify(withoutRows([record]));
    expect(told).not.toContain('DE0');
    expect(told).toContain('"changed":1');
  });
});
