import pc from 'picocolors';
import { expect, test } from 'vitest';
import type { Shell } from '../../../src/cli/terminal/shell.ts';
import { workLine } from '../../../src/cli/terminal/work-line.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

function shellAt(isTTY: boolean) {
  const said: string[] = [];
  const time = { now: 0 };
  const shell = {
    clock: { now: () => instant(time.now) },
    isTTY,
    errColumns: isTTY ? 40 : Number.POSITIVE_INFINITY,
    err: (text: string) => void said.push(text),
    colors: pc.createColors(false),
  } as unknown as Shell;
  return { shell, said, time };
}

test('nothing is said of work that is soon done', () => {
  for (const isTTY of [true, false]) {
    const { shell, said, time } = shellAt(isTTY);
    const line = workLine(shell);
    line.tell('reading files', 0, 3000);
    time.now = 900;
    line.tell('reading files', 2999, 3000);
    line.end();
    expect(said).toEqual([]);
  }
});

test('a terminal has one line, which goes away, and never wraps', () => {
  const { shell, said, time } = shellAt(true);
  const line = workLine(shell);
  time.now = 1500;
  line.tell('reading files', 812, 3000);
  time.now = 1550;
  line.tell('reading files', 820, 3000);
  time.now = 2000;
  line.tell('following the tables of very many tasks', 0, 0);
  line.end();
  expect(said).toEqual([
    '\rreading files: 812 of 3,000\u001b[K',
    '\rfollowing the tables of very many tasks\u001b[K',
    '\r\u001b[K',
  ]);
});

test('a log has a line each half minute', () => {
  const { shell, said, time } = shellAt(false);
  const line = workLine(shell);
  for (time.now = 0; time.now < 70_000; time.now += 500) line.tell('checking pipelines', time.now / 500, 140);
  line.end();
  expect(said).toEqual(['checking pipelines: 60 of 140\n', 'checking pipelines: 120 of 140\n']);
});
