import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import type { RunEvent, RunProgress } from '../../../core/run/unit/run-event.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
import { plural } from '../../../core/text/plural.ts';
import type { Shell } from '../../terminal/shell.ts';
import { durationText } from '../text/duration-text.ts';
import { liveBlock } from './live-block.ts';
import { difference, stateText } from './run-text.ts';
import { type TaskTally, taskTallies } from './task-tallies.ts';

/**
 * Shows a run while it goes on, on standard error: units that did not go well, each in a line. Of the others a terminal has
 * a table of tasks that is rewritten in place, and a log a line when a task is done and every half minute; with `units` each
 * unit has its line. Nothing is written for blocked units beyond the first few; the summary counts them.
 */
export function progressWriter(
  shell: Shell,
  { units = false }: { readonly units?: boolean } = {},
): (event: RunEvent) => void {
  const { colors, isTTY, clock } = shell;
  const live = liveBlock(shell);
  const tallies = taskTallies();
  let blocked = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let saidAt = clock.now() as number;
  const line = (text: string): void => {
    live.clear();
    shell.err(`${text}\n`);
  };
  const ended = (result: RunUnit): void => {
    const done = tallies.ended(result);
    if (units || !wentWell.has(result.state)) line(unitLine(result, shell));
    if (units || isTTY || done === undefined) return;
    saidAt = clock.now();
    line(tallyText(done));
  };
  return (event) => {
    switch (event.kind) {
      case 'run-started':
        tallies.begin(event.tasks);
        line(`run ${event.run}: ${event.toRun} of ${event.total} units to run`);
        break;
      case 'unit-finished':
        ended(event.result);
        break;
      case 'unit-blocked':
        tallies.ended(event.result);
        blocked += 1;
        if (units || blocked <= 3) line(unitLine(event.result, shell));
        else if (blocked === 4) line(colors.dim('… and more units are blocked'));
        break;
      case 'unit-retrying':
        line(retryText(event, colors));
        break;
      case 'server-away':
        line(
          `${colors.red('away')} the server cannot be reached or takes no work, and the run waits for it: ${event.reason}`,
        );
        break;
      case 'server-back':
        line(`${colors.green('back')} the server takes work again`);
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
      case 'progress': {
        const now = clock.now();
        if (isTTY && now - drawnAt >= leastMs) {
          drawnAt = now;
          live.draw([progressText(event.progress), ...tallies.open().map(tallyText)]);
        } else if (!isTTY && !units && now - saidAt >= quietMs) {
          saidAt = now;
          line(progressText(event.progress));
        }
        break;
      }
      case 'run-finished':
        live.clear();
        break;
      case 'forecast':
      case 'unit-started':
        break;
    }
  };
}

/** That a unit, or its proof, is begun anew. */
export const retryText = (event: Extract<RunEvent, { kind: 'unit-retrying' }>, colors: Shell['colors']): string =>
  `${colors.yellow('retry')} ${event.unit} in ${durationText(event.delayMs)}: ${event.reason}`;

/** A terminal is not rewritten more often than an eye can follow, nor a log written to without news. */
const leastMs = 100;
const quietMs = 30_000;

const wentWell: ReadonlySet<UnitState> = new Set(['changed', 'unchanged', 'skipped', 'done']);

/** `shop_daily.orders_clean  30 of 30: 28 changed, 2 unchanged`. */
function tallyText({ task, of, states }: TaskTally): string {
  const counts = [...states].map(([state, count]) => `${count} ${state}`);
  const finished = [...states.values()].reduce((sum, count) => sum + count, 0);
  return `${task}  ${finished} of ${of}${counts.length === 0 ? '' : `: ${counts.join(', ')}`}`;
}

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
