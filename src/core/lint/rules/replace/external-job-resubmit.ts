import type { Task } from '../../../pipeline/model/model.ts';
import type { LintContext } from '../../context/lint-context.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';

/** A try again starts the job a second time, while the first one still runs. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const { task } of context.tasks) {
    const job = submitting[task.operator];
    const { retries } = task;
    if (job === undefined || retries?.at === undefined || retries.value < 1) continue;
    if (!waits(task, job) || job.finds.some((name) => isGiven(task, name))) continue;
    const fix = job.flag === undefined ? undefined : flagFix(task, job.flag);
    const isOwn =
      retries.at.file === task.at.file && task.at.start <= retries.at.start && retries.at.end <= task.at.end;
    yield {
      at: retries.at,
      // Retries that all tasks of the DAG have were not meant for this job.
      severity: isOwn ? 'warning' : 'info',
      message: `A retry starts the job again without looking whether the one before still runs; if it adds rows, they come twice.${job.cure}`,
      subject: `${task.id} retries`,
      related:
        task.retries?.at?.file === task.nameAt.file
          ? [{ message: `${task.operator} submits it`, at: task.nameAt }]
          : [],
      fixes: fix ? [fix] : [],
    };
  }
}

interface Submitting {
  /** Arguments that let a retry find the job that runs. */
  readonly finds: readonly string[];
  /** Whether it waits for the job's end where nothing is said: one that only submits fails only when it has submitted none. */
  readonly waitsByDefault: boolean;
  /** The one of `finds` that is a plain switch. */
  readonly flag?: string;
  readonly cure: string;
}

const token = (name: string, waitsByDefault = true): Submitting => ({
  finds: [name],
  waitsByDefault,
  cure: ` Give it ${name}, of the interval.`,
});
const none = (cure: string, waitsByDefault = true): Submitting => ({ finds: [], waitsByDefault, cure });

/**
 * Operators that submit a job to a service and wait for it there, as read in `apache-airflow-providers-amazon` 9,
 * `-databricks` 6, `-google` 10 and `-microsoft-azure` 10.
 */
const submitting: Readonly<Record<string, Submitting>> = {
  GlueJobOperator: {
    finds: ['resume_glue_job_on_retry'],
    waitsByDefault: true,
    flag: 'resume_glue_job_on_retry',
    cure: ' Set resume_glue_job_on_retry=True, or let the job run once at a time (MaxConcurrentRuns=1).',
  },
  EmrAddStepsOperator: none(' Let the job look for its own rows before it adds them.', false),
  EmrServerlessStartJobOperator: token('client_request_token'),
  EmrContainerOperator: token('client_request_token'),
  BatchOperator: none(' Let the job look for its own rows before it adds them.'),
  EcsRunTaskOperator: { finds: ['reattach'], waitsByDefault: true, flag: 'reattach', cure: ' Set reattach=True.' },
  DatabricksSubmitRunOperator: token('idempotency_token'),
  DatabricksRunNowOperator: token('idempotency_token'),
  DataprocSubmitJobOperator: token('request_id'),
  AzureDataFactoryRunPipelineOperator: none(' Let the pipeline look for its own rows before it adds them.'),
};

const argument = (task: Task, name: string) => task.arguments.find((one) => one.name === name);

const isGiven = (task: Task, name: string): boolean => {
  const value = argument(task, name)?.value;
  return value !== undefined && !(value.kind === 'literal' && (value.value === false || value.value === null));
};

function waits(task: Task, { waitsByDefault }: Submitting): boolean {
  const given = ['wait_for_completion', 'wait_for_termination', 'asynchronous']
    .map((name) => argument(task, name))
    .find((one) => one !== undefined);
  if (given?.value.kind !== 'literal') return waitsByDefault || given !== undefined;
  return given.name === 'asynchronous' ? given.value.value !== true : given.value.value !== false;
}

/** A new argument before the last bracket of the call. */
function flagFix(task: Task, flag: string): Fix | undefined {
  const last = task.arguments.at(-1);
  if (last === undefined || argument(task, flag) !== undefined || last.at.file !== task.at.file) return undefined;
  const { file, end } = last.at;
  return {
    title: `Let a retry find the job that runs: ${flag}=True`,
    edits: [{ file, start: end, end, newText: `, ${flag}=True` }],
    preferred: true,
  };
}

export default {
  id: 'external-job-resubmit',
  severity: 'warning',
  summary: 'Retries of a task that submits a job and does not look for the one that runs',
  help: 'Let a retry find the running job (`resume_glue_job_on_retry`, `reattach`, an idempotency token of the interval), or make the job replace its slice.',
  supersedes: [],
  check,
} satisfies Rule;
