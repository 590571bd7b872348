import { unknown } from '../values/make-value.ts';
import { TextBuilder } from '../values/text-value.ts';
import type { Call, InstanceValue, TextValue, Value } from '../values/value.ts';
import { replaceMatches } from './format-text.ts';

/** `string.Template(text).substitute(day=…)`: `$day` and `${day}`. */
export function substituted(self: InstanceValue, name: string, call: Call): Value | undefined {
  if (name !== 'substitute' && name !== 'safe_substitute') return undefined;
  const [template] = self.call.positional;
  return template?.kind === 'text' ? filled(template, /\$(?:\$|(\w+)|\{(\w+)\})/g, call, '$') : undefined;
}

/** `jinja2.Template(text).render(table=…)` where all that the template asks for are names. */
export function renderedTemplate(self: InstanceValue, name: string, call: Call): Value | undefined {
  if (name !== 'render' || !/^jinja2\.(?:\w+\.)*Template$/.test(self.type)) return undefined;
  const [template] = self.call.positional;
  if (template?.kind !== 'text') return undefined;
  return /\{%|\{#|\{\{(?!\s*\w+\s*\}\})/.test(template.mapped.text)
    ? unknown('a Jinja template is rendered with more than names')
    : filled(template, /\{\{\s*(\w+)\s*\}\}/g, call, undefined);
}

function filled(template: TextValue, pattern: RegExp, call: Call, literal: string | undefined): Value {
  const builder = new TextBuilder();
  const [map] = call.positional;
  replaceMatches(builder, template, pattern, call.at, (match) => {
    const key = match[1] ?? match[2];
    if (key === undefined) return literal === undefined ? undefined : { literal };
    const value = call.keywords.get(key)?.value ?? (map?.kind === 'dict' ? map.entries.get(key)?.value : undefined);
    return {
      value: value ?? unknown(`no value is given for ${key}`),
      source: key,
      format: '',
      conversion: '',
    };
  });
  return builder.build();
}
