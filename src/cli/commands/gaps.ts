import type { Command } from 'commander';
import type { PlannableTask } from '../../core/plan/model/plan-request.ts';
import { findGaps, findOpen, type Gap, type OpenInterval } from '../../core/run/survey/find-gaps.ts';
import { openSurvey } from '../../core/run/survey/open-survey.ts';
import type { SliceSurvey } from '../../core/run/survey/survey-slices.ts';
import type { Instant } from '../../core/time/zones/instant.ts';
import { type CalendarSurvey, calendarSurvey } from '../../core/view/page/range/calendar-survey.ts';
import { type CalendarCell, calendarGrid } from '../../core/view/page/range/calendar-view.ts';
import { refuseElsewhere } from '../../node/run-setup.ts';
import { findTasks } from '../arguments/find-tasks.ts';
import { readTime } from '../arguments/selection.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { withTarget } from '../connection/with-target.ts';
import { type GapsOfTask, gapsText } from '../reporters/run/gaps-text.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';
import { workLine } from '../terminal/work-line.ts';

interface GapsOptions extends WorkspaceOptions {
  readonly connection?: string;
  readonly now?: string;
}

export function register(program: Command, shell: Shell): void {
  addWorkspaceOptions(
    program
      .command('gaps')
      .description('list intervals whose rows are missing, or far fewer or more than those around them')
      .argument('<task...>', 'dag.task, a SQL file, or a DAG for all of its tasks'),
  )
    .option('--connection <name>', 'connection of backfill.yaml')
    .option('--now <time>', 'as though it were this time (UTC unless it has an offset)')
    .addHelpText(
      'after',
      `
Each table is asked once, for its rows by interval; nothing is written. Exit code 1 where there are gaps, or where
a table could not be counted. Intervals before a table's first row are said, and are no gaps; nor are those of which there
are too few others to tell whether they are odd.

Examples:
  backfill gaps shop_daily.orders_clean
  backfill gaps shop_daily --format json`,
    )
    .action((words: string[], options: GapsOptions) => gaps(words, options, shell));
}

async function gaps(words: readonly string[], options: GapsOptions, shell: Shell): Promise<void> {
  const workspace = await openWorkspace(options, shell);
  const tasks = findTasks(words, workspace);
  const now = options.now === undefined ? shell.clock.now() : readTime('--now', options.now, 'UTC');
  await withTarget(workspace, options.connection, shell, async ({ warehouse, connection }) => {
    const line = workLine(shell);
    const survey = await openSurvey(warehouse, connection.settings);
    const elsewhere = refuseElsewhere(workspace.config, connection.name, shell.env);
    try {
      const found: GapsOfTask[] = [];
      for (const [at, task] of tasks.entries()) {
        line.tell('counting rows of tasks', at, tasks.length);
        const { executor } = task;
        const refusal = executor.kind === 'warehouse' ? elsewhere(executor.connection, executor.database) : undefined;
        if (refusal !== undefined) {
          // A table of that name in this database is another one.
          const untold = [`${refusal.message}; ${refusal.remedy}`];
          found.push({ task: task.id, intervals: [], before: [], gaps: [], open: [], untold });
          continue;
        }
        const asked = calendarSurvey(task, workspace.facts.tasks.get(task.id), workspace.config, now);
        const counted = await survey.count(asked.slices);
        found.push(gapsOf(task, now, asked, counted));
      }
      line.end();
      shell.out(options.format === 'json' ? gapsJson(found) : gapsText(found, shell));
      // What could not be counted is no all-clear.
      const isWhole = found.every(({ gaps: listed, untold }) => listed.length === 0 && untold.length === 0);
      shell.exit(isWhole ? exitCodes.done : exitCodes.findings);
    } finally {
      line.end();
      await survey.close();
    }
  });
}

function gapsOf(
  task: PlannableTask,
  now: Instant,
  { units, season, untold }: CalendarSurvey,
  survey: SliceSurvey,
): GapsOfTask {
  const cells = new Map(calendarGrid(task, task.id, now, task.zone).cells.map((cell) => [cell.unit, cell]));
  const counted = units.flatMap((unit) => {
    const rows = survey.rows.get(unit);
    return rows === undefined ? [] : [{ unit, rows }];
  });
  const cellsOf = (some: typeof counted) => some.flatMap(({ unit }) => cells.get(unit) ?? []);
  const first = counted.findIndex(({ rows }) => rows > 0);
  const withCell = <T extends Gap | OpenInterval>(one: T): (T & CalendarCell)[] => {
    const cell = cells.get(one.unit);
    return cell === undefined ? [] : [{ ...cell, ...one }];
  };
  return {
    task: task.id,
    intervals: cellsOf(counted),
    before: cellsOf(first < 0 ? counted : counted.slice(0, first)),
    gaps: findGaps(counted, season).flatMap(withCell),
    open: findOpen(counted, season).flatMap(withCell),
    untold: [...untold, ...survey.untold],
  };
}

function gapsJson(found: readonly GapsOfTask[]): string {
  const tasks = found.map(({ task, intervals, before, gaps: listed, open, untold }) => ({
    task,
    intervals: intervals.length,
    before: before.map(({ unit, from, to }) => ({ unit, from, to })),
    gaps: listed.map(({ unit, from, to, kind, rows, usual }) => ({ unit, from, to, kind, rows, usual: usual ?? null })),
    open: open.map(({ unit, from, to, rows, usual }) => ({ unit, from, to, rows, usual: usual ?? null })),
    untold,
  }));
  return `${JSON.stringify({ version: 1, tasks })}\n`;
}
