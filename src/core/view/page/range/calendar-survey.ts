import type { PlannableTask } from '../../../plan/model/plan-request.ts';
import { unitId } from '../../../plan/model/unit-id.ts';
import { slicesOfIntervals } from '../../../run/survey/slices-of-intervals.ts';
import type { SurveySlice } from '../../../run/survey/survey-slices.ts';
import type { Instant } from '../../../time/zones/instant.ts';
import { type CalendarLayout, laidOut } from './calendar-view.ts';

/** What is to be counted for the calendar of a task. */
export interface CalendarSurvey {
  /** Its finished intervals, oldest first. */
  readonly units: readonly string[];
  readonly slices: readonly SurveySlice[];
  /** How many intervals lie between those that are alike; `undefined`: none are. */
  readonly season: number | undefined;
}

const seasons: Readonly<Record<CalendarLayout, number | undefined>> = { days: 7, hours: 24, strip: undefined };

export function calendarSurvey(task: PlannableTask | undefined, now: Instant): CalendarSurvey {
  if (task === undefined) return { units: [], slices: [], season: undefined };
  const { layout, intervals } = laidOut(task, now);
  return {
    units: intervals.map(({ start }) => unitId(task.id, start)),
    slices: slicesOfIntervals(task, intervals),
    season: seasons[layout],
  };
}
