import type { TaskFacts } from '../../../core/lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../../core/lineage/facts/workspace-facts.ts';
import type { Pipeline, Task, TaskId } from '../../../core/pipeline/model/model.ts';
import type { Problem } from '../../../core/text/span.ts';

/** What `show` hands to a reporter. */
export interface ShowReport {
  readonly facts: WorkspaceFacts;
  readonly pipelines: readonly Pipeline[];
  readonly problems: readonly Problem[];
  text(file: string): string | undefined;
  /** A file of the workspace as seen from the folder that was given. */
  fileName(file: string): string;
}

const noFacts = (task: TaskId): TaskFacts => ({ task, reads: [], writes: [], unknowns: [], problems: [] });

export const factsOf = ({ facts }: ShowReport, { id }: Task): TaskFacts => facts.facts.get(id) ?? noFacts(id);
