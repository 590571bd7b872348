/** `timestamp` is a wall time, `timestamptz` a moment. */
export type ColumnType = 'date' | 'timestamp' | 'timestamptz' | undefined;

/** A type of SQL as far as it decides what a time is; `undefined` for one that says nothing of times. */
export function columnType(type: string | undefined): ColumnType {
  if (type === undefined) return undefined;
  if (/^date\b(?!time)/.test(type) && !type.includes('[')) return 'date';
  if (/^timestamptz|^timestamp.* with (local )?time zone|^timestamp_(tz|ltz)/.test(type)) return 'timestamptz';
  return /^(timestamp|datetime)/.test(type) ? 'timestamp' : undefined;
}

const timeWord =
  /(?:^|_)(?:day|date|dt|ds|dat|ts|time|timestamp|datetime|week|month|year|hour|period|fecha|dia|data)(?:_|$)/;

/** Whether a column holds times: by its type, or where none is known by what people call such columns. */
export const holdsTimes = (name: string, type: ColumnType): boolean =>
  type !== undefined ||
  timeWord.test(name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase()) ||
  /(?:_at|_on|date|day|time|month)$/i.test(name);

const changeTime =
  /(?:^|_)(?:upd|updated|mod|modified|chg|changed|(?:last_?)?(?:update|modification|modify|change)|mtime|systemmodstamp|lastmodifieddate)(?:_?(?:at|on|ts|time|timestamp|date|datetime|dt|utc))*$/;

/** Whether a column says when its row was changed last, by what people call such columns: the same row comes in many intervals. */
export const saysChange = (name: string): boolean => changeTime.test(name);
