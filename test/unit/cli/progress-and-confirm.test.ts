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

interface Terminal {
  readonly isTTY: boolean;
  readonly errColumns?: number;
  readonly errRows?: number;
  readonly units?: boolean;
  /** Milliseconds between two events. */
  readonly stepMs?: number;
}

function written(events: readonly RunEvent[], { units = false, stepMs = 1000, ...terminal }: Terminal): string {
  let text = '';
  let now = 0;
  const shell = {
    colors: pc.createColors(false),
    errColumns: 40,
    errRows: 24,
    ...terminal,
    clock: { now: () => now },
    err: (part: string) => (text += part),
  };
  const write = progressWriter(shell as unknown as Shell, { units });
  for (const event of events) {
    now += stepMs;
    write(event);
  }
  return text;
}

/** What is seen after carriage returns, moves up and erasing have been carried out. */
function screen(text: string): readonly string[] {
  const lines = [''];
  let row = 0;
  for (const [part] of text.replaceAll('\u001b', '⎋').matchAll(/⎋\[(\d*)([AJ])|\r|\n|[^⎋\r\n]+/g)) {
    const up = /^⎋\[(\d+)A$/.exec(part);
    if (up !== null) row -= Number(up[1]);
    else if (part === '⎋[J') lines.splice(row, lines.length, '');
    else if (part === '\n') lines[++row] ??= '';
    else if (part !== '\r') lines[row] = part;
  }
  return lines;
}

describe('progress', () => {
  const tasks = [
    { task: 'a', units: 3 },
    { task: 'b', units: 1 },
  ];
  const events: RunEvent[] = [
    { kind: 'run-started', run: 'r1', total: 4, toRun: 4, tasks, findings: [] },
    { kind: 'progress', progress },
    ended('a@1', 'unchanged'),
    ended('a@2', 'failed', 'broke'),
    { kind: 'unit-retrying', unit: 'a@3', attempt: 1, delayMs: 500, reason: 'waiting for ann' },
    { kind: 'cancelling', running: ['a@3'] },
  ];

  test('a log has a line when a task is done, and for each unit that did not go well', () => {
    expect(
      written([...events, ended('a@3', 'changed'), ended('b@1', 'changed')], { isTTY: false }),
    ).toBe(`run r1: 4 of 4 units to run
failed  a@2  broke  0.1 s
retry a@3 in 0.5 s: waiting for ann
cancelling: waiting until the server has stopped a@3 (Ctrl-C again leaves at once)
a  3 of 3: 1 unchanged, 1 failed, 1 changed
b  1 of 1: 1 changed
`);
  });

  test('a log of 127 units is short, and still says now and then that it lives', () => {
    const many = Array.from({ length: 127 }, (_, index) => ended(`a@${index}`, 'changed'));
    const begun = {
      kind: 'run-started',
      run: 'r1',
      total: 127,
      toRun: 127,
      tasks: [{ task: 'a', units: 127 }],
      findings: [],
    } as const;
    const through = (stepMs: number) =>
      written([begun, ...many.flatMap((event) => [event, { kind: 'progress', progress } as const])], {
        isTTY: false,
        stepMs,
      })
        .trim()
        .split('\n');
    expect(through(10)).toEqual(['run r1: 127 of 127 units to run', 'a  127 of 127: 127 changed']);
    expect(through(1000)).toHaveLength(2 + 8);
  });

  test('each unit has its line where that is asked for', () => {
    const text = written([...events.slice(0, 3), ended('b@1', 'changed')], { isTTY: false, units: true });
    expect(text).toBe('run r1: 4 of 4 units to run\nunchanged  a@1  0.1 s\nchanged  b@1  0.1 s\n');
  });

  test('a terminal has a table of tasks that is rewritten in place and never wraps', () => {
    const text = written([...events.slice(0, 4), { kind: 'progress', progress }], { isTTY: true });
    expect(screen(text)).toEqual([
      'run r1: 4 of 4 units to run',
      'failed  a@2  broke  0.1 s',
      '[#####---------------] 1/4 · 2 running…',
      'a  2 of 3: 1 unchanged, 1 failed',
      'b  0 of 1',
    ]);
    const done = written(
      [...events.slice(0, 2), ended('a@1', 'changed'), { kind: 'run-finished', result: {} as never }],
      { isTTY: true },
    );
    expect(screen(done)).toEqual(['run r1: 4 of 4 units to run', '']);
  });

  test('a terminal that is narrow or low is not overrun', () => {
    const more = Array.from({ length: 30 }, (_, index) => ({ task: `a_task_with_a_long_name_${index}`, units: 5 }));
    const begun = { kind: 'run-started', run: 'r1', total: 150, toRun: 150, tasks: more, findings: [] } as const;
    const twice = [begun, { kind: 'progress', progress }, { kind: 'progress', progress }] as const;
    const lines = screen(written(twice, { isTTY: true, errColumns: 20, errRows: 6 }));
    expect(lines).toHaveLength(1 + 5);
    for (const line of lines.slice(1)) expect(line.length).toBeLessThan(20);
    expect(lines.at(-1)).toBe('… and 27 more tasks');
    // Not rewritten more often than an eye can follow.
    expect(written(twice, { isTTY: true, stepMs: 10 }).split('a_task_with_a_long_name_0')).toHaveLength(2);
  });

  test('thousands of blocked units do not fill the screen', () => {
    const blocked = (unit: string): RunEvent => ({
      kind: 'unit-blocked',
      unit,
      result: { ...notStarted(unit, 0), state: 'blocked' },
    });
    const text = written(
      Array.from({ length: 5000 }, (_, index) => blocked(`u${index}`)),
      { isTTY: false },
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
    expect(await confirmRun('Run', { name: 'dw', description: target }, { yes }, answering(answer))).toBe(expected);
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
    expect(await confirmRun('Run', { name: 'dw', description: guarded }, options, answering(answer))).toBe(expected);
  });

  test('the name of another connection stops a run on an open target too', async () => {
    const refusal = await confirmRun(
      'Run',
      { name: 'dw', description: target },
      { yes: true, confirmTarget: 'prod' },
      answering(undefined),
    );
    expect(refusal).toContain('--confirm-target prod');
  });
});

test('run ids sort by time and are unlike each other', () => {
  const at = instant(Date.UTC(2026, 10, 29, 16, 23, 50));
  expect(newRunId(at)).toMatch(/^20261129-162350-[a-z2-9]{6}$/);
  expect(new Set(Array.from({ length: 100 }, () => newRunId(at))).size).toBe(100);
});
