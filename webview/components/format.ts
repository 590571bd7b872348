const counts = new Intl.NumberFormat('en');

/** `12,345`. */
export const formatCount = (count: number): string => counts.format(count);

/** `9f3a61c0…77d2`: enough of a checksum to tell two apart by eye. The whole one is in the tooltip. */
export const shortChecksum = (checksum: string): string =>
  checksum.length <= 13 ? checksum : `${checksum.slice(0, 4)} ${checksum.slice(4, 8)} …${checksum.slice(-4)}`;

/** `0.21 s`, `3 min 05 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(durationMs < 10_000 ? 2 : 0)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `1 unit`, `3 units`. */
export const plural = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
