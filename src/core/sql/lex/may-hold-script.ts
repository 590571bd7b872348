import type { Token } from './token.ts';

const introducing = new Set(['immediate', 'execute', 'call', '||']);
const called = new Set(['unload', 'immediate', 'execute', 'call']);
const routines = new Set(['function', 'procedure', 'task', 'alert', 'macro']);

/** Whether a string that stands here, behind the tokens so far, may hold a whole script on purpose. */
export function mayHoldScript(tokens: readonly Token[], statementStart: number): boolean {
  const last = tokens[tokens.length - 1]?.text ?? '';
  if (introducing.has(last) || (last === 'do' && tokens.length - 1 === statementStart)) return true;
  if (last === '(') return called.has(tokens[tokens.length - 2]?.text ?? '');
  if (last !== 'as') return false;
  return tokens
    .slice(statementStart, statementStart + 14)
    .some((here) => here.kind === 'word' && routines.has(here.text));
}
