import type { Unknown } from '../../lineage/facts/facts.ts';
import type { Finding } from '../../lint/model/finding.ts';
import type { Problem, Span } from '../../text/span.ts';
import type { DataInterval } from '../../time/intervals/data-interval.ts';
import type { SliceVersion } from '../words/slice-version.ts';

/** A task of the open file: where its lens stands and what the lens can do. */
export interface TaskView {
  readonly task: string;
  readonly pipeline: string;
  /** Where the task begins; the lens stands above this line. */
  readonly at: Span;
  readonly nameAt: Span;
  /** The selected interval of its pipeline, for the eye; `undefined` without a grid. */
  readonly interval: { readonly label: string; readonly data: DataInterval } | undefined;
  /** Why the lens cannot rerun it from here. */
  readonly notRunnable: string | undefined;
  /** The scheduler that carries it out, by its name in `backfill.yaml`; `undefined`: it runs from here, or nowhere. */
  readonly carriedBy?: string | undefined;
  /** Tasks that read what it writes, directly or through others; `undefined`: not known yet. */
  readonly downstream: number | undefined;
  /** What the last run made of the selected interval; empty where none is known. */
  readonly versions: readonly SliceVersion[];
}

/** A value shown behind the code: an interval expression resolved, or the slice that a write fills. */
export interface HintView {
  readonly offset: number;
  readonly label: string;
  readonly tooltip: string;
  readonly kind: 'interval' | 'slice';
}

/** Something that nobody has said about a task of the file; `about` names the kind, as in `unknown-window`. */
export interface UnknownView {
  readonly task: string;
  readonly about: Unknown['about'];
  readonly at: Span;
  readonly message: string;
}

/** Something of the file that could not be read. */
export interface ProblemView {
  readonly at: Span;
  readonly message: string;
  readonly severity: Problem['severity'];
}

/** The name of a file of the workspace. */
export interface LinkView {
  readonly at: Span;
  readonly file: string;
}

/** What a hover says about a range of the file, as Markdown. */
export interface HoverView {
  readonly at: Span;
  readonly markdown: string;
}

/** Everything that an editor shows in and beside one file, for the selected intervals. Offsets as in the text read. */
export interface DocumentView {
  /** Pipelines with a task in the file, the first one leading the status bar. */
  readonly pipelines: readonly PipelineView[];
  readonly tasks: readonly TaskView[];
  readonly hints: readonly HintView[];
  readonly hovers: readonly HoverView[];
  /** Names of SQL files, and the files that are meant. */
  readonly links: readonly LinkView[];
  readonly findings: readonly Finding[];
  readonly unknowns: readonly UnknownView[];
  readonly problems: readonly ProblemView[];
}

/** A pipeline as the status bar and the interval picker need it. */
export interface PipelineView {
  readonly pipeline: string;
  readonly zone: string;
  /** The schedule as written, e.g. `@daily`. */
  readonly schedule: string;
  readonly selected: { readonly label: string; readonly data: DataInterval } | undefined;
  /** Why there is no interval to select. */
  readonly noGrid: string | undefined;
}
