import { planStatement } from '../../../warehouse/port/transaction-control.ts';
import { isAlone } from '../../jobs/not-atomic.ts';
import type { RenderedStatement, UnitJob } from '../../unit/unit-job.ts';
import type { TaskPlan } from './task-plan.ts';

/** One step of a unit that is not atomic: statements that are one transaction together, or one that stands alone. */
export interface TaskPart {
  readonly alone: boolean;
  readonly statements: readonly RenderedStatement[];
}

/** The plan of a task that is not one transaction. */
export type PartedPlan = TaskPlan & { readonly kind: 'ready' } & { readonly parts: readonly TaskPart[] };

/**
 * A task that was confirmed as not atomic, in as few parts as can be: what can share a transaction does, whatever the
 * task's own BEGIN and COMMIT say, so that a DELETE and its INSERT are never seen apart. `undefined`: it is one after all.
 */
export function planParts(job: UnitJob): PartedPlan | (TaskPlan & { readonly kind: 'refused' }) | undefined {
  if (job.notAtomic === undefined) return undefined;
  const parts: { alone: boolean; statements: RenderedStatement[] }[] = [];
  const notes: string[] = [];
  for (const statement of job.statements) {
    const alone = isAlone(statement);
    const plan = planStatement(statement.text);
    if (plan.kind === 'refuse' && !alone) {
      return { kind: 'refused', statement, reason: plan.reason, remedy: plan.remedy };
    }
    if (plan.kind === 'drop') {
      if (plan.note !== undefined) notes.push(plan.note);
      continue;
    }
    const last = parts.at(-1);
    if (alone || last === undefined || last.alone) parts.push({ alone, statements: [statement] });
    else last.statements.push(statement);
  }
  if (!parts.some(({ alone }) => alone)) return undefined;
  const statements = parts.flatMap((part) => part.statements);
  return { kind: 'ready', parts, statements, notes, plain: false, altersTables: true, truncates: false };
}
