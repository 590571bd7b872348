import type { PlannableTask } from '../../../plan/model/plan-request.ts';
import { unitId } from '../../../plan/model/unit-id.ts';
import {
  type SlicesOfIntervals,
  type SurveyedTask,
  slicesOfIntervals,
} from '../../../run/survey/slices-of-intervals.ts';
import type { Instant } from '../../../time/zones/instant.ts';
import { type CalendarLayout, laidOut } from './calendar-view.ts';

/** What is to be counted for the calendar of a task. */
export interface CalendarSurvey extends SlicesOfIntervals {
  /** Its finished intervals, oldest first. */
  readonly units: readonly string[];
  /** How many intervals lie between those that are alike; `undefined`: none are. */
  readonly season: number | undefined;
}

const seasons: Readonly<Record<CalendarLayout, number | undefined>> = { days: 7, hours: 24, strip: undefined };

export function calendarSurvey(
  task: PlannableTask | undefined,
  known: Omit<SurveyedTask, 'given'> | undefined,
  given: SurveyedTask['given'],
  now: Instant,
): CalendarSurvey {
  if (task === undefined || known === undefined) return { units: [], slices: [], untold: [], season: undefined };
  const { layout, intervals } = laidOut(task, now);
  return {
    units: intervals.map(({ start }) => unitId(task.id, start)),
    ...slicesOfIntervals(task, intervals, { ...known, given }),
    season: seasons[layout],
  };
}
