import { offsetParts } from '../zones/offset-parts.ts';
import { cronText, type Schedule } from './schedule.ts';

/** A schedule as people write it: `@daily`, `every 6 hours`, `on shop/orders, shop/items`, or why there is none. */
export function scheduleInWords(schedule: Schedule): string {
  const isBoth = (schedule.kind === 'cron' || schedule.kind === 'delta') && schedule.orAssets === true;
  return isBoth ? `${plainWords(schedule)} and on assets` : plainWords(schedule);
}

function plainWords(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return cronText(schedule);
    case 'delta': {
      const parts = offsetParts(schedule.step);
      return `every ${parts.map(({ amount, unit }) => (amount === 1 ? unit : `${amount} ${unit}s`)).join(' ')}`;
    }
    case 'assets':
      return `on ${schedule.assets.join(', ')}`;
    case 'unknown':
      return `unknown: ${schedule.reason}`;
    case 'none':
    case 'once':
    case 'continuous':
      return schedule.kind;
  }
}
