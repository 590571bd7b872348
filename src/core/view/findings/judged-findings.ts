import type { Finding } from '../../lint/fixes/finding.ts';
import { allRules } from '../../lint/rules/all-rules.ts';
import type { Task } from '../../pipeline/model/model.ts';
import type { UnitProof } from '../../run/relational/prove/prove.ts';

/** A finding that running its task twice has decided, for the intervals that ran. */
export interface JudgedFinding {
  readonly finding: Finding;
  readonly verdict: 'confirmed' | 'cleared';
}

const provable: ReadonlySet<string> = new Set(allRules.filter((rule) => rule.provable).map(({ id }) => id));

/**
 * The findings of a task that two runs can judge: a difference confirms them, none clears them for the intervals that
 * ran where all was covered. `proofs` are those of this task; without any, nothing is judged.
 */
export function judgedFindings(
  findings: readonly Finding[],
  task: Task,
  proofs: readonly Pick<UnitProof, 'verdict' | 'notCovered'>[],
): readonly JudgedFinding[] {
  const differs = proofs.some(({ verdict }) => verdict.kind === 'different' || verdict.kind === 'outside');
  const clean = proofs.every(({ verdict, notCovered }) => verdict.kind === 'no-difference' && notCovered.length === 0);
  if (proofs.length === 0 || (!differs && !clean)) return [];
  const verdict = differs ? 'confirmed' : 'cleared';
  return findings
    .filter((finding) => provable.has(finding.rule) && isOf(finding, task))
    .map((finding) => ({ finding, verdict }));
}

/** True when a finding stands in the call of a task or in the SQL that it runs. */
const isOf = ({ at }: Finding, task: Task): boolean =>
  [task.at, ...task.sql.flatMap(({ source }) => source.pieces.map((piece) => piece.source))].some(
    (place) => place.file === at.file && place.start <= at.start && at.end <= place.end,
  );
