import type { Gap, OpenInterval } from '../../../core/run/survey/find-gaps.ts';
import { shellWord } from '../../../core/text/shell-word.ts';
import type { CalendarCell } from '../../../core/view/page/range/calendar-view.ts';
import { counted, countInWords } from '../../../core/view/words/counted.ts';
import type { Shell } from '../../terminal/shell.ts';
import { textTable } from '../text/text-table.ts';

export interface GapsOfTask {
  readonly task: string;
  /** Those that were counted, oldest first. */
  readonly intervals: readonly CalendarCell[];
  readonly gaps: readonly (Gap & CalendarCell)[];
  /** Those with rows of which too few others are there to tell whether they are odd. */
  readonly open: readonly (OpenInterval & CalendarCell)[];
  /** Those before the first row, oldest first; all of them where there is none. */
  readonly before: readonly CalendarCell[];
  /** Tables that could not be counted, and why. */
  readonly untold: readonly string[];
}

const heads = [{ title: 'interval' }, { title: '' }, { title: 'rows' }];

/** Gaps in a row are one line, and those without a row one command. */
export function gapsText(found: readonly GapsOfTask[], shell: Pick<Shell, 'colors' | 'columns'>): string {
  return found.map((one) => textOf(one, shell)).join('\n');
}

function textOf(
  { task, intervals, before, gaps, open, untold }: GapsOfTask,
  { colors, columns }: Pick<Shell, 'colors' | 'columns'>,
): string {
  const [first, last] = [intervals[0], intervals.at(-1)];
  const head =
    first === undefined || last === undefined
      ? `${task}: no interval of it can be counted`
      : `${task}: ${counted(intervals.length, 'interval')}, ${first.label} to ${last.label}, ${outcome(intervals, before, gaps, open)}`;
  const groups = inRow(gaps, intervals);
  const lines = groups.map((group) => {
    const [from, to] = [group[0], group.at(-1)];
    const label = from === to ? (from?.label ?? '') : `${from?.label} to ${to?.label}`;
    const usual = from?.usual === undefined ? '' : `, about ${countInWords(from.usual)} are usual`;
    const rows = from?.kind === 'missing' ? 'no row' : counted(from?.rows ?? 0, 'row');
    return [label, from?.kind === 'missing' ? colors.red('missing') : colors.yellow('odd'), `${rows}${usual}`];
  });
  const commands = groups.flatMap((group) => {
    const [from, to] = [group[0], group.at(-1)];
    if (from?.kind !== 'missing' || to === undefined) return [];
    return [`backfill run ${shellWord(task)} --from ${from.from} --to ${to.to} --downstream`];
  });
  return [
    head,
    ...(lines.length === 0 ? [] : textTable(heads, lines, { width: columns, paintTitle: colors.dim })),
    ...beforeText(task, before, intervals.length),
    ...openText(open),
    ...untold.map((text) => `not counted: ${text}`),
    ...(commands.length === 0
      ? []
      : ['to fill what is missing:', ...[...new Set(commands)].map((command) => `  ${command}`)]),
    '',
  ].join('\n');
}

function outcome(
  intervals: GapsOfTask['intervals'],
  before: GapsOfTask['before'],
  gaps: GapsOfTask['gaps'],
  open: GapsOfTask['open'],
): string {
  if (gaps.length > 0) return counted(gaps.length, 'gap');
  if (before.length > 0 && before.length === intervals.length) return 'no row';
  const none = open.length > 0 ? 'none missing' : 'no gaps';
  return before.length === 0 ? none : `${none} since ${intervals[before.length]?.label}`;
}

const mostNamed = 5;

/** What was not judged is no all-clear. */
function openText(open: GapsOfTask['open']): readonly string[] {
  if (open.length === 0) return [];
  const far = open.filter(({ usual }) => usual !== undefined);
  if (far.length === 0) return ['too few intervals to tell odd ones: only missing ones were looked for'];
  const named = far
    .slice(0, mostNamed)
    .map(({ label, rows, usual = 0 }) => `${label} (${counted(rows, 'row')}, about ${countInWords(usual)} around it)`);
  const more = far.length > mostNamed ? ` and ${far.length - mostNamed} more` : '';
  return [
    `too few intervals to tell whether ${far.length === 1 ? 'this one is' : 'these are'} odd, or like others of ${far.length === 1 ? 'its' : 'their'} weekday or hour: ${named.join(', ')}${more}`,
  ];
}

/** Whether a table's history should begin earlier nobody has said, so this is no gap, and no all-clear either. */
function beforeText(task: string, before: readonly CalendarCell[], all: number): readonly string[] {
  const [from, to] = [before[0], before.at(-1)];
  if (from === undefined || to === undefined) return [];
  const which =
    before.length === all
      ? 'none of them has a row'
      : `no row in the ${counted(before.length, 'interval')} before that, ${from.label} to ${to.label}`;
  return [`${which}; to fill them: backfill run ${shellWord(task)} --from ${from.from} --to ${to.to} --downstream`];
}

/** Gaps without a row that follow each other stand together; an odd interval stands alone. */
function inRow(
  gaps: GapsOfTask['gaps'],
  intervals: readonly CalendarCell[],
): readonly (readonly (Gap & CalendarCell)[])[] {
  const positions = new Map(intervals.map(({ unit }, index) => [unit, index]));
  const groups: (Gap & CalendarCell)[][] = [];
  for (const gap of gaps) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    const follows = before !== undefined && positions.get(gap.unit) === (positions.get(before.unit) ?? -2) + 1;
    if (follows && gap.kind === 'missing' && before.kind === 'missing') group?.push(gap);
    else groups.push([gap]);
  }
  return groups;
}
