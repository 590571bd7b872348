import type { RunEvent } from '../../../core/run/unit/run-event.ts';
import type { DeclarationDraft } from '../../../core/view/document/draft-declaration.ts';
import type { PageRequest, ReportFormat } from '../../../core/view/page/page-request.ts';
import type { ConnectionView, OptionsView, UnitDetail } from '../../../protocol/assistant-state.ts';
import type { Connections } from '../../clients/connections.ts';
import type { Log } from '../../clients/log.ts';
import type { Schedulers } from '../../clients/schedulers.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { Remote } from '../../host/rpc.ts';
import type { RunApi } from '../../host/run-api.ts';
import type { EditorSettings } from './session-options.ts';

/** What a session needs from the editor; everything that asks a person or shows something is here. */
export interface SessionServices {
  readonly client: WorkspaceClient;
  readonly connections: Connections;
  readonly schedulers: Schedulers;
  readonly log: Log;
  readonly createdBy: string;
  readonly settings: EditorSettings;
  startRunThread(onEvent: (event: RunEvent) => void, onEnd: (reason: string) => void): Remote<RunApi>;
  /** Asks for the target's name to be typed before a run on a protected connection; false: not started. */
  confirmProtected(name: string, target: string): Promise<boolean>;
  /** Asks whether a preview or proof may do what no rollback takes back; false: those units are left out. */
  confirmOutside(question: string): Promise<boolean>;
  /** Which connection, one that is there or a new one; `undefined` when the question was dismissed. */
  chooseConnection(now: ConnectionView): Promise<PageRequest | undefined>;
  /** Name of the connection that was made; `undefined` when it was dismissed. */
  connectWarehouse(): Promise<string | undefined>;
  copy(text: string, what: string): Promise<void>;
  /** What a report is to be written as; `undefined` when the question was dismissed. */
  chooseReportFormat(): Promise<ReportFormat | undefined>;
  save(name: string, text: string): Promise<void>;
  openSource(task: string): Promise<void>;
  /** Shows a text that somebody asked for beside the page; the same title is shown anew. */
  openText(title: string, text: string): Promise<void>;
  /** Asks whether a unit was done elsewhere. */
  confirmDone(unit: string): Promise<boolean>;
  /** Writes an entry into `backfill.yaml` and shows it. */
  declare(task: string, draft: DeclarationDraft): Promise<void>;
  openDiff(title: string, detail: UnitDetail): Promise<void>;
  /** Kept in the workspace, so that a run that the end of the editor interrupted is offered again. */
  remember(kept: KeptSession): void;
}

/** What outlives the editor: the choices, and the run if one was started. */
export interface KeptSession {
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly only?: readonly string[] | undefined;
  readonly without: readonly string[];
  readonly options: OptionsView;
  readonly connection: string | undefined;
  readonly run: KeptRun | undefined;
}

export interface KeptRun {
  readonly id: string;
  readonly connection: string;
  readonly finished: boolean;
  /** It was still going on, so that nobody has seen how it ended. */
  readonly live?: boolean | undefined;
}
