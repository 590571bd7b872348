import type { SchedulerError, SchedulerErrorKind } from '../../scheduler/port/scheduler-error.ts';
import type { UnitError, UnitOutcome } from '../unit/unit-outcome.ts';
import type { Carrying, Ended } from './carry-out.ts';

const lines = 10;

/** A task that came to no good end there: what its own log says last, and where the rest is. */
export async function endedBadly(
  { scheduler, carried }: Pick<Carrying, 'scheduler' | 'carried'>,
  { standing, handle, instances, notes }: Ended,
  durationMs: number,
): Promise<UnitOutcome> {
  const { name } = scheduler.description;
  const failed = instances.find(({ state }) => state === 'failed');
  const shown = failed ?? instances[0];
  const link = shown && scheduler.link(carried.dag, handle.run, shown);
  const tail =
    failed === undefined ? [] : await scheduler.logTail(carried.dag, handle.run, failed, lines).catch(() => []);
  const said = [reasonOf(standing, name, failed?.tryNumber), ...notes, ...tail.map((line) => `  ${line}`)];
  const where = link === undefined ? '' : `its log: ${link}; `;
  return {
    state: 'failed',
    durationMs,
    error: errorOf(said.join('\n'), `${where}what it wrote before it failed is there; mend it, then resume this run`),
  };
}

function reasonOf(standing: Ended['standing'], name: string, tries: number | undefined): string {
  switch (standing) {
    case 'failed':
      return tries === undefined
        ? `${name} did not run it, because a task before it in its run failed`
        : `it failed in ${name}${tries > 1 ? `, at try ${tries}` : ''}; its log ends with:`;
    case 'gone':
      return `its run in ${name} has no such task any more: the DAG was deployed anew, or the run deleted`;
    case 'not-run':
      return `${name} calls it a success and has not run it: somebody marked it as one`;
    default:
      return `its run in ${name} has ended without it: somebody ended the run`;
  }
}

const unitKinds: Readonly<Partial<Record<SchedulerErrorKind, UnitError['kind']>>> = {
  connection: 'connection',
  login: 'permission',
  permission: 'permission',
  missing: 'missing',
};

/** What a scheduler said, as the error of a unit; anything else is a bug and goes on as it is. */
export function schedulerUnitError(error: SchedulerError): UnitError {
  return {
    ...errorOf(error.message, error.hint),
    kind: unitKinds[error.kind] ?? 'other',
    retryable: error.retryable,
    // Whether it had begun or not: the next try finds what was started.
    ...(error.retryable ? { away: true as const } : {}),
  };
}

const errorOf = (message: string, remedy: string | undefined): UnitError => ({
  kind: 'other',
  message,
  remedy,
  retryable: false,
  sqlState: undefined,
  statement: undefined,
});
