import type { Task } from '../../pipeline/model/model.ts';

const marks = /^(Empty|Dummy)Operator$/;

/** A task that does nothing, and waits for nothing but its place. */
export const marksOnly = ({ operator }: Pick<Task, 'operator'>): boolean => marks.test(operator);
