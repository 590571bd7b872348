import { ownColumns, type Term } from './term.ts';

const other = new Set(['*', '/', '^', '**', '%', '||', 'power', 'pow', 'div', '//', '<<', '>>']);

/** Whether a value is the old one with something added or taken off. */
export function isSum(term: Term): boolean {
  if (term.kind !== 'apply' || other.has(term.name)) return false;
  if (term.name === '+' || term.name === '-') return ownColumns(term).size > 0;
  return term.arguments.some(isSum);
}
