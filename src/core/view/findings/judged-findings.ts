import { allRules } from '../../lint/all-rules.ts';
import type { Finding } from '../../lint/model/finding.ts';
import type { Task } from '../../pipeline/model/model.ts';
import type { UnitProof } from '../../run/relational/prove/prove.ts';
import type { RenderedStatement } from '../../run/unit/unit-job.ts';
import type { SourceSpan } from '../../text/span.ts';

/** A finding that running its task twice has decided, for the intervals that ran. */
export interface JudgedFinding {
  readonly finding: Finding;
  readonly verdict: 'confirmed' | 'cleared';
}

const provable = new Map(
  allRules.flatMap(({ id, provable }) => (provable === undefined ? [] : [[id, provable] as const])),
);

/**
 * The findings of a task that two runs, or one from empty slices, can judge: a difference confirms them, none clears them
 * for the intervals that ran where all was covered. `proofs` are those of this task; without any, nothing is judged.
 */
export function judgedFindings(
  findings: readonly Finding[],
  task: Task,
  proofs: readonly Pick<UnitProof, 'verdict' | 'notCovered' | 'notEmptied'>[],
): readonly JudgedFinding[] {
  if (proofs.length === 0) return [];
  const judge = (finding: Finding, by: 'second run' | 'clean run'): JudgedFinding['verdict'] | undefined => {
    const clean = by === 'clean run';
    const differing = proofs.flatMap(({ verdict }) =>
      verdict.kind === 'different' || verdict.kind === 'outside' || (clean && verdict.kind === 'not-clean')
        ? [verdict]
        : [],
    );
    if (differing.some((verdict) => verdict.kind === 'outside' || isShownBy(finding, verdict.statements, task)))
      return 'confirmed';
    // Rows of another table differ, which says nothing of this one.
    if (differing.length > 0) return undefined;
    const cleared = proofs.every(
      ({ verdict: { kind }, notCovered, notEmptied }) =>
        (kind === 'no-difference' || kind === 'not-clean') && notCovered.length + (clean ? notEmptied.length : 0) === 0,
    );
    return cleared ? 'cleared' : undefined;
  };
  return findings.flatMap((finding) => {
    const by = provable.get(finding.rule);
    const verdict = by === undefined || !isOf(finding, task) ? undefined : judge(finding, by);
    return verdict === undefined ? [] : [{ finding, verdict }];
  });
}

/** Whether one of the statements whose rows differ is that of the finding; one that stands elsewhere is about the whole task. */
function isShownBy({ at }: Finding, shown: readonly RenderedStatement[], task: Task): boolean {
  const inSql = task.sql.some(({ source }) => source.pieces.some((piece) => isWithin(at, piece.source)));
  const places = shown.flatMap((statement) => statement.at ?? []);
  return !inSql || places.length < shown.length || places.length === 0 || places.some((place) => isWithin(at, place));
}

const isWithin = (at: SourceSpan, place: SourceSpan): boolean =>
  place.file === at.file && place.start <= at.start && at.end <= place.end;

/** True when a finding stands in the call of a task or in the SQL that it runs. */
const isOf = ({ at }: Finding, task: Task): boolean =>
  [task.at, ...task.sql.flatMap(({ source }) => source.pieces.map((piece) => piece.source))].some((place) =>
    isWithin(at, place),
  );
