import type { Span } from '../../text/span.ts';
import { pythonWhitespace } from '../python/python-value.ts';
import { refuse } from '../python/refusal.ts';
import { trimEnd, trimStart } from '../python/text-methods.ts';
import type { JinjaExpression } from './expression.ts';
import { type ExpressionParser, parsing } from './parse-expression.ts';
import { scanTemplate, type TemplateSegment } from './scan-template.ts';

/** A target of `for` or `set`: one name, or several that a tuple is unpacked into. */
export interface Target {
  readonly names: readonly string[];
  readonly unpacks: boolean;
  /** `set ns.name = …`. */
  readonly attribute: string | undefined;
}

/** A part of a template; `at` is the inside of its tag in the template's text. */
export type TemplateNode =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: JinjaExpression; readonly at: Span }
  | { readonly kind: 'do'; readonly value: JinjaExpression; readonly at: Span }
  | {
      readonly kind: 'if';
      /** The last branch has no condition when it is an `else`. */
      readonly branches: readonly {
        readonly condition: JinjaExpression | undefined;
        readonly body: readonly TemplateNode[];
        readonly at: Span;
      }[];
    }
  | {
      readonly kind: 'for';
      readonly target: Target;
      readonly items: JinjaExpression;
      readonly condition: JinjaExpression | undefined;
      readonly body: readonly TemplateNode[];
      readonly otherwise: readonly TemplateNode[];
      readonly at: Span;
    }
  | { readonly kind: 'set'; readonly target: Target; readonly value: JinjaExpression; readonly at: Span }
  /** `{% set x | upper %}…{% endset %}` and `{% filter upper %}…`: `filtered` is an expression of the name `body`. */
  | {
      readonly kind: 'capture';
      readonly name: string | undefined;
      readonly filtered: JinjaExpression;
      readonly body: readonly TemplateNode[];
      readonly at: Span;
    }
  | {
      readonly kind: 'with';
      readonly assignments: readonly { readonly target: Target; readonly value: JinjaExpression }[];
      readonly body: readonly TemplateNode[];
      readonly at: Span;
    }
  | {
      readonly kind: 'import';
      readonly path: string;
      /** The module as a whole, or some of its names under names of this template. */
      readonly names: string | readonly { readonly name: string; readonly as: string }[];
      readonly withContext: boolean;
      readonly at: Span;
    }
  | {
      readonly kind: 'macro';
      readonly name: string;
      readonly parameters: readonly { readonly name: string; readonly fallback: JinjaExpression | undefined }[];
      readonly body: readonly TemplateNode[];
      readonly at: Span;
    };

/** The name that stands for the rendered body in `capture.filtered`. */
export const capturedName = 'body';

/** Names that cannot be assigned. */
const constants: ReadonlySet<string> = new Set(['true', 'false', 'none', 'True', 'False', 'None']);
const deepestNesting = 100;

/** Parses a template whose newlines are `\n` already. Refuses, with the place, what Jinja2 rejects and what is not supported. */
export function parseTemplate(text: string): readonly TemplateNode[] {
  const reader = new BlockReader(text, scanTemplate(text));
  const nodes = reader.nodes([], 0);
  return nodes;
}

interface Keyword {
  readonly keyword: string;
  /** The offset behind the keyword. */
  readonly rest: number;
  readonly inner: Span;
}

class BlockReader {
  private next = 0;
  private readonly text: string;
  private readonly segments: readonly TemplateSegment[];

  constructor(text: string, segments: readonly TemplateSegment[]) {
    this.text = text;
    this.segments = segments;
  }

  /** Nodes up to a tag with one of the keywords, which is left to the caller, or to the end of the template. */
  nodes(until: readonly string[], depth: number): readonly TemplateNode[] {
    const nodes: TemplateNode[] = [];
    for (let segment = this.segments[this.next]; segment !== undefined; segment = this.segments[this.next]) {
      if (segment.kind === 'tag') {
        const tag = this.keyword(segment.inner);
        if (until.includes(tag.keyword)) return nodes;
        if (depth >= deepestNesting) return refuse('blocks nested too deeply', segment.inner);
        this.next++;
        nodes.push(...this.statement(tag, depth + 1));
        continue;
      }
      this.next++;
      if (segment.kind === 'broken') return refuse(segment.message, segment);
      if (segment.kind === 'expression')
        nodes.push({
          kind: 'output',
          value: this.grammar(segment.inner, segment.inner.start, (parser) => parser.tupleOrExpression()),
          at: segment.inner,
        });
      else if (segment.kind === 'raw') {
        const content = this.text.slice(segment.inner.start, segment.inner.end);
        const started = segment.trimsStart ? trimStart(content) : content;
        nodes.push({ kind: 'text', text: segment.trimsEnd ? trimEnd(started) : started });
      } else if (segment.kind === 'text') nodes.push({ kind: 'text', text: this.trimmed(this.next - 1, segment) });
    }
    if (until.length > 0)
      return refuse(`"{% ${until.at(-1)} %}" is missing`, { start: this.text.length, end: this.text.length });
    return nodes;
  }

  private trimmed(index: number, { start, end }: Span): string {
    let text = this.text.slice(start, end);
    if (this.segments[index - 1]?.stripsAfter) text = trimStart(text);
    if (this.segments[index + 1]?.stripsBefore) text = trimEnd(text);
    return text;
  }

  private keyword(inner: Span): Keyword {
    const found = new RegExp(`^[${pythonWhitespace}]*(\\w+)`).exec(this.text.slice(inner.start, inner.end));
    if (found === null) return refuse('a tag without a keyword', inner);
    return { keyword: found[1] ?? '', rest: inner.start + found[0].length, inner };
  }

  private grammar<T>(inner: Span, from: number, grammar: (parser: ExpressionParser) => T): T {
    const parsed = parsing(this.text.slice(from, inner.end), (parser) => {
      const value = grammar(parser);
      parser.expectEnd();
      return value;
    });
    return parsed.ok ? parsed.value : refuse(`cannot be read: ${parsed.message}`, inner);
  }

  private statement(tag: Keyword, depth: number): readonly TemplateNode[] {
    const { keyword, inner, rest } = tag;
    switch (keyword) {
      case 'if':
        return [this.branches(tag, depth)];
      case 'for':
        return [this.loop(tag, depth)];
      case 'set':
        return [this.assignment(tag, depth)];
      case 'do':
        return [{ kind: 'do', value: this.grammar(inner, rest, (parser) => parser.tupleOrExpression()), at: inner }];
      case 'with': {
        const assignments = this.grammar(inner, rest, withAssignments);
        return [{ kind: 'with', assignments, body: this.body('endwith', depth), at: inner }];
      }
      case 'filter': {
        const filtered = this.filtersFrom(inner, `|${this.text.slice(rest, inner.end)}`);
        return [{ kind: 'capture', name: undefined, filtered, body: this.body('endfilter', depth), at: inner }];
      }
      case 'macro': {
        const { name, parameters } = this.grammar(inner, rest, macroHead);
        return [{ kind: 'macro', name, parameters, body: this.body('endmacro', depth), at: inner }];
      }
      case 'import':
      case 'from':
        return [
          { kind: 'import', ...this.grammar(inner, rest, keyword === 'import' ? importHead : fromHead), at: inner },
        ];
      default:
        return refuse(`the tag "${keyword}" is not supported`, inner);
    }
  }

  /** Nodes up to the closing tag, which must hold nothing but its keyword. */
  private body(closing: string, depth: number): readonly TemplateNode[] {
    const body = this.nodes([closing], depth);
    this.close();
    return body;
  }

  private close(): Keyword {
    const segment = this.segments[this.next++];
    const tag = segment?.kind === 'tag' ? this.keyword(segment.inner) : refuse('a block is not closed');
    if (tag.keyword !== 'elif' && tag.keyword !== 'endmacro') this.grammar(tag.inner, tag.rest, () => undefined);
    return tag;
  }

  private branches(opening: Keyword, depth: number): TemplateNode {
    const branches: { condition: JinjaExpression | undefined; body: readonly TemplateNode[]; at: Span }[] = [];
    for (let tag = opening; ; ) {
      const isElse = tag.keyword === 'else';
      const condition = isElse
        ? undefined
        : this.grammar(tag.inner, tag.rest, (parser) => parser.tupleOrExpression(false));
      const body = this.nodes(isElse ? ['endif'] : ['elif', 'else', 'endif'], depth);
      branches.push({ condition, body, at: tag.inner });
      tag = this.close();
      if (tag.keyword === 'endif') return { kind: 'if', branches };
    }
  }

  private loop({ inner, rest }: Keyword, depth: number): TemplateNode {
    const head = this.grammar(inner, rest, (parser) => {
      const target = targetOf(parser);
      parser.expect('in');
      const items = parser.tupleOrExpression(false);
      const condition = parser.take('if') ? parser.expression() : undefined;
      return { target, items, condition };
    });
    const body = this.nodes(['else', 'endfor'], depth);
    const otherwise = this.close().keyword === 'else' ? this.body('endfor', depth) : [];
    return { kind: 'for', ...head, body, otherwise, at: inner };
  }

  private assignment({ inner, rest }: Keyword, depth: number): TemplateNode {
    const source = this.text.slice(rest, inner.end);
    const block = /^\s*(\w+)\s*(\|[\s\S]*)?$/.exec(source);
    if (block !== null) {
      const [, name = '', filters = ''] = block;
      if (constants.has(name) || /^\d/.test(name)) return refuse(`"${name}" cannot be set`, inner);
      return {
        kind: 'capture',
        name,
        filtered: this.filtersFrom(inner, filters),
        body: this.body('endset', depth),
        at: inner,
      };
    }
    return this.grammar(inner, rest, (parser) => {
      const target = targetOf(parser);
      parser.expect('=');
      return { kind: 'set', target, value: parser.tupleOrExpression(), at: inner };
    });
  }

  private filtersFrom(inner: Span, filters: string): JinjaExpression {
    const parsed = parsing(capturedName + filters, (parser) => {
      const value = parser.expression();
      parser.expectEnd();
      return value;
    });
    return parsed.ok ? parsed.value : refuse(`cannot be read: ${parsed.message}`, inner);
  }
}

function targetOf(parser: ExpressionParser): Target {
  const names = [assignable(parser)];
  const [first = ''] = names;
  if (parser.take('.')) return { names: [first], unpacks: false, attribute: parser.name() };
  let unpacks = false;
  while (parser.take(',')) {
    unpacks = true;
    if (parser.isName('in') || parser.isOperator('=')) break;
    names.push(assignable(parser));
  }
  return { names, unpacks, attribute: undefined };
}

function assignable(parser: ExpressionParser): string {
  const name = parser.name();
  if (constants.has(name)) parser.fail(`"${name}" cannot be set`);
  return name;
}

function withAssignments(parser: ExpressionParser): readonly { target: Target; value: JinjaExpression }[] {
  const assignments: { target: Target; value: JinjaExpression }[] = [];
  while (!parser.atEnd()) {
    if (assignments.length > 0) parser.expect(',');
    const target = { names: [assignable(parser)], unpacks: false, attribute: undefined };
    parser.expect('=');
    assignments.push({ target, value: parser.expression() });
  }
  return assignments;
}

type ImportHead = Pick<TemplateNode & { kind: 'import' }, 'path' | 'names' | 'withContext'>;

function importHead(parser: ExpressionParser): ImportHead {
  const path = templatePath(parser);
  parser.expect('as');
  return { path, names: assignable(parser), withContext: takesContext(parser) };
}

function fromHead(parser: ExpressionParser): ImportHead {
  const path = templatePath(parser);
  parser.expect('import');
  const names: { name: string; as: string }[] = [];
  for (;;) {
    if (names.length > 0 && (parser.isName('with') || parser.isName('without'))) break;
    const name = assignable(parser);
    if (name.startsWith('_')) parser.fail('names that begin with an underscore cannot be imported');
    names.push({ name, as: parser.take('as') ? assignable(parser) : name });
    if (!parser.take(',')) break;
  }
  return { path, names, withContext: takesContext(parser) };
}

function templatePath(parser: ExpressionParser): string {
  const path = parser.expression();
  return path.kind === 'literal' && typeof path.value === 'string'
    ? path.value
    : parser.fail('the path of a template that is not constant');
}

function takesContext(parser: ExpressionParser): boolean {
  const given = parser.take('with') ? true : parser.take('without') ? false : undefined;
  if (given !== undefined) parser.expect('context');
  return given ?? false;
}

function macroHead(parser: ExpressionParser) {
  const name = assignable(parser);
  const parameters: { name: string; fallback: JinjaExpression | undefined }[] = [];
  parser.expect('(');
  while (!parser.take(')')) {
    if (parameters.length > 0) parser.expect(',');
    const parameter = assignable(parser);
    const fallback = parser.take('=') ? parser.expression() : undefined;
    if (fallback === undefined && parameters.some((other) => other.fallback !== undefined))
      parser.fail('a parameter without a default follows one with');
    parameters.push({ name: parameter, fallback });
  }
  return { name, parameters };
}
