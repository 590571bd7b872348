import type { Position } from './span.ts';

/** Offsets to positions of one text. Lines end at `\n`, `\r\n` or a lone `\r`, as editors count them. */
export interface LineIndex {
  position(offset: number): Position;
  offset(position: Position): number;
}

export function lineIndex(text: string): LineIndex {
  const starts = [0];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) starts.push(i + 1);
  }
  const startOf = (index: number): number => starts[index] ?? text.length;
  return {
    position(offset) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (startOf(middle) <= offset) low = middle;
        else high = middle - 1;
      }
      return { line: low + 1, column: offset - startOf(low) + 1 };
    },
    offset({ line, column }) {
      return Math.min(startOf(line - 1) + column - 1, text.length);
    },
  };
}
