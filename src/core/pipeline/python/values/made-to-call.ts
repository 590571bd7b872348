import type { Value } from './value.ts';

/** A function or a class, also under a decorator of the reader; a task, which calls nothing, is none. */
export const isMadeToCall = (value: Value): boolean =>
  value.kind === 'function' ||
  value.kind === 'class' ||
  (value.kind === 'host' && value.host.call !== undefined && value.host.type.endsWith('-function'));
