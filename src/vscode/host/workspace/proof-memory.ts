import type { Finding } from '../../../core/lint/model/finding.ts';
import type { TaskId } from '../../../core/pipeline/model/model.ts';
import type { Plan, UnitId } from '../../../core/plan/model/plan.ts';
import type { UnitProof } from '../../../core/run/relational/prove/prove.ts';
import type { SourceSpan } from '../../../core/text/span.ts';
import { formatInterval } from '../../../core/time/intervals/format-interval.ts';
import type { ZoneName } from '../../../core/time/zones/zone-name.ts';
import { type KeptProof, type ProvenFindings, provenFindings } from '../../../core/view/findings/proven-findings.ts';
import type { LiveState } from './live-workspace.ts';

/** What proofs have shown since the workspace was opened. */
export interface ProofMemory {
  /** Keeps the proofs of a plan; `text` gives the files that the plan was made from. */
  keep(
    plan: Plan,
    proofs: readonly UnitProof[],
    zoneOf: (task: TaskId) => ZoneName,
    text: (file: string) => string | undefined,
  ): void;
  /** Findings of a state with what is known of their tasks as these are in it. */
  tell(state: LiveState, findings: readonly Finding[]): ProvenFindings;
}

interface TaskProofs {
  readonly codeHash: string | undefined;
  readonly units: ReadonlyMap<UnitId, KeptProof>;
}

export function proofMemory(): ProofMemory {
  const byTask = new Map<TaskId, TaskProofs>();
  return {
    keep(plan, proofs, zoneOf, text) {
      const units = new Map(plan.units.map((unit) => [unit.id, unit]));
      for (const proof of proofs) {
        const unit = units.get(proof.unit);
        if (unit === undefined || proof.verdict.kind === 'cancelled') continue;
        const codeHash = plan.codeHashes.get(proof.task);
        const known = byTask.get(proof.task);
        const before = known?.codeHash === codeHash ? [...(known?.units ?? [])] : [];
        const label = formatInterval(unit.data, zoneOf(proof.task));
        const kept: KeptProof = { proof, label, place: placeOf(proof, text) };
        byTask.set(proof.task, { codeHash, units: new Map([...before, [proof.unit, kept]]) });
      }
    },
    tell({ tasks, facts, text }, findings) {
      if (byTask.size === 0) return { findings, problems: [] };
      const hashes = new Map(tasks().map(({ id, codeHash }) => [id, codeHash]));
      const current = [...byTask].filter(([task, { codeHash }]) => hashes.get(task) === codeHash);
      const proofs = new Map(current.map(([task, { units }]) => [task, [...units.values()]]));
      return provenFindings(findings, (id) => facts.tasks.get(id)?.task, proofs, text);
    },
  };
}

/** A slice is emptied first and filled last, and what it is filled with is what differs. */
export const blamedStatement = (verdict: UnitProof['verdict']): SourceSpan | undefined =>
  verdict.kind === 'different' || verdict.kind === 'not-clean' ? verdict.statements.at(-1)?.at : undefined;

function placeOf({ verdict }: UnitProof, text: (file: string) => string | undefined): KeptProof['place'] {
  const at = blamedStatement(verdict);
  return at && { at, text: (text(at.file) ?? '').slice(at.start, at.end) };
}
