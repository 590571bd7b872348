import { allRules } from '../../lint/all-rules.ts';
import type { Finding } from '../../lint/model/finding.ts';
import type { Task } from '../../pipeline/model/model.ts';
import type { UnitProof } from '../../run/relational/prove/prove.ts';

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
  const judge = (by: 'second run' | 'clean run'): JudgedFinding['verdict'] | undefined => {
    const clean = by === 'clean run';
    const differs = proofs.some(
      ({ verdict: { kind } }) => kind === 'different' || kind === 'outside' || (clean && kind === 'not-clean'),
    );
    if (differs) return 'confirmed';
    const cleared = proofs.every(
      ({ verdict: { kind }, notCovered, notEmptied }) =>
        (kind === 'no-difference' || kind === 'not-clean') && notCovered.length + (clean ? notEmptied.length : 0) === 0,
    );
    return cleared ? 'cleared' : undefined;
  };
  return findings.flatMap((finding) => {
    const by = provable.get(finding.rule);
    const verdict = by === undefined || !isOf(finding, task) ? undefined : judge(by);
    return verdict === undefined ? [] : [{ finding, verdict }];
  });
}

/** True when a finding stands in the call of a task or in the SQL that it runs. */
const isOf = ({ at }: Finding, task: Task): boolean =>
  [task.at, ...task.sql.flatMap(({ source }) => source.pieces.map((piece) => piece.source))].some(
    (place) => place.file === at.file && place.start <= at.start && at.end <= place.end,
  );
