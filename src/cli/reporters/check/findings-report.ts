import type { Finding } from '../../../core/lint/model/finding.ts';
import type { Problem } from '../../../core/text/span.ts';

/** What `check` hands to a reporter. Files are relative to the folder that was given, with `/`. */
export interface FindingsReport {
  readonly findings: readonly Finding[];
  readonly problems: readonly Problem[];
  readonly filesRead: number;
  /** How to mend a rule's findings, in one line. */
  help(rule: string): string;
  text(file: string): string | undefined;
}
