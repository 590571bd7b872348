import type { TokenRange } from '../lex/split.ts';
import type { Token } from '../lex/token.ts';

const opening = new Set(['if', 'case', 'loop', 'while', 'for', 'foreach', 'repeat']);
const loopEnds = new Set(['if', 'case', 'loop', 'while', 'for', 'repeat']);
const structure = new Set(['begin', 'end', 'else', 'elseif', 'elsif', 'when', 'exception', 'until', ...opening]);

export interface ScriptPart {
  readonly range: TokenRange;
  /** Inside of a branch, a loop or a handler. */
  readonly conditional: boolean;
  /** BEGIN, END, IF … THEN and the like: no statement by itself. */
  readonly structure: boolean;
}

/** Follows the blocks through the ranges of a script. A block that is closed once too often changes nothing. */
export function followControlFlow(tokens: readonly Token[], ranges: readonly TokenRange[]): readonly ScriptPart[] {
  // For every open block whether its statements may be passed by.
  const open: boolean[] = [];
  let passable = 0;
  const push = (block: boolean): void => {
    open.push(block);
    if (block) passable++;
  };
  // SQL Server has no THEN and no END IF: what one part alone, or the block that it opens, hangs on.
  let hangs = false;
  return ranges.map((range) => {
    const at = labelEnd(tokens, range);
    const word = wordIn(tokens, at, range);
    const next = wordIn(tokens, at + 1, range);
    const last = wordIn(tokens, range.to - 1, range);
    if (word === 'end' && open.pop() === true) passable--;
    const catches = word === 'begin' && next === 'catch';
    const block = range.to === at + 1 || (range.to === at + 2 && (next === 'try' || next === 'catch'));
    const conditional = passable > 0 || hangs;
    const waits = hangs;
    hangs = (word === 'if' || word === 'while' || word === 'else') && !heads.has(last);
    if (word === 'begin' && block) push(catches || waits);
    else if (word === 'declare' && last === 'begin') push(true);
    else if (opening.has(word) && heads.has(last)) push(true);
    else if (word === 'exception' && open.at(-1) === false) {
      open.pop();
      push(true);
    }
    const transaction = !block && (word === 'begin' || (word === 'end' && next !== '' && !loopEnds.has(next)));
    return { range, conditional, structure: structure.has(word) && !transaction };
  });
}

/** Last words of a head. */
const heads = new Set(['then', 'do', 'loop', 'repeat']);

function labelEnd(tokens: readonly Token[], { from, to }: TokenRange): number {
  if (tokens[from]?.text === '<<' && from + 3 < to) return from + 3;
  return tokens[from + 1]?.text === ':' && from + 2 < to ? from + 2 : from;
}

const wordIn = (tokens: readonly Token[], index: number, { from, to }: TokenRange): string => {
  const here = index >= from && index < to ? tokens[index] : undefined;
  return here?.kind === 'word' ? here.text : '';
};
