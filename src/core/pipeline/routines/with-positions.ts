import { joined, partOf, type TextPart } from './text-part.ts';

/** `$1` and its kind are the values that are given to a text where it is run. */
export function withPositions(text: TextPart, values: readonly TextPart[]): TextPart {
  const parts: TextPart[] = [];
  let at = 0;
  const slice = (start: number, end: number): TextPart =>
    partOf({ source: text, pythonHoles: text.holes }, { start, end });
  for (const { 0: mark, 1: position, index } of text.text.matchAll(/\$(\d+)/g)) {
    const value = values[Number(position) - 1];
    const isInHole = text.holes.some((hole) => hole.start < index + mark.length && index < hole.end);
    if (value === undefined || isInHole) continue;
    parts.push(slice(at, index), value);
    at = index + mark.length;
  }
  return joined([...parts, slice(at, text.text.length)]);
}
