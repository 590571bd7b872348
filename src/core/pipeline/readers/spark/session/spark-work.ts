import type { SourceSpan } from '../../../../text/span.ts';
import type { Unread } from '../../../model/table-access.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, Host, Interpreter, TextValue, Value } from '../../../python/values/value.ts';

/** What an overwrite of a partitioned table replaces where the statement names no partition. */
export type OverwriteMode = 'static' | 'dynamic' | 'unknown';

/** A statement that calls of Spark come to. */
export interface SparkStatement {
  readonly text: TextValue;
  /** The call that has it done. */
  readonly call: Call;
  /** The words are ours, and these are the columns that the target is said to be partitioned by; absent where the file itself has the statement. */
  readonly composed?: { readonly partitionedBy: readonly string[] };
  readonly overwrites?: OverwriteMode;
}

/** Who is told what Spark is made to do: the task whose Python is being followed. */
export interface SparkWork {
  note(statement: SparkStatement): void;
  unread(hides: Unread['hides'], reason: string, at: SourceSpan): void;
  /** Settings of the session, by name in small letters. */
  readonly settings: Map<string, Value>;
  /** Another name each time, the same for the same code: `t1`. */
  nextAlias(): string;
}

/** Nothing is said of how the target is laid out. */
export const plain: NonNullable<SparkStatement['composed']> = { partitionedBy: [] };

/** What the settings of the session say; absent where they say nothing. */
export function overwritesOfSession({ settings }: SparkWork): OverwriteMode | undefined {
  const value = settings.get('spark.sql.sources.partitionoverwritemode');
  return value && overwriteMode(value);
}

export function overwriteMode(value: Value): OverwriteMode {
  const word = plainText(value)?.toLowerCase();
  return word === 'dynamic' || word === 'static' ? word : 'unknown';
}

const works = new WeakMap<Host, () => SparkWork>();

/** Makes known who is told while a host's program is followed. */
export const tellsOfSpark = (host: Host, work: () => SparkWork): void => void works.set(host, work);

const nobody: SparkWork = { note: () => {}, unread: () => {}, settings: new Map(), nextAlias: () => 't' };

/** Frames may stand in a module that many files import, so none keeps whom it tells. */
export const sparkWorkOf = (run: Interpreter): SparkWork => works.get(run.host)?.() ?? nobody;
