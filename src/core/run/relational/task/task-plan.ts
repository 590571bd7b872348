import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import { planStatement } from '../../../warehouse/port/transaction-control.ts';
import type { RenderedStatement, UnitJob } from '../../unit/unit-job.ts';

/** The statements that are really sent, or why none is. */
export type TaskPlan =
  | {
      readonly kind: 'ready';
      readonly statements: readonly RenderedStatement[];
      readonly notes: readonly string[];
      /** Nothing but changes of rows: no function body, savepoint or change of tables is written in the task. */
      readonly plain: boolean;
      /** May make, drop or alter tables. */
      readonly altersTables: boolean;
      /** Empties a table whole, and gives none other files for another reason. */
      readonly truncates: boolean;
    }
  | {
      readonly kind: 'refused';
      readonly statement: RenderedStatement;
      readonly reason: string;
      readonly remedy: string;
    };

const rowStatement = /^[\s;(]*(insert|update|delete|merge|select|with|set|values|table|analyze)\b/i;
const truncating = /^[\s;]*truncate\b/i;
const makingTemporary = /^[\s;]*(?:create\s+(?:(?:local|global)\s+)?temp(?:orary)?|drop\s+table)\b/i;

export function planTask(job: UnitJob): TaskPlan {
  const statements: RenderedStatement[] = [];
  const notes: string[] = [];
  for (const statement of job.statements) {
    const plan = planStatement(statement.text);
    if (plan.kind === 'refuse') return { kind: 'refused', statement, reason: plan.reason, remedy: plan.remedy };
    if (plan.kind === 'run') statements.push(statement);
    else if (plan.note !== undefined) notes.push(plan.note);
  }
  const bare = statements.map(({ text }) => withoutLeadingComments(text));
  return {
    kind: 'ready',
    statements,
    notes,
    plain: bare.every((text) => rowStatement.test(text)),
    altersTables: !bare.every((text) => rowStatement.test(text) || truncating.test(text)),
    truncates:
      bare.some((text) => truncating.test(text)) &&
      bare.every((text) => [rowStatement, truncating, makingTemporary].some((allowed) => allowed.test(text))),
  };
}
