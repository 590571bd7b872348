import type { Problem, SourceSpan } from '../../../../text/span.ts';
import { isZone } from '../../../../time/zones/zone.ts';

/** Time zones that do not exist, at the place that names them. */
export function zoneProblems(unknownZones: readonly { readonly name: string; readonly at: SourceSpan }[]): Problem[] {
  return unknownZones.map(({ name, at }) => {
    const near = nearestZone(name);
    return {
      message: `There is no time zone ${JSON.stringify(name)}.${near === undefined ? '' : ` Did you mean ${JSON.stringify(near)}?`} Write an IANA name such as "Europe/Berlin".`,
      at,
      severity: 'error',
    };
  });
}

function nearestZone(name: string): string | undefined {
  let best: { readonly zone: string; readonly distance: number } | undefined;
  const wanted = name.toLowerCase().replaceAll(' ', '_');
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    const distance = editDistance(wanted, zone.toLowerCase());
    if (best === undefined || distance < best.distance) best = { zone, distance };
  }
  return best !== undefined && best.distance <= Math.max(2, name.length / 4) && isZone(best.zone)
    ? best.zone
    : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length] ?? Number.POSITIVE_INFINITY;
}
