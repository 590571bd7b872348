import { createMemo } from '../pipeline/memo.ts';
import type { Pipeline } from '../pipeline/model.ts';
import { createLintContext } from './lint-context.ts';
import type { LintWorkspace } from './lint-workspace.ts';
import type { Rule, RuleFinding } from './rule.ts';
import { allRules } from './rules/all-rules.ts';

/** What one rule says, before it is known who else speaks of the same. */
export interface RawFinding {
  readonly rule: Rule;
  readonly finding: RuleFinding;
}

/** All that the rules say about a pipeline; found again only when the pipeline, or what they asked, has changed. */
export function createPipelineFindings(): (pipeline: Pipeline, workspace: LintWorkspace) => readonly RawFinding[] {
  const found = createMemo<Pipeline, LintWorkspace, readonly RawFinding[]>();
  return (pipeline, workspace) =>
    found(pipeline, [], workspace, (asked) => {
      const context = createLintContext(pipeline, asked);
      return allRules.flatMap((rule) => [...rule.check(context)].map((finding) => ({ rule, finding })));
    });
}
