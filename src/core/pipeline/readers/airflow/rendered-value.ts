import { maskTemplate } from '../../../template/mask.ts';
import { listOf, type Value } from '../../python/value.ts';

/**
 * The value that a templated argument has when the task runs: a text that is one template expression is the value of
 * that expression, and so are the items of a list or dict; other texts stay templates.
 */
export function renderedValue(value: Value): Value {
  switch (value.kind) {
    case 'text': {
      const text = value.mapped.text.trim();
      if (value.holes.length > 0 || !/^\{\{[\s\S]*\}\}$/.test(text)) return value;
      const { holes } = maskTemplate(text, []);
      const [only] = holes;
      return holes.length === 1 && only !== undefined && only.start === 0 && only.end === text.length
        ? { kind: 'symbol', symbol: only.value }
        : value;
    }
    case 'list':
      return listOf(value.items.map(renderedValue), value.tuple, value.open);
    case 'dict':
      return {
        ...value,
        entries: new Map(
          [...value.entries].map(([key, entry]) => [key, { ...entry, value: renderedValue(entry.value) }]),
        ),
      };
    default:
      return value;
  }
}
