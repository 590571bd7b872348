import type { TaskId } from '../../pipeline/model/model.ts';
import type { UnitId } from '../../plan/model/plan.ts';

/** A codicon, and the theme colour that it has, if not that of the text. */
export interface HomeIcon {
  readonly name: string;
  readonly color?: string;
}

/** What can be done with a node; several words, of which a menu looks for its own. */
export type HomeTrait =
  | 'group'
  | 'dag'
  | 'task'
  | 'runnable'
  | 'slice'
  | 'plannable'
  | 'held'
  | 'run'
  | 'live'
  | 'resumable'
  | 'undoable'
  | 'locked'
  | 'note';

/** One line of the side bar, as data. What is below it is asked for when it is opened. */
export interface HomeNode {
  /** Unique in its tree, and the same from one look to the next. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** As Markdown. */
  readonly tooltip: string;
  readonly icon: HomeIcon;
  readonly traits: readonly HomeTrait[];
  readonly opens: 'never' | 'on-demand' | 'at-once';
  /** What a screen reader says. */
  readonly spoken: string;
  readonly task?: TaskId | undefined;
  readonly run?: string | undefined;
  /** The connection whose ledger tells it, where that is another one than its tree's. */
  readonly connection?: string | undefined;
  /** What planning it would plan. */
  readonly units: readonly UnitId[];
}

/** A task as the side bar knows it. */
export interface HomeTask {
  readonly task: TaskId;
  readonly dag: string;
  readonly name: string;
  /** Why it is not run from here; empty where it is. */
  readonly detail: string;
  readonly zone: string;
}
