import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';

/** What to say where a file of the data directory could not be written for want of space; `undefined` for anything else. */
export function diskFullError(directory: string, cause: unknown): WarehouseError | undefined {
  const { code, message } = (cause ?? {}) as NodeJS.ErrnoException;
  const full = code === 'ENOSPC' || code === 'EDQUOT' || /no space left on device/i.test(message ?? '');
  if (!full || cause instanceof WarehouseError) return undefined;
  return new WarehouseError('storage', `The disk of the data directory ${directory} is full.`, false, {
    hint: 'Free space there, then try again.',
    cause,
  });
}
