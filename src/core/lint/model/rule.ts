import type { SourceSpan } from '../../text/span.ts';
import type { LintContext } from '../context/lint-context.ts';
import type { StatementView } from '../source/statement-view.ts';
import type { Fix, Severity } from './finding.ts';

/** What a rule says about one place, before severity settings and suppressions. */
export interface RuleFinding {
  /** The mark: never more than the offending token or clause. */
  readonly at: SourceSpan;
  /** What happens on the second run, in one sentence; when something is left open, what would decide it. */
  readonly message: string;
  /** Set where this place is graded otherwise than the rule's default. */
  readonly severity?: Severity;
  /** What is wrong, e.g. the task and the table it writes: findings of one subject have one cause. */
  readonly subject: string;
  /** Statements whose expressions the finding rests on: it is dropped where a full grammar reads one otherwise. */
  readonly restsOn?: readonly StatementView[];
  readonly related?: readonly { readonly message: string; readonly at: SourceSpan }[];
  readonly fixes?: readonly Fix[];
}

/** One bad pattern. Its page, with the examples that test it, lies beside its file. */
export interface Rule {
  /** Kebab-case and stable: diagnostic code, setting key, suppression word, page name. */
  readonly id: string;
  readonly severity: Severity;
  /** The pattern in one line, for lists of rules. */
  readonly summary: string;
  /** How to mend it, in one line. */
  readonly help: string;
  /** Rules that keep silent about a subject of which this, more specific, rule speaks. */
  readonly supersedes: readonly string[];
  /**
   * What shows whether it is so, on the rows of one interval: a second run, or one from an empty slice as well; not where a
   * crash or other intervals matter.
   */
  readonly provable?: 'second run' | 'clean run';
  check(context: LintContext): Iterable<RuleFinding>;
}
