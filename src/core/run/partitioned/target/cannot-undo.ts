import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';

export const cannotUndo = (table: string, why: string): WarehouseError =>
  new WarehouseError('conflict', `The slice of ${table} cannot be put back: ${why}.`, false, {
    hint: 'Nothing was written. Run its interval again instead.',
  });
