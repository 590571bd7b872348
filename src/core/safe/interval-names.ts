import type { Hole } from '../template/mask/masked-text.ts';

/** How a template says the bounds of the interval that its slice is cut by, as SQL literals. */
export interface IntervalNames {
  readonly start: string;
  readonly end: string;
}

const interval = /\bdata_interval_(?:start|end)\b/;
const logicalDate =
  /\b(?:logical_date|execution_date|ds|ds_nodash|ts|ts_nodash|ts_nodash_with_tz|yesterday_ds(?:_nodash)?|tomorrow_ds(?:_nodash)?)\b/;

/**
 * The names for the bounds of a slice: of the family that its own condition uses, because in a run that is started by
 * hand the logical date is not the start of the data interval. Otherwise why there are none.
 */
export function intervalNames(
  holes: readonly Hole[],
  text: string,
  { byAirflow, usesEnd }: { readonly byAirflow: boolean; readonly usesEnd: boolean },
): IntervalNames | { readonly reason: string } {
  // A filter (`| ds`) is no name.
  const bounds = holes
    .filter(({ value }) => value.kind === 'time')
    .map(({ source }) => source.replace(/\|\s*\w+/g, ''));
  const known = bounds.map((source) => ({ interval: interval.test(source), date: logicalDate.test(source) }));
  if (bounds.length === 0 || known.some((one) => one.interval === one.date)) {
    return { reason: 'its slice is not cut by data_interval_start, data_interval_end, ds or ts themselves' };
  }
  const byInterval = known.some((one) => one.interval);
  if (byInterval ? known.some((one) => one.date) : usesEnd) {
    return { reason: 'its slice mixes the data interval and the logical date, which differ in a run started by hand' };
  }
  const end = `'{{ data_interval_end }}'`;
  if (byInterval) return { start: `'{{ data_interval_start }}'`, end };
  // Whoever renders a file that is on its own may know no other name than the one that stands in it.
  const hasTime = byAirflow || /\{\{\s*ts\s*\}\}/.test(text);
  if (!hasTime && !bounds.every((source) => /\bds\b/.test(source))) {
    return { reason: 'its slice is cut by another name than ds, ts or the data interval' };
  }
  return { start: hasTime ? `'{{ ts }}'` : `'{{ ds }} 00:00:00+00'`, end };
}
