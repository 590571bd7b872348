/** Count and checksums of one slice at one moment. Checksums are lower-case hex, comparable only under equal `algorithm`. */
export interface SliceFigures {
  readonly rows: number;
  readonly keyChecksum: string | undefined;
  readonly rowChecksum: string;
  /** Algorithm, column list and server version: figures of another algorithm are recomputed, never compared. */
  readonly algorithm: string;
  readonly duplicateKeys: number | undefined;
}
