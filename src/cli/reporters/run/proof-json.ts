import type { TaskId } from '../../../core/pipeline/model/model.ts';
import type { UnitId } from '../../../core/plan/model/plan.ts';
import type { UnitProof } from '../../../core/run/relational/prove/prove.ts';
import { sliceJson } from '../../../core/run/stored/run-json.ts';
import type { JobRefusal } from '../../../core/run/unit/job-refusal.ts';
import type { JudgedFinding } from '../../../core/view/findings/judged-findings.ts';
import { rangeFinder } from '../check/findings-range.ts';

export interface ProofReport {
  readonly proofs: readonly UnitProof[];
  readonly refused: ReadonlyMap<UnitId, JobRefusal>;
  readonly findings: readonly JudgedFinding[];
  readonly target: string;
  /** Tasks that did what no rollback takes back. */
  readonly stays?: readonly TaskId[];
  /** Tasks that ran SQL which they make, in words. */
  readonly notLookedAt?: readonly string[];
  text(file: string): string | undefined;
}

/** The JSON contract of `prove`, version 1. */
export function proofJson({ proofs, refused, findings, target, text }: ProofReport): string {
  const ranges = rangeFinder(text);
  const units = proofs.map(({ unit, verdict, varied, notCovered, notEmptied, leftOut }) => ({
    id: unit,
    verdict: verdict.kind,
    under: verdict.kind === 'different' ? (verdict.under ?? null) : null,
    message: messageOf(verdict) ?? null,
    varied,
    notCovered: [...notCovered, ...notEmptied],
    leftOut,
    slices: verdict.kind === 'different' || verdict.kind === 'not-clean' ? verdict.slices.map(sliceJson) : [],
    statements:
      verdict.kind === 'different' || verdict.kind === 'not-clean'
        ? verdict.statements.map(({ text: statement, at }) => ({
            text: statement,
            ...(at && { file: at.file, range: ranges.range(at) }),
          }))
        : [],
  }));
  const json = {
    version: 1,
    target,
    units: [
      ...units,
      ...[...refused].map(([id, { message, remedy }]) => ({
        id,
        verdict: 'not-run',
        message: `${message}; ${remedy}`,
      })),
    ],
    findings: findings.map(({ finding, verdict }) => ({
      rule: finding.rule,
      severity: finding.severity,
      message: finding.message,
      file: finding.at.file,
      range: ranges.range(finding.at),
      verdict,
    })),
  };
  return `${JSON.stringify(json)}\n`;
}

export function messageOf(verdict: UnitProof['verdict']): string | undefined {
  switch (verdict.kind) {
    case 'outside':
      return verdict.reason;
    case 'failed':
      return verdict.error.message;
    default:
      return undefined;
  }
}
