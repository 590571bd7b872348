import type { ChosenPipeline, IntervalChoice } from '../document/pipeline-view.ts';
import type { ViewBasis } from './kept-view.ts';

/**
 * On what tasks and intervals of these pipelines rest; `files`: those that decide them beside their own. `undefined` where
 * they are not those of the next start: an interval was picked by hand, or nothing tells when another one is the last that
 * has ended.
 */
export function viewBasis(
  pipelines: readonly string[],
  files: ViewBasis['files'],
  choice: IntervalChoice,
  chosen: (pipeline: string) => ChosenPipeline | undefined,
): ViewBasis | undefined {
  let until = Number.MAX_SAFE_INTEGER;
  for (const pipeline of pipelines) {
    if (choice.has(pipeline)) return undefined;
    const { grid, interval } = chosen(pipeline) ?? {};
    if (grid === undefined) continue;
    const next = interval && grid.containing(interval.next);
    if (next === undefined) return undefined;
    until = Math.min(until, next.data.end, next.next);
  }
  return { until, files };
}
