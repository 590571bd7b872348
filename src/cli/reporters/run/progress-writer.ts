import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import type { RunEvent, RunProgress } from '../../../core/run/unit/run-event.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
import { plural } from '../../../core/text/plural.ts';
import type { Shell } from '../../terminal/shell.ts';
import { cutToWidth } from '../text/display-width.ts';
import { durationText } from '../text/duration-text.ts';
import { difference, stateText } from './run-text.ts';

/**
 * Shows a run while it goes on, on standard error: one line per unit that ended; on a terminal only for those that did
 * not go well, above a last line that is rewritten in place. Nothing is written for blocked units beyond the first few;
 * the summary counts them.
 */
export function progressWriter(shell: Shell): (event: RunEvent) => void {
  const { colors, isTTY } = shell;
  let live = '';
  let blocked = 0;
  const clear = (): void => {
    if (live !== '') shell.err('\r\u001b[K');
    live = '';
  };
  const line = (text: string): void => {
    clear();
    shell.err(`${text}\n`);
  };
  return (event) => {
    switch (event.kind) {
      case 'run-started':
        line(`run ${event.run}: ${event.toRun} of ${event.total} units to run`);
        break;
      case 'unit-finished':
        // On a terminal the last line counts what went well, and the summary lists it; a log has a line for each unit.
        if (!isTTY || !wentWell.has(event.result.state)) line(unitLine(event.result, shell));
        break;
      case 'unit-blocked':
        blocked += 1;
        if (blocked <= 3) line(unitLine(event.result, shell));
        else if (blocked === 4) line(colors.dim('… and more units are blocked'));
        break;
      case 'unit-retrying':
        line(`${colors.yellow('retry')} ${event.unit} in ${durationText(event.delayMs)}: ${event.reason}`);
        break;
      case 'unit-reported':
        line(colors.dim(`${event.unit}  ${event.state}`));
        break;
      case 'cancelling':
        line(
          colors.yellow(
            event.running.length === 0
              ? 'cancelling'
              : `cancelling: waiting until the server has stopped ${event.running.join(', ')} (Ctrl-C again leaves at once)`,
          ),
        );
        break;
      case 'progress':
        if (!isTTY) break;
        clear();
        live = cutToWidth(progressText(event.progress), shell.errColumns - 1);
        shell.err(live);
        break;
      case 'run-finished':
        clear();
        break;
      case 'forecast':
      case 'unit-started':
        break;
    }
  };
}

const wentWell: ReadonlySet<UnitState> = new Set(['changed', 'unchanged']);

function unitLine(unit: RunUnit, { colors }: Shell): string {
  const rows = unit.slices
    .map((slice) =>
      `${slice.before?.rows ?? (slice.after === undefined ? '?' : 'new')} → ${slice.after === undefined ? '? rows' : plural(slice.after.rows, 'row')} ${difference(slice, colors)}`.trimEnd(),
    )
    .join('; ');
  const took = unit.durationMs === undefined ? '' : colors.dim(durationText(unit.durationMs));
  return [stateText(unit.state, colors), unit.unit, rows, unit.message?.split('\n')[0] ?? '', took]
    .filter((part) => part !== '')
    .join('  ');
}

/** `[#####-----] 12/66 · 2 running · 1 failed · 48 a minute · about 1 min 05 s left`. */
export function progressText(progress: RunProgress): string {
  const { finished, total, running, failed, held, blocked, unitsPerMinute, remainingMs } = progress;
  const width = 20;
  const done = total === 0 ? width : Math.floor((finished / total) * width);
  const parts = [
    `[${'#'.repeat(done)}${'-'.repeat(width - done)}] ${finished}/${total}`,
    `${running} running`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(held > 0 ? [`${held} held`] : []),
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(unitsPerMinute === undefined ? [] : [`${Math.round(unitsPerMinute)} a minute`]),
    ...(remainingMs === undefined || finished === total ? [] : [`about ${durationText(remainingMs)} left`]),
  ];
  return parts.join(' · ');
}
