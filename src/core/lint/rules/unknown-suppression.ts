import type { Rule, RuleFinding } from '../model/rule.ts';
import type { Suppressions } from '../source/suppressions.ts';

/** Speaks about comments rather than statements, so the runner calls it while it reads the suppressions. */
export function unknownSuppressionFinding({ at, word }: Suppressions['unknown'][number]): RuleFinding {
  return {
    at,
    subject: `${at.file} ${at.start}`,
    message:
      word === ''
        ? 'This comment names no rule, so it suppresses nothing.'
        : `"${word}" is not a rule, so this word suppresses nothing; a reason goes after a colon.`,
  };
}

export default {
  id: 'unknown-suppression',
  severity: 'warning',
  summary: 'A suppression that names no rule',
  help: 'Name a rule: `backfill-disable-next-line plain-insert: reason`.',
  supersedes: [],
  check: () => [],
} satisfies Rule;
