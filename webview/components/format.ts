const counts = new Intl.NumberFormat('en');

/** `12,345`. */
export const formatCount = (count: number): string => counts.format(count);

const amounts = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const small = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** `1,050,470.82`, `0.00123`: what counts or columns add up to. */
export const formatAmount = (amount: number): string =>
  (amount !== 0 && Math.abs(amount) < 0.1 ? small : amounts).format(amount).replace('-', '−');

/**
 * `…55d230a3`: the digits in which two checksums differ, enough to tell them apart by eye. A sum of hashes has the same
 * digits in front whatever the rows. The whole one is in the tooltip.
 */
export const shortChecksum = (checksum: string): string => (checksum.length <= 9 ? checksum : `…${checksum.slice(-8)}`);

/** `1 slice`, `3 slices`. */
export const plural = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `50 k`, `1.2 M`, `-300`: an end of a scale. */
export function formatScale(value: number): string {
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size >= 1e9) return `${sign}${(size / 1e9).toFixed(1)} G`;
  if (size >= 1e6) return `${sign}${(size / 1e6).toFixed(1)} M`;
  if (size >= 10_000) return `${sign}${Math.round(size / 1000)} k`;
  return formatAmount(size >= 100 ? Math.round(value) : value);
}

/** `0.21 s`, `41 s`, `3 min 05 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(durationMs < 10_000 ? 2 : 0)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** `Sat 2026-10-03` for a day; any other label as it is. */
export function withWeekday(label: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(label)) return label;
  return `${weekdays[new Date(`${label}T00:00Z`).getUTCDay()]} ${label}`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Oct`, of `2026-10…`. */
export const monthName = (date: string): string => months[Number(date.slice(5, 7)) - 1] ?? '';

/** Monday is 0. */
export const weekdayOf = (date: string): number => (new Date(`${date.slice(0, 10)}T00:00Z`).getUTCDay() + 6) % 7;
