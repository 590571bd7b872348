import type { Pipeline } from '../pipeline/model/model.ts';
import { createMemo } from '../pipeline/workspace/memo.ts';
import { allRules } from './all-rules.ts';
import { createLintContext } from './context/lint-context.ts';
import type { LintWorkspace } from './context/lint-workspace.ts';
import type { Rule, RuleFinding } from './model/rule.ts';

/** What one rule says, before it is known who else speaks of the same. */
export interface RawFinding {
  readonly rule: Rule;
  readonly finding: RuleFinding;
  /** Of which it was found; absent for what is said of a file. */
  readonly pipeline: string | undefined;
}

/** All that the rules say about a pipeline; found again only when the pipeline, or what they asked, has changed. */
export function createPipelineFindings(): (pipeline: Pipeline, workspace: LintWorkspace) => readonly RawFinding[] {
  const found = createMemo<Pipeline, LintWorkspace, readonly RawFinding[]>();
  return (pipeline, workspace) =>
    found(pipeline, [], workspace, (asked) => {
      const context = createLintContext(pipeline, asked);
      return allRules.flatMap((rule) =>
        [...rule.check(context)].map((finding) => ({ rule, finding, pipeline: pipeline.id })),
      );
    });
}
