import type { Command } from 'commander';
import type { Pipeline } from '../../core/pipeline/model/model.ts';
import { type DagDifference, matchDag } from '../../core/scheduler/match/match-dag.ts';
import type { Scheduler } from '../../core/scheduler/port/scheduler.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { withScheduler } from '../connection/with-scheduler.ts';
import { type SchedulerReport, schedulerJson } from '../reporters/scheduler/scheduler-json.ts';
import { schedulerText } from '../reporters/scheduler/scheduler-text.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';

export function register(program: Command, shell: Shell): void {
  addWorkspaceOptions(
    program
      .command('scheduler')
      .description(
        'ask an Airflow of backfill.yaml whether it is well, and whether its DAGs are those of the workspace',
      )
      .argument('[name]', 'a name under schedulers in backfill.yaml; not needed where there is one'),
  )
    .addHelpText(
      'after',
      `
Examples:
  backfill scheduler
  backfill scheduler prod --format json

Nothing is started. Exit codes: 0 all is well, 1 it cannot be reached, starts nothing, or has other DAGs, 2 wrong call.`,
    )
    .action((name: string | undefined, options: WorkspaceOptions) => scheduler(name, options, shell));
}

async function scheduler(name: string | undefined, options: WorkspaceOptions, shell: Shell): Promise<void> {
  const workspace = await openWorkspace(options, shell);
  await withScheduler(workspace, name, shell, async (asked) => {
    const health = await asked.health();
    const report: SchedulerReport = {
      ...asked.description,
      ...health,
      dags: await compared(asked, workspace.facts.pipelines),
    };
    shell.out(
      options.format === 'json'
        ? `${JSON.stringify(schedulerJson(report))}\n`
        : schedulerText(report, shell.columns, shell.colors),
    );
    const well = health.starts && report.dags.every(({ differences }) => differences.length === 0);
    shell.exit(well ? exitCodes.done : exitCodes.findings);
  });
}

/** One after the other: a scheduler in production has other things to do. */
async function compared(
  asked: Scheduler,
  pipelines: readonly Pipeline[],
): Promise<readonly { readonly dag: string; readonly differences: readonly DagDifference[] }[]> {
  const found = [];
  for (const pipeline of pipelines) {
    if (pipeline.format !== 'airflow') continue;
    found.push({ dag: pipeline.id, differences: matchDag(pipeline, await asked.dag(pipeline.id)) });
  }
  return found;
}
