import type { UnitState } from '../../../ledger/ledger-store.ts';
import type { PageRequest } from '../page-request.ts';

/** A button that asks the host for something. */
export interface ActionView {
  readonly label: string;
  readonly request: PageRequest;
}

/** The one action of the page; `off`: it keeps its place and cannot be pressed. */
export interface MainAction extends ActionView {
  readonly look: 'primary' | 'secondary' | 'off';
}

/** What is to be known beside the sentence, with what can be done about it. */
export interface NewsView {
  readonly tone: 'info' | 'ok' | 'warning' | 'error';
  readonly text: string;
  readonly actions: readonly ActionView[];
}

/** What the page is at, in one sentence, one action, one bar and one line of news. */
export interface StatusView {
  /** The part that counts, and the figures after it. */
  readonly sentence: { readonly lead: string; readonly rest: string };
  /** `undefined`: nothing is left to do; its place is kept. */
  readonly action: MainAction | undefined;
  /** Whatever else can be done. */
  readonly more: readonly ActionView[];
  readonly news: NewsView;
  readonly progress: ProgressView | undefined;
  /** A run, a preview or a proof is going on: the range stands. */
  readonly live: boolean;
}

export interface ProgressView {
  readonly done: number;
  readonly total: number;
  readonly label: string;
  /** Units that have ended, by what became of them. */
  readonly parts: readonly { readonly state: UnitState; readonly count: number }[];
}
