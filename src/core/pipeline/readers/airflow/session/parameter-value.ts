import { maskTemplate } from '../../../../template/mask/mask.ts';
import type { SymbolicValue, TimeForm } from '../../../../template/names/symbolic-value.ts';
import { listOf, unknown } from '../../../python/values/make-value.ts';
import type { Value } from '../../../python/values/value.ts';
import { hasTemplate, renderedValue } from '../templates/rendered-value.ts';

/**
 * A value among an operator's parameters as what it stands for once its texts are rendered: one expression is its value,
 * and a day with a time behind it (`{{ ds }} 00:00:00`) that time. Other templates are not known.
 */
export function parameterValue(value: Value): Value {
  switch (value.kind) {
    case 'list':
      return listOf(value.items.map(parameterValue), value.tuple, value.open);
    case 'dict':
      return {
        ...value,
        entries: new Map(
          [...value.entries].map(([key, entry]) => [key, { ...entry, value: parameterValue(entry.value) }]),
        ),
      };
    case 'text': {
      const rendered = renderedValue(value);
      if (rendered.kind !== 'text' || !hasTemplate(rendered)) return rendered;
      const symbol = value.holes.length === 0 ? printedTime(value.mapped.text) : undefined;
      return symbol === undefined ? unknown('a text that a template makes') : { kind: 'symbol', symbol };
    }
    default:
      return value;
  }
}

/** A text with one time in it, and nothing else that only the run knows. */
function printedTime(text: string): SymbolicValue | undefined {
  const { holes, tags } = maskTemplate(text, []);
  const [only] = holes;
  if (only === undefined || holes.length > 1 || tags.length > 0 || only.value.kind !== 'time') return undefined;
  const pattern = patternOf(only.value.form);
  const around = [text.slice(0, only.start), text.slice(only.end)].map((part) => part.replaceAll('%', '%%'));
  return pattern === undefined ? undefined : { ...only.value, form: { strftime: around.join(pattern) } };
}

function patternOf(form: TimeForm): string | undefined {
  if (form === 'date') return '%Y-%m-%d';
  if (form === 'basic-date') return '%Y%m%d';
  return typeof form === 'object' ? form.strftime : undefined;
}
