import type { Shell } from '../../terminal/shell.ts';
import { cutToWidth } from '../text/display-width.ts';

/** The last lines of a terminal, rewritten in place. Lines hold no colours. */
export interface LiveBlock {
  draw(lines: readonly string[]): void;
  clear(): void;
}

/** Lines are cut to the terminal, and to as many as it has: what scrolled away could not be rewritten. */
export function liveBlock(shell: Shell): LiveBlock {
  let drawn = 0;
  const clear = (): void => {
    if (drawn > 0) shell.err(`\r${drawn > 1 ? `\u001b[${drawn - 1}A` : ''}\u001b[J`);
    drawn = 0;
  };
  return {
    draw(lines) {
      const room = Math.max(1, Math.min(mostLines, shell.errRows - 1));
      const shown =
        lines.length <= room ? lines : [...lines.slice(0, room - 1), `… and ${lines.length - room + 1} more tasks`];
      clear();
      shell.err(
        shown
          .slice(0, room)
          .map((line) => cutToWidth(line, shell.errColumns - 1))
          .join('\n'),
      );
      drawn = Math.min(shown.length, room);
    },
    clear,
  };
}

/** More is not read while it changes. */
const mostLines = 16;
