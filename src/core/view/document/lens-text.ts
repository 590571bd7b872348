import { counted } from '../words/counted.ts';
import type { SliceVersion } from '../words/slice-version.ts';
import { timeAgo } from '../words/time-ago.ts';
import type { TaskView } from './document-view.ts';

/** `Rerun this interval (2026-11-29, +3 downstream)`; who carries it out comes first where that is not us. */
export function rerunTitle({
  interval,
  downstream,
  carriedBy,
}: Pick<TaskView, 'interval' | 'downstream' | 'carriedBy'>): string {
  const by = carriedBy === undefined ? [] : ['Airflow'];
  const behind = downstream === undefined || downstream === 0 ? [] : [`+${downstream} downstream`];
  return `Rerun this interval (${[...by, interval?.label ?? '', ...behind].join(', ')})`;
}

/** What the last run from this window made of the selected interval: `~ 123 rows, 2 min ago`; `undefined`: none ran. */
export function outcomeTitle(versions: readonly SliceVersion[], now: number): string | undefined {
  const at = Math.max(...versions.map((version) => version.at));
  if (versions.length === 0) return undefined;
  const has = (state: SliceVersion['state']): boolean => versions.some((version) => version.state === state);
  const rows = versions.reduce((sum, { differing = 0 }) => sum + differing, 0);
  const isCounted = versions.every(({ differing, state }) => state !== 'changed' || differing !== undefined);
  const said = has('failed')
    ? '× failed'
    : has('held')
      ? '! held'
      : has('changed')
        ? `~ ${isCounted ? counted(rows, 'row') : 'changed'}`
        : '✓ unchanged';
  return `${said}, ${timeAgo(at, now)}`;
}
