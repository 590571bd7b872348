/** What the extension host of a real VS Code told of one window. Milliseconds and megabytes. */
export interface HostReport {
  /** Loading the code and calling it, as VS Code's own `perf:` document has them; with them what they waited for. */
  readonly loadMs: number;
  readonly activateMs: number;
  /** From asking for the lenses of a DAG file to having them, the reading of the workspace included. */
  readonly firstLensMs: number;
  /** From a change of that file to its findings, waiting for a pause in typing included. */
  readonly findingsMs: readonly number[];
  /** The longest that the host's thread was kept by the extension; 0 where it was not watched. */
  readonly longestBlockMs: number;
  readonly longestBlock: string;
  /** Resident memory of the host before the extension was asked for anything, and with the workspace read. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
}

/** What the probe is to do, as the driver writes it beside the workspace. */
export interface HostTask {
  readonly file: string;
  /** A text of the file that is replaced by another one, and back again: each time a finding elsewhere comes or goes. */
  readonly text: string;
  readonly other: string;
  readonly edits: number;
  readonly watchesBlocks: boolean;
}
