import type { UnitRecord } from '../../ledger/ledger-store.ts';
import type { SliceState } from '../../ledger/slice-states.ts';
import { taskOfUnit } from '../../plan/model/unit-id.ts';
import type { PlanGrid } from '../page/plan-view.ts';
import { counted } from '../words/counted.ts';

/** More lines than this tell a language model no more. */
const mostLines = 60;

/** A finding or problem with its place. */
export interface PlacedLine {
  readonly file: string;
  readonly rule?: string;
  readonly severity: string;
  readonly message: string;
  readonly start: { readonly line: number };
}

/** What stands against running tasks twice, one a line; `path` picks a file or a folder of the workspace. */
export function checkText(found: readonly PlacedLine[], path: string | undefined): string {
  const part = path?.replace(/^\.?\//, '').replace(/\/$/, '');
  const wanted = found.filter(
    ({ file, severity }) =>
      severity !== 'hint' && (part === undefined || part === '' || file === part || file.startsWith(`${part}/`)),
  );
  if (wanted.length === 0)
    return `Nothing found${part === undefined ? '' : ` in ${part}`} that a second run would change.`;
  return lines(
    `${counted(wanted.length, 'finding')}:`,
    wanted.map(
      ({ file, start, rule, severity, message }) =>
        `${file}:${start.line} ${severity}${rule === undefined ? '' : ` ${rule}`}: ${message.replaceAll('\n', ' ')}`,
    ),
  );
}

/** What a rerun would make anew, by task, and what stands against it. Nothing has run. */
export function planText({ units, rows, findings, startable }: PlanGrid, command: string): string {
  const planned = rows.filter((row) => row.units.length > 0);
  return [
    `${counted(units.length, 'slice')} of ${counted(planned.length, 'task')} would be made anew${startable ? '' : '; this plan cannot run as it is'}. Nothing has run.`,
    ...rows.slice(0, mostLines).map((row) => {
      const [first, last] = [units[row.units[0] ?? -1], units[row.units.at(-1) ?? -1]];
      if (first === undefined || last === undefined) return `- ${row.task}: ${row.left ?? 'nothing'}`;
      const which = first === last ? first.label : `${first.label} to ${last.label}`;
      const writes = row.tables.length === 0 ? '' : `, writes ${row.tables.join(', ')}`;
      return `- ${row.task}: ${counted(row.units.length, 'interval')}, ${which}${writes}; ${row.reason}`;
    }),
    ...findings.map(({ severity, message }) => `${severity}: ${message}`),
    `The same on the command line: ${command}`,
  ].join('\n');
}

/** Slices that a run would now make otherwise, were held or failed. `task` picks one. */
export function staleText(states: readonly SliceState[], task: string | undefined, connection: string): string {
  const wanted = states.filter(
    ({ state, unit }) => state !== 'fresh' && (task === undefined || taskOfUnit(unit) === task),
  );
  if (states.length === 0) return `No slice was made by a run on ${connection} yet.`;
  if (wanted.length === 0)
    return `${connection} knows of ${counted(states.length, 'slice')}, and none is stale, held or failed.`;
  return lines(
    `${counted(wanted.length, 'slice')} on ${connection} of ${states.length} that it knows of:`,
    wanted.map(({ unit, state, why }) => `- ${unit} ${state}${why === '' ? '' : `: ${why}`}`),
  );
}

/** What runs did, without any row of the tables: those do not leave the machine unasked. */
export const withoutRows = (records: readonly UnitRecord[]): readonly UnitRecord[] =>
  records.map((record) => ({
    ...record,
    slices: record.slices.map(({ leftOver: _, ...slice }) => ({ ...slice, samples: [] })),
  }));

function lines(head: string, all: readonly string[]): string {
  const left = all.length - mostLines;
  return [head, ...all.slice(0, mostLines), ...(left > 0 ? [`and ${left} more`] : [])].join('\n');
}
