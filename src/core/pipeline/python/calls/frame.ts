import type { SourceSpan, Span } from '../../../text/span.ts';
import type { Frame, Interpreter, Value } from '../values/value.ts';

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

/** Binds a name where the function says that it is: its own, or that of the module or of a function around it. */
export function bindName(frame: Frame, name: string, value: Value, run: Interpreter): void {
  const other = frame.elsewhere?.get(name);
  if (other !== undefined) run.rebind(other, name, value);
  else run.change(frame, () => frame.names.set(name, value));
}

/** `global` and `nonlocal`: where names of the function are from here on. */
export function declareElsewhere(frame: Frame, kind: 'global' | 'nonlocal', names: readonly string[]): void {
  for (const name of names) {
    let found: Frame | undefined = kind === 'global' ? frame.module : frame.parent;
    if (kind === 'nonlocal') while (found !== undefined && !found.names.has(name)) found = found.parent;
    if (found !== undefined) frame.elsewhere?.set(name, found);
  }
}
