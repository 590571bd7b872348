import type { Problem, SourceSpan } from '../../../../text/span.ts';
import type { IntervalShape, Schedule } from '../../../../time/schedules/schedule.ts';
import { scheduleInWords } from '../../../../time/schedules/schedule-words.ts';
import { toIso } from '../../../../time/zones/iso.ts';
import type { Pipeline } from '../../../model/model.ts';
import type { SerializedDag } from './airflow-answer.ts';
import type { DagDifference } from './compare-dag.ts';

/** A difference for people, at the place in the file that says otherwise. */
export function differenceProblem(
  read: Pipeline,
  dag: SerializedDag,
  version: string,
  difference: DagDifference,
): Problem {
  const airflow = `Airflow ${version}`;
  const say = (message: string, at: SourceSpan | undefined, severity: Problem['severity']): Problem => ({
    message,
    at: at ?? read.at,
    severity,
  });
  switch (difference.kind) {
    case 'task-missing':
      return say(
        `${airflow} has a task ${JSON.stringify(difference.task.id)} in this DAG that cannot be told from the text; a plan hands it to Airflow.`,
        read.at,
        'info',
      );
    case 'task-extra':
      return say(
        `${airflow} has no task ${JSON.stringify(difference.task.name)} in this DAG, so it cannot be run.`,
        difference.task.nameAt,
        'warning',
      );
    case 'edge-missing':
      return say(
        `${airflow} runs ${difference.from} before ${difference.to}, which cannot be told from the text.`,
        read.at,
        'info',
      );
    case 'edge-extra': {
      const { from, to } = difference;
      const edge = read.edges.find((found) => found.from === `${read.id}.${from}` && found.to === `${read.id}.${to}`);
      return say(`${airflow} does not make ${to} wait for ${from}; the dependency is left out.`, edge?.at, 'warning');
    }
    case 'schedule': {
      const { value, at } = read.schedule;
      const real = inSentence(difference.schedule);
      return value.kind === 'unknown'
        ? say(`${airflow} gives the schedule, which cannot be told from the text: ${real}.`, at, 'info')
        : say(
            `The schedule is read as ${inSentence(value)}; ${airflow} has ${real}, which is used.${bySetting(differsInShape(value, difference.schedule), 'scheduler.create_cron_data_intervals')}`,
            at,
            'warning',
          );
    }
    case 'start-date':
    case 'end-date': {
      const end = difference.kind === 'end-date';
      const real = end ? dag.endDate : dag.startDate;
      const own = end ? read.anchor.endDate : read.anchor.startDate;
      const word = end ? 'end date' : 'start date';
      return say(
        `${airflow} has ${real === undefined ? `no ${word}` : `the ${word} ${toIso(real)}`}, which is used.`,
        end ? undefined : read.startDateAt,
        own === undefined ? 'info' : 'warning',
      );
    }
    case 'zone':
      return say(
        `The time zone is read as ${read.zone}; ${airflow} has ${dag.zone}, which is used.${bySetting(read.startDateAt === undefined, 'core.default_timezone')}`,
        read.startDateAt,
        'warning',
      );
    case 'catchup':
      return say(
        `${airflow} has catchup ${dag.catchup ? 'on' : 'off'} for this DAG, which is used.${bySetting(read.catchup.at === undefined, 'scheduler.catchup_by_default')}`,
        read.catchup.at,
        'warning',
      );
  }
}

/** Said where the file leaves something to the configuration: the Airflow that was asked may have another one. */
const bySetting = (isLeftOpen: boolean, setting: string): string =>
  isLeftOpen
    ? ` That comes from its setting ${setting}: set it in airflow.cfg or the environment file of the workspace if the deployed Airflow has another.`
    : '';

/** A schedule inside a sentence. */
function inSentence(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return `${JSON.stringify(scheduleInWords(schedule))} in ${schedule.zone}, ${shape(schedule.intervals)}`;
    case 'delta':
      return `${scheduleInWords(schedule)}, ${shape(schedule.intervals)}`;
    case 'unknown':
      return `one without data intervals (${schedule.reason})`;
    case 'none':
      return 'no schedule';
    default:
      return scheduleInWords(schedule);
  }
}

/** The same ticks with other intervals. */
const differsInShape = (read: Schedule, real: Schedule): boolean =>
  (read.kind === 'cron' || read.kind === 'delta') &&
  real.kind === read.kind &&
  inSentence({ ...read, intervals: real.intervals } as Schedule) === inSentence(real);

const shape = (intervals: IntervalShape): string =>
  intervals === 'tick-to-tick'
    ? 'with an interval from each tick to the next'
    : intervals === 'zero-width'
      ? 'with an empty interval at each tick'
      : 'with an interval that ends at each tick';
