import type { Pipeline } from '../pipeline/model/model.ts';
import { tasksByBranch } from '../pipeline/routines/tasks-by-branch.ts';
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
      const said = findingsIn(pipeline, asked);
      const ways = otherWays(pipeline).map(({ other, ...way }) => ({ ...way, said: findingsIn(other, asked) }));
      return ways.length === 0 ? said : inEachWay(said, ways);
    });
}

function findingsIn(pipeline: Pipeline, asked: LintWorkspace): readonly RawFinding[] {
  const context = createLintContext(pipeline, asked);
  const broken = brokenPlaces(context);
  return allRules.flatMap((rule) =>
    [...rule.check(context)]
      .filter(({ at }) => !broken.some((place) => covers(place, at)))
      .map((finding) => ({ rule, finding, pipeline: pipeline.id })),
  );
}

/** The pipeline as runs have it that take another branch of a template, one after the other. */
const otherWays = (pipeline: Pipeline) =>
  pipeline.tasks.flatMap((task) =>
    tasksByBranch(task).map(({ task: other, reads, when }) => ({
      other: { ...pipeline, tasks: pipeline.tasks.map((one) => (one === task ? other : one)) },
      reads,
      when,
    })),
  );

/** What holds in each way is said as it is, what holds in some of them with its condition: of that nobody is sure. */
function inEachWay(
  said: readonly RawFinding[],
  ways: readonly { readonly reads: string; readonly when: string; readonly said: readonly RawFinding[] }[],
): readonly RawFinding[] {
  const found = new Map(said.map((one) => [keyOf(one), one]));
  for (const { reads, said: others } of ways) {
    const held = new Set(others.map(keyOf));
    for (const one of said)
      if (!held.has(keyOf(one)) && found.get(keyOf(one)) === one) found.set(keyOf(one), under(one, reads));
  }
  for (const { when, said: others } of ways)
    for (const one of others) if (!found.has(keyOf(one))) found.set(keyOf(one), under(one, when));
  return [...found.values()];
}

const keyOf = ({ rule, finding: { at } }: RawFinding): string => `${rule.id} ${at.file} ${at.start} ${at.end}`;

function under(one: RawFinding, condition: string): RawFinding {
  const { rule, finding } = one;
  const severity = finding.severity ?? rule.severity;
  const message = `${finding.message} That is so when ${condition}, which the template decides in each run.`;
  return { ...one, finding: { ...finding, message, ...(severity === 'error' && { severity: 'warning' as const }) } };
}

/** Statements that break off: what is typed there is not judged before it is whole. */
const brokenPlaces = ({ tasks }: LintContext): readonly SourceSpan[] =>
  tasks.flatMap(({ statements }) =>
    statements.flatMap((view) => (view.statement.unfinished === undefined ? [] : [placeOf(view, view.statement)])),
  );

const covers = (place: SourceSpan, at: SourceSpan): boolean =>
  place.file === at.file && place.start <= at.start && at.end <= place.end;
