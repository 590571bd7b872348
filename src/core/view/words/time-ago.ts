const units = [
  ['min', 60_000],
  ['h', 3_600_000],
  ['days', 86_400_000],
] as const;

/** `just now`, `2 min ago`, `5 h ago`, `3 days ago`. Both are milliseconds since the epoch. */
export function timeAgo(at: number, now: number): string {
  const passed = Math.max(0, now - at);
  const unit = units.findLast(([, length]) => passed >= length);
  if (unit === undefined) return 'just now';
  const [name, length] = unit;
  const count = Math.floor(passed / length);
  return `${count} ${count === 1 && name === 'days' ? 'day' : name} ago`;
}
