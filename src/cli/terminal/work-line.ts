import type { Shell } from './shell.ts';

/** What goes on in a command that only reads, said on standard error once it lasts. */
export interface WorkLine {
  /** `of`: how many there are of what is worked through; 0 where nobody counts. */
  tell(what: string, done: number, of: number): void;
  /** Takes the line away. */
  end(): void;
}

/** Before this nobody wonders. */
const patienceMs = 1000;
const redrawMs = 100;
/** A log is given a line of it only now and then. */
const logMs = 30_000;

/** A terminal has one line that is rewritten; the first Ctrl-C ends such a command, however busy it is. */
export function workLine({ clock, isTTY, err, errColumns }: Shell): WorkLine {
  const startedAt: number = clock.now();
  let saidAt = startedAt;
  let drawn = false;
  let text: string | undefined;
  const draw = (): void => {
    const now: number = clock.now();
    if (text === undefined || now - startedAt < patienceMs || now - saidAt < (isTTY ? redrawMs : logMs)) return;
    saidAt = now;
    if (isTTY) err(`\r${text.slice(0, errColumns - 1)}\u001b[K`);
    else err(`${text}\n`);
    drawn = isTTY;
  };
  // One long question to a database tells nothing in between.
  const timer = setInterval(draw, patienceMs);
  timer.unref();
  return {
    tell(what, done, of) {
      text = of === 0 ? `${what} …` : `${what}: ${done.toLocaleString('en')} of ${of.toLocaleString('en')}`;
      draw();
    },
    end() {
      clearInterval(timer);
      text = undefined;
      if (drawn) err('\r\u001b[K');
      drawn = false;
    },
  };
}
