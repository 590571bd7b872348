import { quoteIdentifier } from '../../../warehouse/dialects/spark/quote.ts';
import type { Lake, Session } from '../../../warehouse/port/ports.ts';
import { cancellable } from '../../session/cancellable.ts';
import type { RelationalRunner } from '../../session/runner.ts';
import { stopSignal } from '../../session/stop-signal.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { UnitJob } from '../../unit/unit-job.ts';

/** Sets a session as the scheduler's connection and the task's operator have it. */
export async function setLike(session: Session, settings: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, value] of Object.entries(settings)) {
    // What stands in other quotes is taken with them.
    await session.query(`set ${quoteIdentifier(name)} = ${quoteIdentifier(value)}`);
  }
}

interface TaskOf {
  readonly lake: Lake;
  readonly job: UnitJob;
  readonly signal: CancelSignal;
  readonly env: RelationalRunner;
}

/** A session for the statements of the task alone, which a cancel stops. */
export async function withTaskSession<T>(
  { lake, job, signal, env: { clock } }: TaskOf,
  work: (task: Session) => Promise<T>,
): Promise<T> {
  const session = await lake.connect('task');
  const over = stopSignal();
  const steps = cancellable(session, signal);
  try {
    await setLike(steps.session, job.options.settings);
    // Spark has no limit of its own for a statement.
    if (job.options.statementTimeoutMs > 0)
      void clock.sleep(job.options.statementTimeoutMs, over).then(() => over.aborted || steps.stop());
    return await work(steps.session);
  } finally {
    over.abort();
    steps.release();
    await session.close();
  }
}
