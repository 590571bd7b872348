import { leadingComments } from '../../../sql/lex/leading-comments.ts';
import { type DialectName, dialectNames } from '../../../sql/model/dialect-name.ts';
import type { Problem, SourceSpan } from '../../../text/span.ts';
import type { Schedule } from '../../../time/schedules/schedule.ts';
import type { Instant } from '../../../time/zones/instant.ts';
import { fromWall, isZone } from '../../../time/zones/zone.ts';
import type { ZoneName } from '../../../time/zones/zone-name.ts';
import { cronSchedule } from '../../model/cron-schedule.ts';
import { parseDate } from '../../python/library/parse-date.ts';

/** One `name=value` of the header, with its place. */
interface Entry {
  readonly value: string;
  readonly at: SourceSpan;
}

/** What `-- backfill: schedule=@daily start=2026-01-01 …` says about a stand-alone SQL file. */
export interface HeaderComment {
  readonly schedule: { readonly value: Schedule; readonly at: SourceSpan | undefined };
  readonly startDate: Instant | undefined;
  readonly endDate: Instant | undefined;
  readonly startDateAt: SourceSpan | undefined;
  readonly zone: ZoneName;
  readonly connection: string | undefined;
  readonly dialect: DialectName | undefined;
  readonly problems: readonly Problem[];
}

const marker = /^--[ \t]*backfill:/;
const keys = ['schedule', 'start', 'end', 'zone', 'connection', 'dialect'];

/** Reads the header among the comments at the head of the file. */
export function readHeaderComment(file: string, text: string): HeaderComment {
  const entries = new Map<string, Entry>();
  const problems: Problem[] = [];
  const report = (message: string, at: SourceSpan | undefined): void => {
    problems.push({ message, at, severity: 'error' });
  };
  const comments = leadingComments(text).comments;
  const header = comments.find(({ start, end }) => marker.test(text.slice(start, end))) ?? { start: 0, end: 0 };
  const body = text.slice(header.start, header.end).replace(marker, '');
  const bodyStart = header.end - body.length;
  for (const match of body.matchAll(/(\w+)\s*=\s*("[^"]*"|'[^']*'|\S+)|\S+/g)) {
    const at = { file, start: bodyStart + match.index, end: bodyStart + match.index + match[0].length };
    const [, name, value] = match;
    if (name === undefined || value === undefined || !keys.includes(name))
      report(
        `The backfill header does not know ${JSON.stringify(match[0])}. It takes ${keys.join(', ')}, each as name=value.`,
        at,
      );
    else entries.set(name, { value: value.replace(/^(["'])(.*)\1$/, '$2'), at });
  }

  const zoneEntry = entries.get('zone');
  const zoneKnown = zoneEntry === undefined || isZone(zoneEntry.value);
  if (zoneEntry !== undefined && !zoneKnown)
    report(
      `There is no time zone ${JSON.stringify(zoneEntry.value)}. Write an IANA name such as "Europe/Berlin".`,
      zoneEntry.at,
    );
  const zone = zoneEntry !== undefined && zoneKnown ? zoneEntry.value : 'UTC';
  const date = (name: string): Instant | undefined => {
    const entry = entries.get(name);
    const parsed = entry && parseDate(entry.value, undefined, 'header');
    if (entry !== undefined && parsed === undefined)
      report(`${JSON.stringify(entry.value)} is no date. Write it as 2026-01-31.`, entry.at);
    return parsed && fromWall(parsed.zone ?? zone, parsed.wall);
  };
  const dialectEntry = entries.get('dialect');
  const dialect = dialectNames.find((name) => name === dialectEntry?.value);
  if (dialectEntry !== undefined && dialect === undefined)
    report(
      `The dialect ${JSON.stringify(dialectEntry.value)} is not known. It can be ${dialectNames.join(', ')}.`,
      dialectEntry.at,
    );
  return {
    schedule: schedule(entries.get('schedule'), zone, report),
    startDate: date('start'),
    endDate: date('end'),
    startDateAt: entries.get('start')?.at,
    zone,
    connection: entries.get('connection')?.value,
    dialect,
    problems,
  };
}

function schedule(
  entry: Entry | undefined,
  zone: ZoneName,
  report: (message: string, at: SourceSpan) => void,
): HeaderComment['schedule'] {
  if (entry === undefined) return { value: { kind: 'none' }, at: undefined };
  const value = cronSchedule(entry.value, zone, 'tick-to-tick');
  if (value.kind === 'unknown')
    report(
      `${value.reason}. Write a preset such as @daily, or five cron fields in quotes: schedule="0 2 * * *".`,
      entry.at,
    );
  return { value, at: entry.at };
}
