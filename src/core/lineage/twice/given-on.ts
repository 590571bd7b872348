import type { Value } from '../repeats/term.ts';
import { NotRun } from './rows/not-run.ts';

const words = {
  day: /^(ds|ts|ds_nodash|ts_nodash|data_interval_start|execution_date|logical_date|start_date)$/,
  next: /^(data_interval_end|next_ds|next_execution_date|tomorrow_ds|next_ds_nodash)$/,
  last: /^(prev_ds|yesterday_ds|prev_execution_date|yesterday_ds_nodash)$/,
};
const form =
  /\s*\|\s*(ds|ts|ds_nodash|ts_nodash)\b|\.(isoformat|to_date_string|to_datetime_string|to_iso8601_string)\(\)|\.strftime\([^)]*\)/g;

/** What templates give in the run of a day, by their source. Throws {@link NotRun} for a time that is not understood. */
export const givenOn =
  (day: number) =>
  (source: string): Value => {
    const text = source.trim();
    const added = /^macros\.ds_add\(\s*ds\s*,\s*(-?\d+)\s*\)$/.exec(text)?.[1];
    if (added !== undefined) return day + Number(added);
    const plain = text.replace(form, '').trim();
    if (words.day.test(plain)) return day;
    if (words.next.test(plain)) return day + 1;
    if (words.last.test(plain)) return day - 1;
    if (/\b(ds|ts|date|interval|dag_run|logical|execution|now|macros)/.test(plain)) throw new NotRun(plain);
    return `given ${plain}`;
  };
