import type { Pipeline } from '../pipeline/model/model.ts';
import { createMemo } from '../pipeline/workspace/memo.ts';
import type { SourceSpan } from '../text/span.ts';
import { allRules } from './all-rules.ts';
import { createLintContext, type LintContext } from './context/lint-context.ts';
import type { LintWorkspace } from './context/lint-workspace.ts';
import type { Rule, RuleFinding } from './model/rule.ts';
import { placeOf } from './source/statement-view.ts';

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
      const broken = brokenPlaces(context);
      return allRules.flatMap((rule) =>
        [...rule.check(context)]
          .filter(({ at }) => !broken.some((place) => covers(place, at)))
          .map((finding) => ({ rule, finding, pipeline: pipeline.id })),
      );
    });
}

/** Statements that break off: what is typed there is not judged before it is whole. */
const brokenPlaces = ({ tasks }: LintContext): readonly SourceSpan[] =>
  tasks.flatMap(({ statements }) =>
    statements.flatMap((view) => (view.statement.unfinished === undefined ? [] : [placeOf(view, view.statement)])),
  );

const covers = (place: SourceSpan, at: SourceSpan): boolean =>
  place.file === at.file && place.start <= at.start && at.end <= place.end;
