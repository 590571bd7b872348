import type { SourceSpan, TextEdit } from '../../text/span.ts';

export type Severity = 'error' | 'warning' | 'info' | 'hint';

/** One way to mend a finding. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly TextEdit[];
  readonly preferred: boolean;
}

/** Why running a task again could change, double or lose rows, on the exact token. */
export interface Finding {
  /** The rule's name: diagnostic code, setting key, suppression word, page name. */
  readonly rule: string;
  readonly severity: Severity;
  /** What happens on the second run, in one sentence. */
  readonly message: string;
  readonly at: SourceSpan;
  readonly related: readonly { readonly message: string; readonly at: SourceSpan }[];
  readonly fixes: readonly Fix[];
}
