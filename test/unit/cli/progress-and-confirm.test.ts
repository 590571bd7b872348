import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { confirmRun } from '../../../src/cli/connection/confirm-run.ts';
import { progressWriter } from '../../../src/cli/reporters/run/progress-writer.ts';
import type { Shell } from '../../../src/cli/terminal/shell.ts';
import type { UnitState } from '../../../src/core/ledger/ledger-store.ts';
import type { RunEvent, RunProgress } from '../../../src/core/run/unit/run-event.ts';
import { notStarted } from '../../../src/core/run/unit/unit-results.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { newRunId } from '../../../src/node/run-id.ts';

const progress: RunProgress = {
  finished: 1,
  total: 4,
  running: 2,
  failed: 0,
  held: 0,
  blocked: 0,
  elapsedMs: 1000,
  unitsPerMinute: 60,
  remainingMs: 3000,
};
const ended = (unit: string, state: UnitState, message?: string): RunEvent => ({
  kind: 'unit-finished',
  unit,
  result: { ...notStarted(unit, 1), state, message, durationMs: 100 },
});

function written(events: readonly RunEvent[], isTTY: boolean, errColumns = 40): string {
  let text = '';
  const shell = { colors: pc.createColors(false), isTTY, errColumns, err: (part: string) => (text += part) };
  const write = progressWriter(shell as unknown as Shell);
  for (const event of events) write(event);
  return text;
}

describe('progress', () => {
  const events: RunEvent[] = [
    { kind: 'run-started', run: 'r1', total: 4, toRun: 4, findings: [] },
    { kind: 'progress', progress },
    ended('a@1', 'unchanged'),
    ended('a@2', 'failed', 'broke'),
    { kind: 'unit-retrying', unit: 'a@3', attempt: 1, delayMs: 500, reason: 'waiting for ann' },
    { kind: 'cancelling', running: ['a@3'] },
  ];

  test('a log has plain lines, one for each unit', () => {
    expect(written(events, false)).toBe(`run r1: 4 of 4 units to run
unchanged  a@1  0.1 s
failed  a@2  broke  0.1 s
retry a@3 in 0.5 s: waiting for ann
cancelling: waiting until the server has stopped a@3 (Ctrl-C again leaves at once)
`);
  });

  test('a terminal has a last line that is rewritten and never wraps', () => {
    const text = written([...events.slice(0, 4), { kind: 'progress', progress }], true);
    const lines = text.split('\n');
    expect(lines).toHaveLength(3);
    // The rewritten line is cleared before anything else is written.
    expect(lines[1]).toBe('[#####---------------] 1/4 · 2 running…\r\u001b[Kfailed  a@2  broke  0.1 s');
    expect(lines[2]).toBe('[#####---------------] 1/4 · 2 running…');
  });

  test('thousands of blocked units do not fill the screen', () => {
    const blocked = (unit: string): RunEvent => ({
      kind: 'unit-blocked',
      unit,
      result: { ...notStarted(unit, 0), state: 'blocked' },
    });
    const text = written(
      Array.from({ length: 5000 }, (_, index) => blocked(`u${index}`)),
      false,
    );
    expect(text.split('\n')).toHaveLength(5);
  });
});

describe('confirmRun', () => {
  const answering = (answer: string | undefined): Shell => ({ ask: async () => answer }) as unknown as Shell;
  const target = {
    engine: 'postgres' as const,
    serverVersion: '16',
    target: 'postgres://ann@db:5432/shop',
    protected: false,
  };
  const guarded = { ...target, protected: true };

  test.each([
    ['y', false, undefined],
    ['Yes ', false, undefined],
    ['', false, 'nothing was run'],
    ['n', false, 'nothing was run'],
    [undefined, false, 'nothing was run: nobody can be asked here; look at the plan and add --yes'],
    [undefined, true, undefined],
  ])('answer %j, --yes %j → %j', async (answer, yes, expected) => {
    expect(await confirmRun('Run', 'dw', target, { yes }, answering(answer))).toBe(expected);
  });

  test.each([
    ['dw', undefined, undefined],
    ['y', undefined, 'nothing was run'],
    ['postgres://ann@db:5432/shop', undefined, 'nothing was run'],
    [
      undefined,
      undefined,
      'nothing was run: dw is protected and nobody can be asked here; look at the plan and add --confirm-target dw',
    ],
    [undefined, 'dw', undefined],
    [undefined, 'other', 'nothing was run: --confirm-target other is not the connection of this run, dw'],
    ['dw', 'other', 'nothing was run: --confirm-target other is not the connection of this run, dw'],
  ])('a protected target wants its connection’s name and not --yes: %j, %j → %j', async (answer, named, expected) => {
    const options = { yes: true, ...(named !== undefined && { confirmTarget: named }) };
    expect(await confirmRun('Run', 'dw', guarded, options, answering(answer))).toBe(expected);
  });

  test('the name of another connection stops a run on an open target too', async () => {
    const refusal = await confirmRun('Run', 'dw', target, { yes: true, confirmTarget: 'prod' }, answering(undefined));
    expect(refusal).toContain('--confirm-target prod');
  });
});

test('run ids sort by time and are unlike each other', () => {
  const at = instant(Date.UTC(2026, 10, 29, 16, 23, 50));
  expect(newRunId(at)).toMatch(/^20261129-162350-[a-z2-9]{6}$/);
  expect(new Set(Array.from({ length: 100 }, () => newRunId(at))).size).toBe(100);
});
