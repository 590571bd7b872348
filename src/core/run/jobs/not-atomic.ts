import type { TaskId } from '../../pipeline/model/model.ts';
import type { Plan, UnitId } from '../../plan/model/plan.ts';
import { withoutLeadingComments } from '../../sql/lex/leading-comments.ts';
import { lex } from '../../sql/lex/lexer.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { planStatement } from '../../warehouse/port/transaction-control.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { RenderedStatement } from '../unit/unit-job.ts';

/** A statement that keeps its unit from being one transaction, and why. */
export interface NotAtomicStatement {
  readonly statement: RenderedStatement;
  readonly reason: string;
}

/** The first statement for which a task cannot be carried out as one transaction, although it could be run. */
export function notAtomicStatement(statements: readonly RenderedStatement[]): NotAtomicStatement | undefined {
  for (const statement of statements) {
    const reason = mustBeAlone(statement);
    if (reason !== undefined) return { statement, reason };
  }
  return undefined;
}

function mustBeAlone({ text }: RenderedStatement): string | undefined {
  const plan = planStatement(text);
  if (plan.kind === 'refuse') return plan.alone && plan.reason;
  const { tokens } = lex(plainText(text), 'postgres');
  const elsewhere = tokens.find(
    (token, index) => tokens[index + 1]?.text === '(' && /^(dblink_exec|dblink_send_query)$/i.test(token.text),
  );
  return (
    elsewhere && `${elsewhere.text.toLowerCase()} writes in another database, which does not roll back with this one.`
  );
}

/** Code of the database that may commit by itself: only the server knows. */
export const mayCommit = ({ text }: RenderedStatement): boolean =>
  /^[\s;]*(call|do)\b/i.test(withoutLeadingComments(text));

/** Whether a statement of a unit that is not atomic has to be sent by itself. */
export const isAlone = (statement: RenderedStatement): boolean =>
  mayCommit(statement) || mustBeAlone(statement) !== undefined;

/** Why a unit that was not confirmed is not run. */
export const notAtomicRefusal = (task: TaskId, { statement, reason }: NotAtomicStatement): JobRefusal => ({
  code: 'not-atomic',
  message: `${task} cannot be one transaction because of ${firstLine(statement.text)}: ${reason.replace(/\.$/, '')}`,
  remedy: `take that out of the task, or confirm that it is run all the same: --not-atomic ${task}`,
  at: statement.at,
});

const firstLine = (text: string): string => {
  const line = withoutLeadingComments(text).trim().replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
};

/** A task of a plan that waits for somebody to say that it may be run without being one transaction. */
export interface NotAtomicTask {
  readonly task: TaskId;
  /** Names the first of its units and the statement, and what may be left behind. */
  readonly question: string;
}

export function notAtomicTasks(plan: Plan, refused: ReadonlyMap<UnitId, JobRefusal>): readonly NotAtomicTask[] {
  const units = new Map<TaskId, { first: UnitId; count: number; message: string }>();
  for (const { id, task } of plan.units) {
    const refusal = refused.get(id);
    if (refusal?.code !== 'not-atomic') continue;
    const known = units.get(task);
    if (known === undefined) units.set(task, { first: id, count: 1, message: refusal.message });
    else known.count += 1;
  }
  return [...units].map(([task, { first, count, message }]) => ({
    task,
    question:
      `${message}. Where ${first}${count > 1 ? ` or another of its ${count} units` : ''} stops halfway, what it has done by ` +
      'then stays, nothing can be held or undone, and only you can tell whether to run it again. Run it so?',
  }));
}
