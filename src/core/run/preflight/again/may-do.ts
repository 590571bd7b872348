import { withoutLeadingComments } from '../../../sql/lex/leading-comments.ts';
import type { UnitJob } from '../../unit/unit-job.ts';

/** Code that is called may do anything. */
const called = /^[\s;(]*(?:do|call|execute|select)\b/i;

/** Whether statements of a unit may delete or update rows, as far as their words tell. */
export const mayDo = ({ statements }: Pick<UnitJob, 'statements'>, event: 'delete' | 'update'): boolean =>
  statements.some(
    ({ text }) => called.test(withoutLeadingComments(text)) || new RegExp(`\\b(?:${event}|merge)\\b`, 'i').test(text),
  );
