/** `timestamp` is a wall time, `timestamptz` a moment. */
export type ColumnType = 'date' | 'timestamp' | 'timestamptz' | undefined;

/** A type of SQL as far as it decides what a time is; `undefined` for one that says nothing of times. */
export function columnType(type: string | undefined): ColumnType {
  if (type === undefined) return undefined;
  if (/^date\b(?!time)/.test(type) && !type.includes('[')) return 'date';
  if (/^timestamptz|^timestamp.* with (local )?time zone|^timestamp_(tz|ltz)/.test(type)) return 'timestamptz';
  return /^(timestamp|datetime)/.test(type) ? 'timestamp' : undefined;
}
