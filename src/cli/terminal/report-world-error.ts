import { SchedulerError } from '../../core/scheduler/port/scheduler-error.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { exitCodes, type Shell } from './shell.ts';

/** Shows what a database or a scheduler said, with what to do, and sets the exit code; anything else is a bug and thrown on. */
export function reportWorldError(error: unknown, shell: Shell): void {
  const isKnown = error instanceof WarehouseError || error instanceof SchedulerError;
  if (!isKnown) throw error;
  const { red, green } = shell.colors;
  const hint = error instanceof WarehouseError ? error.detail.hint : error.hint;
  shell.err(`${red('error')} ${error.message}\n`);
  if (hint !== undefined) shell.err(`  ${green('help')} ${hint}\n`);
  shell.exit(error.kind === 'cancelled' ? exitCodes.cancelled : exitCodes.findings);
}
