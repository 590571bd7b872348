import type { TaskFacts } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { Pipeline } from '../../pipeline/model/model.ts';
import { plural } from '../../text/plural.ts';

/** How much of a task was understood: everything, some of its reads and writes, or only where it stands in the graph. */
export type ReadingDepth = 'whole' | 'partly' | 'graph-only';

export interface ReadingSummary {
  readonly pipelines: number;
  readonly tasks: number;
  readonly whole: number;
  readonly partly: number;
  readonly graphOnly: number;
}

export function readingDepth({ unknowns, reads, writes }: TaskFacts): ReadingDepth {
  if (unknowns.length === 0) return 'whole';
  const isBlind = unknowns.some(({ about }) => about === 'tables') && reads.length === 0 && writes.length === 0;
  return isBlind ? 'graph-only' : 'partly';
}

export function readingSummary(pipelines: readonly Pipeline[], { facts }: WorkspaceFacts): ReadingSummary {
  const depths = pipelines
    .flatMap(({ tasks }) => tasks)
    .map(({ id }): ReadingDepth => {
      const known = facts.get(id);
      return known === undefined ? 'graph-only' : readingDepth(known);
    });
  const count = (depth: ReadingDepth): number => depths.filter((one) => one === depth).length;
  return {
    pipelines: pipelines.length,
    tasks: depths.length,
    whole: count('whole'),
    partly: count('partly'),
    graphOnly: count('graph-only'),
  };
}

/** `3 pipelines, 12 tasks: 9 read whole, 2 partly, 1 graph only`. */
export function summaryInWords({ pipelines, tasks, whole, partly, graphOnly }: ReadingSummary): string {
  const parts = [
    `${whole} read whole`,
    ...(partly > 0 ? [`${partly} partly`] : []),
    ...(graphOnly > 0 ? [`${graphOnly} graph only`] : []),
  ];
  return `${plural(pipelines, 'pipeline')}, ${plural(tasks, 'task')}: ${parts.join(', ')}`;
}
