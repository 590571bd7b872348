import type { Pipeline } from '../../pipeline/model/model.ts';
import { formatInterval } from '../../time/intervals/format-interval.ts';
import type { Grid, GridInterval } from '../../time/intervals/grid.ts';
import { lastFinished } from '../../time/intervals/last-finished.ts';
import { makeGrid } from '../../time/intervals/make-grid.ts';
import { scheduleInWords } from '../../time/schedules/schedule-words.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { PipelineView } from './document-view.ts';

/** Which interval of a pipeline is looked at: its start, as picked by hand; without one, the last finished interval. */
export type IntervalChoice = ReadonlyMap<string, Instant>;

/** A pipeline with its grid and the interval that is looked at. */
export interface ChosenPipeline {
  readonly view: PipelineView;
  readonly grid: Grid | undefined;
  readonly interval: GridInterval | undefined;
}

/**
 * The selected interval of a pipeline: the one that was picked, else the last one that has ended at `now`. `shownIn`
 * is the zone of labels; intervals are always those of the pipeline's own zone.
 */
export function choosePipeline(
  pipeline: Pipeline,
  choice: IntervalChoice,
  now: Instant,
  shownIn: ZoneName,
): ChosenPipeline {
  const { grid, reason } = gridOf(pipeline);
  const picked = choice.get(pipeline.id);
  const interval =
    grid === undefined
      ? undefined
      : ((picked === undefined ? undefined : grid.containing(picked)) ?? lastFinished(grid, now));
  return {
    grid,
    interval,
    view: {
      pipeline: pipeline.id,
      zone: pipeline.zone,
      schedule: scheduleInWords(pipeline.schedule.value),
      selected:
        interval === undefined
          ? undefined
          : { label: formatInterval({ start: interval.start, end: interval.next }, shownIn), data: interval.data },
      noGrid: grid === undefined ? reason : interval === undefined ? 'no interval of it has ended yet' : undefined,
    },
  };
}

function gridOf(pipeline: Pipeline): { readonly grid: Grid | undefined; readonly reason: string | undefined } {
  const made = makeGrid(pipeline.schedule.value, pipeline.anchor);
  return made.grid === undefined ? made : { grid: made.grid, reason: undefined };
}
