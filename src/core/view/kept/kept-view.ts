import type { DocumentView, PipelineView, TaskView } from '../document/document-view.ts';

/** What a view was made of beside the file's own text, and how long it says the same. */
export interface ViewBasis {
  /** The moment, in milliseconds since the epoch, at which another interval is the last one that has ended. */
  readonly until: number;
  /** Files, relative to the workspace, with the hash of their text; `null`: it was not there. */
  readonly files: readonly (readonly [path: string, hash: string | null])[];
}

/** Tasks and intervals of a file as they are kept from one window to the next: to be shown first, and for nothing else. */
export interface KeptView extends ViewBasis {
  readonly pipelines: readonly PipelineView[];
  readonly tasks: readonly TaskView[];
}

const format = 1;

/** What other files decide, and what a run made of it, may be another tomorrow: it is not kept. */
export const keptText = ({ pipelines, tasks }: DocumentView, { until, files }: ViewBasis): string =>
  JSON.stringify({
    format,
    until,
    files,
    pipelines,
    tasks: tasks.map((task) => ({ ...task, downstream: undefined, versions: [] })),
  });

/** The kept view of a text of this length; `undefined` for anything that was not written by {@link keptText}. */
export function readKept(text: string, length: number): KeptView | undefined {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isRecord(found) || found.format !== format || !isMoment(found.until)) return undefined;
  const { until, files, pipelines, tasks } = found;
  const span = (value: unknown): boolean =>
    isRecord(value) && isOffset(value.start, length) && isOffset(value.end, length) && value.start <= value.end;
  const isTask = (task: unknown): boolean =>
    isRecord(task) &&
    typeof task.task === 'string' &&
    typeof task.pipeline === 'string' &&
    span(task.at) &&
    span(task.nameAt) &&
    isInterval(task.interval) &&
    isTextOrMissing(task.notRunnable) &&
    isTextOrMissing(task.carriedBy) &&
    task.downstream === undefined &&
    Array.isArray(task.versions) &&
    task.versions.length === 0;
  if (!(isAll(files, isFile) && isAll(pipelines, isPipeline) && isAll(tasks, isTask))) return undefined;
  return { until, files, pipelines, tasks } as unknown as KeptView;
}

/** As an editor shows it before anything was read. */
export const shownFirst = ({ pipelines, tasks }: KeptView): DocumentView => ({
  pipelines,
  tasks,
  hints: [],
  hovers: [],
  links: [],
  findings: [],
  unknowns: [],
  problems: [],
});

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const isMoment = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);
const isOffset = (value: unknown, length: number): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= length;
const isTextOrMissing = (value: unknown): boolean => value === undefined || typeof value === 'string';
const isAll = (values: unknown, is: (value: unknown) => boolean): boolean => Array.isArray(values) && values.every(is);

const isInterval = (value: unknown): boolean =>
  value === undefined ||
  (isRecord(value) &&
    typeof value.label === 'string' &&
    isRecord(value.data) &&
    isMoment(value.data.start) &&
    isMoment(value.data.end));

const isPipeline = (value: unknown): boolean =>
  isRecord(value) &&
  [value.pipeline, value.zone, value.schedule].every((text) => typeof text === 'string') &&
  isInterval(value.selected) &&
  isTextOrMissing(value.noGrid);

/** Inside of the workspace: nothing else is ever looked at for it. */
const isFile = (value: unknown): boolean => {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [path, hash]: readonly unknown[] = value;
  return (
    typeof path === 'string' &&
    !path.split('/').includes('..') &&
    !/^(?:[/\\]|[A-Za-z]:)/.test(path) &&
    (hash === null || typeof hash === 'string')
  );
};
