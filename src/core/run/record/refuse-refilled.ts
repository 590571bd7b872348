import type { ConsumedVersion, RecordedInput } from '../../ledger/recorded-input.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/**
 * Throws where a table that holds one interval at a time, and that this run filled for the unit, holds another interval
 * by now: another run, or the scheduler, has come in between. The unit would make its rows of that interval's.
 */
export function refuseRefilled({ filledBy = [], run }: UnitJob, inputs: readonly RecordedInput[]): void {
  if (filledBy.length === 0) return;
  const own = new Set(filledBy);
  const fillers = new Set(filledBy.map(taskOf));
  const other = inputs
    .flatMap(({ versions }) => versions ?? [])
    .find((version) => isWholeTable(version) && fillers.has(taskOf(version.unit)) && !own.has(version.unit));
  if (other === undefined) return;
  const message = `${other.slice.split('|')[0]} was filled for ${[...own].join(', ')}, and since then run ${other.run} has filled it for ${other.unit}.`;
  throw new WarehouseError('conflict', message, false, {
    hint: `Run the selection again: a new run fills it anew, which a resume of ${run} would not.`,
  });
}

const isWholeTable = ({ slice }: ConsumedVersion): boolean => slice.endsWith('|||');

const taskOf = (unit: string): string => unit.slice(0, unit.lastIndexOf('@'));
