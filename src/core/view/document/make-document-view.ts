import type { TaskFacts } from '../../lineage/facts/facts.ts';
import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { Finding } from '../../lint/model/finding.ts';
import type { Task, TaskId } from '../../pipeline/model/model.ts';
import { taskContext } from '../../run/jobs/task-context.ts';
import type { Problem, SourceSpan } from '../../text/span.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { SliceVersion } from '../words/slice-version.ts';
import type { DocumentView, HintView, HoverView, LinkView, TaskView, UnknownView } from './document-view.ts';
import { factHovers } from './fact-hovers.ts';
import { type HoverLinks, placeLinks } from './hover-links.ts';
import { intervalHints } from './interval-hints.ts';
import { onePerCause } from './one-per-cause.ts';
import { type ChosenPipeline, choosePipeline, type IntervalChoice } from './pipeline-view.ts';
import { sliceHints } from './slice-hints.ts';
import { sqlFileLinks } from './sql-file-links.ts';
import { sqlFileHover, taskHover } from './task-hover.ts';

export interface DocumentViewInput {
  readonly file: string;
  readonly facts: WorkspaceFacts;
  /** Findings of the whole workspace or of this file. */
  readonly findings: readonly Finding[];
  /** What could not be read, of the whole workspace or of this file. */
  readonly problems: readonly Problem[];
  readonly links: HoverLinks;
  readonly choice: IntervalChoice;
  readonly now: Instant;
  /** Zone of labels; `undefined` shows each pipeline in its own. */
  readonly shownIn: ZoneName | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly params: Readonly<Record<string, unknown>>;
  /** Children of each task, by table or by order. */
  readonly children: ReadonlyMap<TaskId, readonly TaskId[]>;
  /** Who carries out tasks of DAGs that cannot be run from here, by its name in `backfill.yaml`. */
  readonly scheduler?: string | undefined;
  versions(task: TaskId, interval: Instant): readonly SliceVersion[];
}

/** What an editor shows in one file. A `.sql` file that DAGs use shows the tasks that run it. */
export function makeDocumentView(input: DocumentViewInput): DocumentView {
  const { file, facts } = input;
  const tasks: TaskView[] = [];
  const hints: HintView[] = [];
  const hovers: HoverView[] = [];
  const fileLinks: LinkView[] = [];
  const unknowns: UnknownView[] = [];
  const pipelines: ChosenPipeline[] = [];
  const link = placeLinks(file, (name) => facts.text(name), input.links);
  for (const pipeline of facts.pipelines) {
    const mine = pipeline.tasks.flatMap((task) => {
      const at = placeIn(file, task);
      return at === undefined ? [] : [{ task, at }];
    });
    if (mine.length === 0 && pipeline.file !== file) continue;
    const zone = input.shownIn ?? pipeline.zone;
    const chosen = choosePipeline(pipeline, input.choice, input.now, zone);
    pipelines.push(chosen);
    const interval = chosen.view.selected;
    for (const { task, at } of mine) {
      const taskFacts = facts.facts.get(task.id);
      if (taskFacts === undefined) continue;
      const context = interval === undefined ? undefined : taskContext(task, pipeline, interval.data, input);
      const { executor } = task;
      const carriedBy = executor.kind === 'airflow' && pipeline.format === 'airflow' ? input.scheduler : undefined;
      const versions = chosen.interval === undefined ? [] : input.versions(task.id, chosen.interval.start);
      tasks.push({
        task: task.id,
        pipeline: pipeline.id,
        at: at.whole,
        nameAt: at.name,
        interval,
        notRunnable: executor.kind === 'warehouse' || carriedBy !== undefined ? chosen.view.noGrid : executor.reason,
        carriedBy,
        downstream: reachable(task.id, input.children).size,
        versions,
      });
      if (context !== undefined && interval !== undefined) {
        for (const sql of task.sql) hints.push(...intervalHints(sql, file, context, interval.label, pipeline.zone));
      }
      hints.push(...sliceHints(taskFacts.writes, file, facts.text(file) ?? '', interval?.data, zone));
      hovers.push({
        at: at.name,
        markdown: taskHover({
          task,
          facts: taskFacts,
          interval,
          noGrid: chosen.view.noGrid,
          zone,
          context,
          versions,
          link,
          declare: input.links.declare(task.id),
        }),
      });
      for (const named of sqlFileLinks(task, file, facts.text(file) ?? '')) {
        fileLinks.push({ at: named.at, file: named.file });
        hovers.push({ at: named.at, markdown: sqlFileHover(task, taskFacts, named, context, interval?.label) });
      }
      hovers.push(...factHovers(file, taskFacts, { task, data: interval?.data, zone, link }));
      unknowns.push(...unknownsIn(file, taskFacts, at.name));
    }
  }
  const findings = input.findings.filter((finding) => finding.at.file === file);
  return {
    pipelines: pipelines.map(({ view }) => view),
    tasks,
    hints: distinct(hints),
    hovers,
    links: fileLinks,
    findings,
    ...onePerCause(
      findings,
      input.problems.flatMap(({ at, message, severity }) => (at?.file === file ? [{ at, message, severity }] : [])),
      unknowns,
    ),
  };
}

/** Unknowns of a task that stand in the file; those without a place of their own stand at the task. */
const unknownsIn = (file: string, { unknowns }: TaskFacts, name: SourceSpan): readonly UnknownView[] =>
  unknowns.flatMap(({ task, about, message, at = name }) => (at.file === file ? [{ task, about, at, message }] : []));

/** Where a task stands in a file: its call, or the head of a SQL file that it runs. */
function placeIn(file: string, task: Task): { readonly whole: SourceSpan; readonly name: SourceSpan } | undefined {
  if (task.at.file === file) return { whole: task.at, name: task.nameAt };
  const piece = task.sql.flatMap(({ source }) => source.pieces).find(({ source }) => source.file === file);
  if (piece === undefined) return undefined;
  const head = { ...piece.source, end: Math.min(piece.source.start + 1, piece.source.end) };
  return { whole: head, name: head };
}

/** Every task behind a task, itself left out. */
export function reachable(task: TaskId, children: ReadonlyMap<TaskId, readonly TaskId[]>): ReadonlySet<TaskId> {
  const found = new Set<TaskId>();
  const open = [task];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const child of children.get(next) ?? []) {
      if (child === task || found.has(child)) continue;
      found.add(child);
      open.push(child);
    }
  }
  return found;
}

/** A text that several tasks run shows each value once. */
function distinct(hints: readonly HintView[]): readonly HintView[] {
  return [...new Map(hints.map((hint) => [`${hint.offset} ${hint.label}`, hint])).values()];
}
