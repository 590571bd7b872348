import type { Span } from '../../../src/core/text/span.ts';

/**
 * Spans of a reading that are outside of the text, turned around, or outside of what holds them. Two places hold what
 * is written elsewhere in the statement: `with` of a statement's query, and the shared source of a multi-insert.
 */
export function misplacedSpans(reading: object, text: string): string[] {
  const found: string[] = [];
  const check = (value: unknown, holder: Span, path: string): void => {
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        check(item, holder, `${path}[${index}]`);
      });
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    let inner = holder;
    if ('start' in value && 'end' in value) {
      const span = value as Span;
      const inside = holder.start <= span.start && span.start <= span.end && span.end <= holder.end;
      if (!inside) found.push(`${path} ${span.start}-${span.end} outside ${holder.start}-${holder.end}`);
      inner = span;
    }
    for (const [key, item] of Object.entries(value)) {
      const elsewhere = key === 'with' || (key === 'from' && path.endsWith('.query'));
      check(item, elsewhere ? holder : inner, `${path}.${key}`);
    }
  };
  check(reading, { start: 0, end: text.length }, 'reading');
  return found.slice(0, 3);
}
