import { taskOfUnit } from '../../../core/plan/model/unit-id.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { ChooseView, ConnectionView, PlanView } from '../../../protocol/assistant-state.ts';

/** What the page shows that a command has to say. */
export interface ShownChoices {
  readonly choose: Pick<ChooseView, 'options' | 'downstream'>;
  readonly connection: Pick<ConnectionView, 'name'>;
  readonly plan: PlanView | undefined;
}

/** The command that does what the page would do. */
export function cliCommand(
  {
    task,
    from,
    to,
    without,
    only,
  }: {
    readonly task: string;
    readonly from: string;
    readonly to: string;
    readonly without: readonly string[];
    readonly only?: readonly string[] | undefined;
  },
  { choose: { options, downstream }, connection, plan }: ShownChoices,
): string {
  const on = connection.name === undefined ? [] : [`--connection ${shellWord(connection.name)}`];
  const tasks = only === undefined ? [task] : [...new Set(only.map(taskOfUnit))];
  const units = (only ?? []).map((unit) => `--unit ${shellWord(unit)}`);
  const range = [...tasks.map(shellWord), `--from ${shellWord(from)}`, `--to ${shellWord(to)}`, ...units];
  if (plan?.purpose.kind === 'undo') {
    const [first, ...more] = plan.units;
    const only = first !== undefined && more.length === 0 ? [`--unit ${shellWord(first.id)}`] : [];
    return ['backfill undo', shellWord(plan.purpose.run), ...only, ...on].join(' ');
  }
  if (plan?.purpose.kind === 'proof') return ['backfill prove', ...range, ...on].join(' ');
  const hasDownstream = downstream.some(({ depth, included }) => depth > 0 && included);
  return [
    'backfill run',
    ...range,
    ...(hasDownstream ? ['--downstream', ...without.map((left) => `--without ${shellWord(left)}`)] : []),
    ...on,
    ...(plan?.scheduler === undefined || options.scheduler === undefined
      ? []
      : [...(options.allToScheduler === true ? ['--on airflow'] : []), `--scheduler ${shellWord(options.scheduler)}`]),
    `--concurrency ${options.concurrency}`,
    `--compare ${options.compare}`,
    ...(options.stopAtFirstFailure ? ['--on-failure stop'] : []),
    ...(options.earlyCutoff ? [] : ['--no-early-cutoff']),
  ].join(' ');
}
