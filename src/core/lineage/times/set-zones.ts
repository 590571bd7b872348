import type { DialectName } from '../../sql/model/dialect-name.ts';
import { postgresZone } from '../../time/zones/postgres-zone.ts';
import { isZone } from '../../time/zones/zone.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';

/** What a SQL text makes the zone of its session. */
export interface SetZones {
  /** Those that it names. */
  readonly zones: readonly ZoneName[];
  /** Values that name none which is known here, as written: of a template, of a query. */
  readonly open: readonly string[];
}

const value = String.raw`('(?:[^']|'')*'|"[^"]*"|[^\s;,)]+)`;
const setting = new RegExp(
  String.raw`\bset\s+(?:session\s+|local\s+)?(?:time\s+zone\s+|time_?zone\s*(?:=|\bto\b)\s*)${value}`,
  'gi',
);
const altered = new RegExp(String.raw`\balter\s+session\s+set\s+[^;]{0,80}?\btime_?zone\s*=\s*${value}`, 'gi');
const configured = new RegExp(String.raw`\bset_config\s*\(\s*'timezone'\s*,\s*${value}`, 'gi');

/** Zones that statements such as `SET timezone`, `SET TIME ZONE` and `set_config` give the session from there on. */
export function setZones(text: string, dialect: DialectName): SetZones {
  // Most texts set nothing, and each is asked on every edit.
  if (!/\btime_?\s?zone\b/i.test(text) || !/\bset(?:_config)?\b/i.test(text)) return none;
  const written = [setting, altered, configured].flatMap((pattern) =>
    [...text.matchAll(pattern)].map((match) => match[1] ?? ''),
  );
  const zones = new Set<ZoneName>();
  const open = new Set<string>();
  for (const one of written) {
    const bare = one.replace(/^(['"])(.*)\1$/s, '$2');
    // Back to what the connection gives it, which counts in any case.
    if (bare === one && /^(?:default|local)$/i.test(one)) continue;
    const zone = dialect === 'postgres' ? postgresZone(bare) : isZone(bare) ? bare : undefined;
    if (zone === undefined) open.add(one);
    else zones.add(zone);
  }
  return { zones: [...zones], open: [...open] };
}

const none: SetZones = { zones: [], open: [] };
