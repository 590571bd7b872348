import type { Colors } from 'picocolors/types';
import { planCounts, planSummary, reasonInWords } from '../../../core/plan/explain.ts';
import type { Plan, PlanFinding } from '../../../core/plan/model/plan.ts';
import type { ReviewedPlan } from '../../../core/run/reviewed/plan-file.ts';
import { plural } from '../../../core/text/plural.ts';
import { daysInWords } from '../../../core/time/intervals/days-in-words.ts';
import { formatInterval, formatWall } from '../../../core/time/intervals/format-interval.ts';
import type { Instant } from '../../../core/time/zones/instant.ts';
import { toIso } from '../../../core/time/zones/iso.ts';
import type { ZoneName } from '../../../core/time/zones/zone-name.ts';
import { textTable } from '../text/text-table.ts';

export interface PlanView {
  readonly plan: Plan;
  /** Zone in which the times of a task are shown. */
  zone(task: string): ZoneName;
  /** What the operator of a task says of its session beside the connection. */
  session?(task: string): readonly string[];
  /** Where it would run, without secrets; `undefined` when no connection is set up. */
  readonly target: string | undefined;
  /** Tasks whose units a scheduler carries out, by whom in a word, and where that is; absent: none. */
  readonly carried?: { readonly tasks: ReadonlySet<string>; readonly by: string; readonly where: string } | undefined;
  /** List every unit with its reasons. */
  readonly units: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  /** Its tables are files. */
  readonly onFiles?: boolean | undefined;
}

/** A plan for people: first and last interval, counts and reasons per task, what is wider than asked, findings. */
export function planText(view: PlanView, colors: Colors): string {
  const { plan } = view;
  const sections = [
    [...targetLines(view, colors)],
    taskTable(view, colors),
    view.units ? unitTable(view, colors) : [],
    widenedLines(view, colors),
    findingLines(plan, colors, view.onFiles),
    [totals(plan, colors)],
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

/** A plan that somebody has read: what it is, and what is said of it now that was not said then. */
export function reviewedText(
  view: Pick<PlanView, 'plan' | 'target' | 'session' | 'carried'>,
  { name, file }: ReviewedPlan,
  colors: Colors,
): string {
  const { plan } = view;
  const known = new Set(file.findings.map(({ message }) => message));
  const found = plan.findings.filter(({ message }) => !known.has(message));
  const tasks = plural(plan.byTask.size, 'task');
  return [
    ...targetLines(view, colors),
    `${colors.bold('plan')}    ${name}: ${file.title}; ${plural(plan.units.length, 'unit')} of ${tasks}, as reviewed`,
    ...findingLines({ ...plan, findings: found }, colors),
    '',
  ].join('\n');
}

function targetLines(
  { target, plan, session, carried }: Pick<PlanView, 'target' | 'plan' | 'session' | 'carried'>,
  colors: Colors,
): readonly string[] {
  const sessions = [...plan.byTask.keys()].flatMap((task) => {
    const words = session?.(task) ?? [];
    return words.length === 0 ? [] : [`${colors.bold('session')} ${task}: ${words.join(', ')}`];
  });
  const by =
    carried === undefined || carried.tasks.size === 0
      ? []
      : [`${colors.bold('by')}      ${carried.where}: compared after, not held`];
  return [
    `${colors.bold('target')}  ${target ?? 'none: add a connection to backfill.yaml to run this'}`,
    ...by,
    ...sessions,
  ];
}

function taskTable(view: PlanView, colors: Colors): readonly string[] {
  const { plan } = view;
  const rows = planSummary(plan).map((summary) => {
    const zone = view.zone(summary.task);
    const positions = plan.byTask.get(summary.task) ?? [];
    const first = plan.units[positions[0] ?? -1];
    const last = plan.units[positions.at(-1) ?? -1];
    const name = (unit: typeof first): string => (unit === undefined ? '' : formatInterval(unit.data, zone));
    const notes = [
      ...(view.carried?.tasks.has(summary.task)
        ? [`by ${view.carried.by}`]
        : summary.executor === 'warehouse'
          ? []
          : ['not run from here']),
      ...(summary.blocked > 0 ? [`${summary.blocked} blocked`] : []),
      ...(summary.gaps ? ['with gaps'] : []),
    ];
    return [
      summary.task,
      String(summary.units),
      name(first),
      name(last),
      `${both(summary.to, zone)} not included`,
      summary.data === undefined ? '' : daysInWords(summary.data, zone),
      colors.yellow(notes.join(', ')),
      colors.dim(summary.reasons.join('; ')),
    ];
  });
  if (rows.length === 0) return [];
  return textTable(
    [
      { title: 'task' },
      { title: 'units', align: 'right' },
      { title: 'first interval' },
      { title: 'last interval' },
      { title: 'end' },
      { title: 'days of data' },
      { title: 'note' },
      { title: 'why' },
    ],
    rows,
    { width: view.width, paintTitle: colors.bold },
  );
}

/** A time in the pipeline's zone, with UTC beside it where the two differ. */
function both(at: Instant, zone: ZoneName): string {
  const local = formatWall(at, zone).replace(/ 00:00$/, '');
  return formatWall(at, 'UTC') === formatWall(at, zone) ? local : `${local} (${toIso(at)})`;
}

function unitTable(view: PlanView, colors: Colors): readonly string[] {
  const rows = view.plan.units.map((unit) => [
    unit.task,
    formatInterval(unit.data, view.zone(unit.task)),
    unit.blockedBy === undefined ? '' : `blocked by ${unit.blockedBy}`,
    colors.dim(unit.reasons.map((reason) => reasonInWords(reason)).join('; ')),
  ]);
  return textTable([{ title: 'unit' }, { title: 'interval' }, { title: 'note' }, { title: 'why' }], rows, {
    width: view.width,
    paintTitle: colors.bold,
  });
}

function widenedLines({ plan, zone }: PlanView, colors: Colors): readonly string[] {
  if (plan.widened.length === 0) return [];
  return [
    colors.bold('wider than selected'),
    ...plan.widened.map(
      ({ task, from, to, because }) => `  ${task}: ${both(from, zone(task))} to ${both(to, zone(task))}, ${because}`,
    ),
  ];
}

/** What to type about a finding, where the command line offers something. */
const remedies: Partial<Record<PlanFinding['code'], string>> = {
  'unmade-table':
    'plan with the connection that it would run on, which knows its views and functions, or declare what is read under tasks in backfill.yaml',
  cycle: 'say in the file which of these tasks runs first, or select them one at a time, without --downstream',
  'append-in-plan':
    'make it safe to run twice (backfill check says how, backfill make-safe writes it), or let it add again with --allow-append; where each run is meant to add to it, say journal: true of the table under writes in backfill.yaml',
  'unbounded-read':
    'declare what it reads under tasks in backfill.yaml, or redo it for all later intervals with --expand-unbounded',
  'unknown-window':
    'declare what it reads under tasks in backfill.yaml, or redo it for all later intervals with --expand-unbounded',
};

/** Where the tables are files: what adds to them is not run from here at all. */
const onFilesInstead: typeof remedies = {
  'append-in-plan':
    'let it put its rows in the place of a partition (INSERT OVERWRITE … PARTITION (…)): what adds to files is not run from here; or let its scheduler run it',
};

/** What else can be typed where it stops the plan. */
const overrides: typeof remedies = {
  retention: 'leave those intervals out, or let them run on what is left with --allow-expired',
  'mutable-source': 'leave the task out, or let it replace what was kept with --allow-expired',
};

/** Only what came with others can be left out. */
const leaveOut: typeof remedies = { 'append-in-plan': 'leave the task out with --without, or ' };

/** One line each, errors first; what helps stands below those that it is for. */
export function findingLines(
  { findings, units }: Pick<Plan, 'findings' | 'units'>,
  colors: Colors,
  onFiles = false,
): readonly string[] {
  const selected = new Set(
    units.flatMap(({ task, reasons }) => (reasons.some(({ kind }) => kind === 'selected') ? [task] : [])),
  );
  const paint = { error: colors.red, warning: colors.yellow, info: colors.cyan };
  const order = ['error', 'warning', 'info'];
  const groups = new Map<string, string[]>();
  for (const { code, severity, message, task } of [...findings].sort(
    (a, b) => order.indexOf(a.severity) - order.indexOf(b.severity),
  )) {
    const without = task === undefined || selected.has(task) ? '' : (leaveOut[code] ?? '');
    const typed = severity === 'error' ? overrides[code] : undefined;
    const help = `${without}${(onFiles ? onFilesInstead[code] : undefined) ?? typed ?? remedies[code] ?? ''}`;
    // Those that nothing is said of stay where they are.
    const key = help === '' ? `${groups.size} ${message}` : `${severity} ${help}`;
    const lines = groups.get(key) ?? [];
    if (lines.length === 0 && help !== '') lines.push(`  ${colors.green('help')} ${help}`);
    lines.splice(help === '' ? lines.length : -1, 0, `${paint[severity](severity)} ${colors.bold(code)}  ${message}`);
    groups.set(key, lines);
  }
  return [...groups.values()].flat();
}

function totals(plan: Plan, colors: Colors): string {
  const { selected, downstream } = planCounts(plan);
  const errors = plan.findings.filter(({ severity }) => severity === 'error').length;
  const said = `${plural(plan.units.length, 'unit')}: ${selected} selected + ${downstream} downstream`;
  return errors > 0 ? `${colors.red('nothing can be started')}, ${plural(errors, 'error')}` : said;
}
