import { formatted } from './datetime-methods.ts';
import { isObject, itemsOf, type PythonArguments, type PythonValue, str, typeName } from './python-value.ts';
import { refuse } from './refusal.ts';

/** `'%s-%02d' % values`: `%s`, `%d` with a zero-padded or plain width, `%%`; the rest is refused. */
export function percentFormat(format: string, values: PythonValue): string {
  const items = isObject(values) && values.kind === 'tuple' ? [...values.items] : [values];
  if (isObject(values) && values.kind === 'dict') return refuse('"%" with a mapping');
  const text = format.replace(
    /%(?:(0?)([1-9]\d?)?([sd%])|[\s\S]?)/g,
    (whole, zero: string | undefined, width: string | undefined, type: string | undefined) => {
      if (type === undefined || (type === '%' && whole !== '%%') || (type === 's' && zero === '0'))
        return refuse(`the format "${whole}"`);
      if (type === '%') return '%';
      const [value] = items.splice(0, 1);
      if (value === undefined) return refuse('too few values for the format');
      if (type === 's') return str(value).padStart(Number(width ?? 0));
      return integerText(value, zero === '0', Number(width ?? 0));
    },
  );
  return items.length > 0 ? refuse('too many values for the format') : text;
}

function integerText(value: PythonValue, zero: boolean, width: number): string {
  if (typeof value !== 'bigint') return refuse(`a ${typeName(value)} is formatted as a whole number`);
  const digits = (value < 0n ? -value : value).toString();
  const sign = value < 0n ? '-' : '';
  return zero ? sign + digits.padStart(width - sign.length, '0') : (sign + digits).padStart(width);
}

/** `'{} {0} {name:02d}'.format(…)` for the plain cases. */
export function braceFormat(format: string, values: PythonArguments): string {
  let automatic = 0;
  let numbered = false;
  return format.replace(/\{\{|\}\}|\{([^{}]*)\}|[{}]/g, (whole, field: string | undefined) => {
    if (whole === '{{' || whole === '}}') return whole.charAt(0);
    const [, name, specification = ''] = /^(\w*)(?::(.*))?$/s.exec(field ?? '!') ?? refuse(`the format "${whole}"`);
    if (name === '') automatic++;
    else if (/^\d+$/.test(name ?? '')) numbered = true;
    if (automatic > 0 && numbered) return refuse('a format that counts its fields in two ways');
    const value =
      name === ''
        ? values.positional[automatic - 1]
        : /^\d+$/.test(name ?? '')
          ? values.positional[Number(name)]
          : values.keyword.get(name ?? '');
    return value === undefined ? refuse(`no value for the format "${whole}"`) : fieldText(value, specification);
  });
}

function fieldText(value: PythonValue, specification: string): string {
  if (specification === '') return str(value);
  if (isObject(value) && value.kind === 'datetime' && specification.includes('%'))
    return formatted(value.reading, specification);
  const integer = /^(0?)([1-9]\d?)?d?$/.exec(specification);
  if (integer !== null && typeof value === 'bigint')
    return integerText(value, integer[1] === '0', Number(integer[2] ?? 0));
  const aligned = /^([<>])([1-9]\d?)s?$/.exec(specification);
  if (aligned !== null && typeof value === 'string') {
    const missing = ' '.repeat(Math.max(0, Number(aligned[2]) - [...value].length));
    return aligned[1] === '<' ? value + missing : missing + value;
  }
  return refuse(`the format ":${specification}"`);
}

/** `separator.join(items)`; `strict`: Python's own, which takes texts only. */
export function join(separator: string, value: PythonValue, strict: boolean): string {
  return itemsOf(value)
    .map((item) => (strict && typeof item !== 'string' ? refuse(`join() of a ${typeName(item)}`) : str(item)))
    .join(separator);
}
