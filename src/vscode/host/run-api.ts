import type { RunSummary, UnitRecord } from '../../core/ledger/ledger-store.ts';
import type { RunEvent } from '../../core/run/run-event.ts';
import type { RunResult } from '../../core/run/run-result.ts';
import type { ConnectionConfig } from '../../core/warehouse/connection-config.ts';

/** How a run of the run thread ended, or why it could not begin. */
export type RunAnswer =
  | { readonly kind: 'ended'; readonly result: RunResult }
  | {
      readonly kind: 'world';
      readonly error: string;
      readonly message: string;
      readonly remedy: string | undefined;
    };

/** What the run thread offers: one run at a time, on a connection that it opens itself. */
export interface RunApi {
  [method: string]: (argument: never) => Promise<unknown>;
  start(argument: {
    readonly connection: ConnectionConfig;
    readonly mode: 'run' | 'preview';
    readonly run: string;
    readonly title: string;
    readonly createdBy: string;
    readonly document: string;
  }): Promise<RunAnswer>;
  resume(argument: {
    readonly connection: ConnectionConfig;
    readonly run: string;
    readonly createdBy: string;
    readonly codeHashes: readonly (readonly [string, string])[];
  }): Promise<RunAnswer>;
  /** Asks for cancellation; the run's own answer says what became of it. */
  cancel(argument: null): Promise<void>;
  history(argument: {
    readonly connection: ConnectionConfig;
    readonly limit: number;
  }): Promise<{ readonly runs: readonly RunSummary[] } | Extract<RunAnswer, { kind: 'world' }>>;
  /** The stored document of a run, to show it again. */
  stored(argument: {
    readonly connection: ConnectionConfig;
    readonly run: string;
  }): Promise<
    | { readonly document: string; readonly title: string; readonly units: readonly UnitRecord[] }
    | Extract<RunAnswer, { kind: 'world' }>
  >;
}

export type RunThreadEvent = { readonly kind: 'event'; readonly event: RunEvent };
