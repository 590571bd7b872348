import { maskTemplate } from '../../../../template/mask/mask.ts';
import { wholeFile } from '../../../../text/mapped-text.ts';
import type { FileSet } from '../../../model/model.ts';
import { listOf, unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Value } from '../../../python/values/value.ts';
import { templateFile } from './template-file.ts';

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

/** Whether some text in a value is a template, or part of one. */
export function hasTemplate(value: Value): boolean {
  switch (value.kind) {
    case 'text':
      return /\{[{%#]/.test(value.mapped.text);
    case 'list':
      return value.items.some(hasTemplate);
    case 'dict':
      return [...value.entries.values()].some((entry) => hasTemplate(entry.value));
    default:
      return false;
  }
}

/** As {@link renderedValue} for an operator's field, where a text with one of `endings` names a template file. */
export function renderedField(
  value: Value,
  endings: readonly string[],
  files: FileSet,
  dagFile: string,
  searchPath: Value | undefined,
): Value {
  if (value.kind === 'list')
    return listOf(
      value.items.map((item) => renderedField(item, endings, files, dagFile, searchPath)),
      value.tuple,
      value.open,
    );
  const path = plainText(value);
  if (path === undefined || !endings.some((ending) => path.endsWith(ending))) return renderedValue(value);
  const file = templateFile(files, path, dagFile, searchPath);
  const text = file === undefined ? undefined : files.read(file);
  return file === undefined || text === undefined
    ? unknown(`the file ${path} is not in the workspace`)
    : { kind: 'text', mapped: wholeFile(file, text), holes: [], clocks: [] };
}
