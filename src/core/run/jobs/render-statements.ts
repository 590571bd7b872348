import type { TaskSql } from '../../pipeline/model/model.ts';
import { lex } from '../../sql/lex/lexer.ts';
import { split } from '../../sql/lex/split.ts';
import type { Token } from '../../sql/lex/token.ts';
import type { DialectName } from '../../sql/model/dialect-name.ts';
import { blanked, guardSpans } from '../../sql/names/slice-guard.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { renderTemplate } from '../../template/render/render.ts';
import type { TemplateContext } from '../../template/render/template-context.ts';
import { locate } from '../../text/mapped-text.ts';
import type { Span } from '../../text/span.ts';
import { bindText } from '../bind/bind-text.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { RenderedStatement } from '../unit/unit-job.ts';

/** What a run of ours sends of it: it joins the ledger by itself. */
const ownText = ({ source, masked, reading }: TaskSql): string =>
  blanked(source.text, guardSpans(masked.text, reading.statements));

export interface RenderedSql {
  readonly text: string;
  readonly statements: readonly RenderedStatement[];
}

/**
 * The statements of one SQL text for one interval, exactly as the scheduler would send them, with the values of its
 * parameters as the driver writes them. Refused by name and place: what only Python knows, what the template cannot give
 * exactly, placeholders without a value, and text whose statements cannot be told apart for certain.
 */
export function renderStatements(sql: TaskSql, context: TemplateContext): RenderedSql | JobRefusal {
  const holes = sql.pythonHoles.filter(({ origin }) => origin !== 'parameter');
  const hole = holes.find(({ value }) => value.kind !== 'literal') ?? holes[0];
  if (hole !== undefined) {
    return refusal(
      sql,
      hole,
      `{${hole.source}} gets its value only when Python runs`,
      'use a template expression or a constant',
    );
  }
  const rendered = renderTemplate(ownText(sql), context, sql.environment);
  if (!rendered.ok) {
    const remedy = 'use an expression of the interval, or give the value under variables or params in backfill.yaml';
    return refusal(sql, rendered, `${rendered.expression} cannot be rendered: ${rendered.reason}`, remedy);
  }
  const all: Span = { start: 0, end: sql.source.text.length };
  const bound = bindText(sql, rendered.text, context);
  if (!bound.ok) {
    const remedy = 'mend parameters or the SQL, or write the value into the SQL as a template expression';
    return { ...refusal(sql, all, bound.reason, remedy), at: sql.parameters?.at };
  }
  const { tokens, problems, clientCommands } = lex(plainText(bound.text), sql.dialect);
  const [problem] = problems;
  if (problem !== undefined) {
    return refusal(sql, all, `the rendered SQL cannot be read: ${problem.message}`, 'mend the SQL');
  }
  const [command] = clientCommands;
  if (command !== undefined) {
    const text = bound.text.slice(command.start, command.end).trim();
    const message = `${text} is a command of psql, which a connection does not carry out`;
    return refusal(
      sql,
      sql.reading.clientCommands?.[0] ?? all,
      message,
      'write it as SQL, or as a part of the template',
    );
  }
  const parameter = unfilled(tokens, sql.dialect);
  if (parameter !== undefined) {
    const message = `nothing gives ${parameter.text} a value: the driver takes parameters for %s and %(name)s only`;
    return refusal(sql, all, message, 'give it under parameters, or write it into the SQL as a template expression');
  }
  const statements = cut(bound.text, tokens, sql);
  return 'remedy' in statements ? statements : { text: bound.text, statements };
}

const numbering = /^(prepare|create (or replace )?(function|procedure))\b/i;

function cut(text: string, tokens: readonly Token[], sql: TaskSql): readonly RenderedStatement[] | JobRefusal {
  const ranges = split(tokens, sql.dialect);
  // The reading may cut before a line that begins another statement; a server would not.
  const unseparated = ranges.slice(1).find(({ from }) => tokens[from - 1]?.kind !== 'terminator');
  if (unseparated !== undefined) {
    const word = tokens[unseparated.from]?.text ?? '';
    const all: Span = { start: 0, end: sql.source.text.length };
    return refusal(
      sql,
      all,
      `a semicolon seems to be missing in front of ${word.toUpperCase()}`,
      'separate the statements',
    );
  }
  // As many statements as in the source: then the nth was written where the source's nth stands.
  const guard = guardSpans(sql.masked.text, sql.reading.statements);
  const own = sql.reading.statements.filter(
    ({ start }) => !guard.some((span) => span.start <= start && start < span.end),
  );
  const written = own.length === ranges.length ? own : [];
  return ranges.map(({ from, to }, index) => {
    const source = written[index];
    return {
      text: text.slice(tokens[from]?.start, tokens[to - 1]?.end),
      at: locate(sql.source, source ?? { start: 0, end: sql.source.text.length }),
    };
  });
}

/**
 * The first parameter that nobody fills: `%s`, `%(name)s`, `:name` and `$1` wait for values; `?` is an operator of jsonb, and
 * what PREPARE numbers is given by EXECUTE, what the body of a function does by its call.
 */
function unfilled(tokens: readonly Token[], dialect: DialectName): Token | undefined {
  const waits = ({ kind, text }: Token): boolean => kind === 'parameter' && /^(%|:[a-z_]|\$\d)/i.test(text);
  if (!tokens.some(waits)) return undefined;
  for (const { from, to } of split(tokens, dialect)) {
    const statement = tokens.slice(from, to);
    const isGiven = numbering.test(
      statement
        .slice(0, 4)
        .map(({ text }) => text)
        .join(' '),
    );
    const found = statement.find((token) => waits(token) && !(isGiven && token.text.startsWith('$')));
    if (found !== undefined) return found;
  }
  return undefined;
}

function refusal(sql: TaskSql, span: Span, message: string, remedy: string): JobRefusal {
  return { code: 'not-rendered', message, remedy, at: locate(sql.source, span) };
}

const [open, close] = ['\u0001<', '>\u0001'];

/**
 * A part of a template as it comes out for one interval. The whole template is rendered with the part marked, because
 * a part alone would lack what the template sets before it; `plain` is the whole without marks. `undefined` when it comes out more than once, not at all,
 * or when the marks change anything around it.
 */
export function renderPart(sql: TaskSql, part: Span, plain: string, context: TemplateContext): string | undefined {
  const text = ownText(sql);
  const marked = renderTemplate(
    text.slice(0, part.start) + open + text.slice(part.start, part.end) + close + text.slice(part.end),
    context,
    sql.environment,
  );
  const bound = marked.ok ? bindText(sql, marked.text, context) : undefined;
  if (bound?.ok !== true) return undefined;
  const [before = '', rest, more] = bound.text.split(open);
  if (rest === undefined || more !== undefined) return undefined;
  const [inside = '', after, twice] = rest.split(close);
  if (after === undefined || twice !== undefined) return undefined;
  return before + inside + after === plain ? inside : undefined;
}

/** A predicate without the alias or table name of its target in front of columns, and without comments. */
export function unqualified(predicate: string, names: ReadonlySet<string>, dialect: DialectName): string {
  const { tokens } = lex(plainText(predicate), dialect);
  let result = '';
  let from = 0;
  for (let index = 0; index < tokens.length; ) {
    const dotted = dottedName(tokens, index);
    const qualifier = dotted.slice(0, -1);
    const last = dotted.at(-1);
    const first = tokens[index] as Token;
    const called = tokens[index + 2 * dotted.length - 1]?.text === '(';
    if (
      last !== undefined &&
      qualifier.length > 0 &&
      !called &&
      names.has(qualifier.map(({ text }) => text).join('.'))
    ) {
      result += predicate.slice(from, first.start);
      from = last.start;
    }
    index += Math.max(1, 2 * dotted.length - 1);
  }
  return (result + predicate.slice(from)).trim();
}

/** The identifiers of `a.b.c` from the given token on; empty when it is not one. */
export function dottedName(tokens: readonly Token[], from: number): readonly Token[] {
  const isName = (token: Token | undefined): token is Token => token?.kind === 'word' || token?.kind === 'quoted';
  const parts: Token[] = [];
  for (let index = from; ; index += 2) {
    const token = tokens[index];
    if (!isName(token)) break;
    parts.push(token);
    const dot = tokens[index + 1];
    if (dot?.kind !== 'operator' || dot.text !== '.' || !isName(tokens[index + 2])) break;
  }
  return parts;
}
