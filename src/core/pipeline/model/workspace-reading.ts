import type { FileReading } from './model.ts';

/** Everything that the readers understood of a workspace, file by file. */
export interface WorkspaceReading {
  readonly files: readonly FileReading[];
  /** The text that a reading's offsets refer to; `undefined` for a file that is not part of it. */
  text(file: string): string | undefined;
}
