import type { FileReading, Pipeline } from '../model/model.ts';
import { sameItems } from './memo.ts';

/**
 * Joined readings with those pipelines of an earlier join that came out the same. Joining makes pipelines with edges to
 * other files anew each time; whoever keeps work by pipeline need not do it again for an edit elsewhere.
 */
export function keepJoined(before: readonly FileReading[], now: readonly FileReading[]): readonly FileReading[] {
  const known = new Map(before.flatMap(({ pipelines }) => pipelines.map((pipeline) => [pipeline.id, pipeline])));
  return now.map((reading) => {
    const pipelines = reading.pipelines.map((pipeline) => {
      const earlier = known.get(pipeline.id);
      return earlier !== undefined && isSame(earlier, pipeline) ? earlier : pipeline;
    });
    return sameItems(pipelines, reading.pipelines) ? reading : { ...reading, pipelines };
  });
}

/** The same pipeline of the same reading, with edges that say the same. */
function isSame(a: Pipeline, b: Pipeline): boolean {
  if (a === b) return true;
  const keys = Object.keys(b) as (keyof Pipeline)[];
  return (
    Object.keys(a).length === keys.length &&
    keys.every((key) => a[key] === b[key] || key === 'edges') &&
    JSON.stringify(a.edges) === JSON.stringify(b.edges)
  );
}
