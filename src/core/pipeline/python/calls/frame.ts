import type { SourceSpan, Span } from '../../../text/span.ts';
import type { Frame, Value } from '../values/value.ts';

export const spanIn = (frame: Frame, span: Span): SourceSpan => ({
  file: frame.file,
  start: span.start,
  end: span.end,
});

export const sourceOf = (frame: Frame, span: Span): string => frame.text.slice(span.start, span.end);

export function lookUp(frame: Frame, name: string): Value | undefined {
  for (let at: Frame | undefined = frame; at !== undefined; at = at.parent) {
    const value = at.names.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}
