import type { TimeExpression, TimeStep } from '../time/expressions/time-expression.ts';

/**
 * A bound as SQL of the type `timestamptz`, whatever the zone of the session: what `exactTime` computes, in PostgreSQL's
 * words. `anchors` are SQL texts of the interval's bounds as literals with their offset.
 */
export function timeSql(
  { anchor, steps }: TimeExpression,
  anchors: { readonly start: string; readonly end: string },
): string {
  return steps.reduce((sql, step, index) => stepSql(index === 0 ? `timestamptz ${sql}` : sql, step), anchors[anchor]);
}

function stepSql(at: string, step: TimeStep): string {
  const zone = zoneSql(step.zone);
  if (step.kind === 'floor') {
    if (isNamed(step.zone)) return `date_trunc('${step.unit}', ${at}, ${zone})`;
    return `date_trunc('${step.unit}', (${at}) AT TIME ZONE ${zone}) AT TIME ZONE ${zone}`;
  }
  if (step.kind === 'wall') return `(${at}) AT TIME ZONE ${zoneSql(step.from)} AT TIME ZONE ${zone}`;
  const { months, days, ms } = step.offset;
  const clockOnly = months === 0 && (days === 0 || step.zone === 'UTC');
  if (clockOnly) return plus(at, days * 86_400_000 + ms);
  const moved = `((${at}) AT TIME ZONE ${zone} + interval '${months} months ${days} days')`;
  return plus(`${moved} AT TIME ZONE ${zone}`, ms);
}

const isNamed = (zone: string): boolean => !/^[+-]/.test(zone);

/** A text like `+09:00` would be read as west of Greenwich. */
const zoneSql = (zone: string): string => (isNamed(zone) ? `'${zone}'` : `interval '${zone}'`);

/** Hours of elapsed time: a day would be moved on the clock of the session. */
function plus(at: string, ms: number): string {
  if (ms === 0) return at;
  const whole = ms % 3_600_000 === 0;
  const amount = whole ? `${Math.abs(ms) / 3_600_000} hours` : `${Math.abs(ms) / 1000} seconds`;
  return `${at} ${ms < 0 ? '-' : '+'} interval '${amount}'`;
}
