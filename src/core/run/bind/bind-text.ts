import type { DriverArguments, DriverParameters } from '../../pipeline/model/driver-parameters.ts';
import type { TaskSql } from '../../pipeline/model/model.ts';
import { lex } from '../../sql/lex/lexer.ts';
import { split } from '../../sql/lex/split.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { dictOf, type PythonValue } from '../../template/python/python-value.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { type Bound, bindParameters } from './bind-parameters.ts';

/**
 * A rendered text of SQL with the values of its task in place of the driver's placeholders, for one interval. Where the
 * hook sends each statement by itself, each gets all of the values, and comments are not sent.
 */
export function bindText(sql: TaskSql, text: string, context: TemplateContext): Bound {
  const { parameters } = sql;
  if (parameters === undefined) return { ok: true, text };
  const given = renderedArguments(parameters, context);
  if ('reason' in given) return { ok: false, reason: given.reason, at: 0 };
  if (!parameters.perStatement) return bindParameters(text, given);
  const { tokens } = lex(plainText(text), sql.dialect);
  let result = '';
  let done = 0;
  for (const { from, to } of split(tokens, sql.dialect)) {
    const [start, end] = [tokens[from]?.start ?? done, tokens[to - 1]?.end ?? done];
    let statement = '';
    let at = start;
    // What stands between two tokens and is more than white space is a comment.
    for (const token of tokens.slice(from, to)) {
      statement += withoutPercent(text.slice(at, token.start)) + text.slice(token.start, token.end);
      at = token.end;
    }
    const bound = bindParameters(statement, given);
    if (!bound.ok) return { ...bound, at: start + bound.at };
    result += text.slice(done, start) + bound.text;
    done = end;
  }
  return { ok: true, text: result + text.slice(done) };
}

const withoutPercent = (between: string): string => between.replaceAll('%', ' ');

function renderedArguments(
  { values, environment }: DriverParameters,
  context: TemplateContext,
): DriverArguments | { readonly reason: string } {
  let failed: string | undefined;
  const render = (value: PythonValue): PythonValue => {
    if (typeof value === 'string') {
      const rendered = renderTemplate(value, context, environment);
      if (rendered.ok) return rendered.text;
      failed ??= `${rendered.expression} among its parameters cannot be rendered: ${rendered.reason}`;
      return value;
    }
    if (typeof value !== 'object' || value === null) return value;
    if (value.kind === 'list' || value.kind === 'tuple') return { ...value, items: value.items.map(render) };
    if (value.kind === 'dict')
      return dictOf([...value.entries.values()].map(([key, item]) => [key, render(item)] as const));
    return value;
  };
  const rendered = render(values) as DriverArguments;
  return failed === undefined ? rendered : { reason: failed };
}
