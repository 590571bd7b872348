import type { CallArguments, JinjaExpression } from '../../../../template/language/expression.ts';
import { applied, withNames } from '../../../../template/names/expand-names.ts';
import type { TemplateFunction } from '../../../../template/names/template-environment.ts';
import type { CompareOperator } from '../../../../template/python/python-compare.ts';
import { lookUp, sourceOf } from '../../../python/calls/frame.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { childOf, childOfType, type SyntaxNode } from '../../../python/syntax/syntax-tree.ts';
import { appendStringContent, stringParts, stringStart } from '../../../python/values/string-literal.ts';
import { TextBuilder } from '../../../python/values/text-value.ts';
import type { Frame, FunctionValue, Value } from '../../../python/values/value.ts';

/** What a name of the file is in a template; `undefined` when it is nothing that a template has. */
export type NameReader = (value: Value) => JinjaExpression | TemplateFunction | undefined;

const at = { start: 0, end: 0 } as const;
export const literal = (value: string | bigint | number | boolean | null): JinjaExpression => {
  const type =
    value === null
      ? 'none'
      : ({ string: 'string', bigint: 'integer', number: 'float', boolean: 'boolean' } as const)[
          typeof value as 'string' | 'bigint' | 'number' | 'boolean'
        ];
  return { kind: 'literal', type, value, ...at };
};
const filter = (operand: JinjaExpression, name: string): JinjaExpression => ({
  kind: 'filter',
  operand,
  name,
  arguments: { positional: [], keyword: [] },
  ...at,
});

/** Python's built-in functions that are a filter of Jinja2. */
const builtinFilters: Readonly<Record<string, string>> = { str: 'string', len: 'length', abs: 'abs' };
const binaryOperators = ['+', '-', '*', '/', '//', '%'] as const;
const compareOperators: readonly string[] = ['==', '!=', '<', '<=', '>', '>='] satisfies CompareOperator[];

/** Ends the reading of a function: it is not one expression that Jinja2 has, too. */
class NoExpression extends Error {}
const give = (): never => {
  throw new NoExpression();
};

/**
 * A function or lambda whose body is one expression, with single assignments before its `return`, as an expression of
 * its parameters. `undefined` when it does anything else.
 */
export function templateFunction(value: FunctionValue, read: NameReader): TemplateFunction | undefined {
  const { node, frame, defaults } = value;
  const parameters = parametersOf(node, frame);
  if (parameters.some(({ kind, keywordOnly }) => kind !== 'plain' || keywordOnly)) return undefined;
  try {
    const known = new Map(
      parameters.map(({ name }) => [name, { kind: 'name', name, ...at } satisfies JinjaExpression] as const),
    );
    return {
      parameters: parameters.map(({ name }) => {
        const preset = defaults.get(name);
        return { name, fallback: preset === undefined ? undefined : constant(preset, read) };
      }),
      body: bodyOf(node, new Reader(frame, known, read)),
    };
  } catch (error) {
    if (error instanceof NoExpression) return undefined;
    throw error;
  }
}

function constant(value: Value, read: NameReader): JinjaExpression {
  const known = read(value);
  return known === undefined || 'parameters' in known ? give() : known;
}

function bodyOf(node: SyntaxNode, reader: Reader): JinjaExpression {
  const body = childOf(node, 'body') ?? give();
  if (node.type === 'lambda') return reader.expression(body);
  const statements = body.children.filter((statement, index) => index > 0 || !isDocstring(statement));
  for (const statement of statements.slice(0, -1)) reader.assign(statement);
  const last = statements.at(-1);
  return last?.type === 'return_statement' ? reader.expression(last.children[0] ?? give()) : give();
}

const isDocstring = ({ type, children }: SyntaxNode): boolean =>
  type === 'expression_statement' && children[0]?.type === 'string';

class Reader {
  private readonly frame: Frame;
  private known: ReadonlyMap<string, JinjaExpression>;
  private readonly read: NameReader;

  constructor(frame: Frame, known: ReadonlyMap<string, JinjaExpression>, read: NameReader) {
    this.frame = frame;
    this.known = known;
    this.read = read;
  }

  assign(statement: SyntaxNode): void {
    const [assignment] = statement.children;
    const target = assignment?.type === 'assignment' ? childOf(assignment, 'left') : undefined;
    const value = assignment && childOf(assignment, 'right');
    if (target?.type !== 'identifier' || value === undefined) give();
    else this.known = new Map([...this.known, [sourceOf(this.frame, target), this.expression(value)]]);
  }

  expression(node: SyntaxNode): JinjaExpression {
    switch (node.type) {
      case 'identifier':
        return this.name(sourceOf(this.frame, node));
      case 'string':
      case 'concatenated_string':
        return this.text(node);
      case 'integer': {
        const digits = sourceOf(this.frame, node);
        return /^\d+$/.test(digits) ? literal(BigInt(digits)) : give();
      }
      case 'true':
        return literal(true);
      case 'false':
        return literal(false);
      case 'none':
        return literal(null);
      case 'parenthesized_expression':
        return this.expression(node.children[0] ?? give());
      case 'tuple':
      case 'list':
        return { kind: node.type, items: node.children.map((child) => this.expression(child)), ...at };
      case 'attribute':
        return this.attribute(node);
      case 'subscript': {
        const index = this.part(node, 'subscript');
        return index.type === 'slice'
          ? this.slice(node, index)
          : { kind: 'subscript', object: this.value(node, 'value'), index: this.expression(index), ...at };
      }
      case 'call':
        return this.call(node);
      case 'binary_operator': {
        const written = sourceOf(this.frame, this.part(node, 'operator'));
        const operator = binaryOperators.find((candidate) => candidate === written) ?? give();
        return { kind: 'binary', operator, left: this.value(node, 'left'), right: this.value(node, 'right'), ...at };
      }
      case 'boolean_operator': {
        const operator = sourceOf(this.frame, this.part(node, 'operator')) === 'and' ? 'and' : 'or';
        return { kind: 'binary', operator, left: this.value(node, 'left'), right: this.value(node, 'right'), ...at };
      }
      case 'unary_operator':
        return sourceOf(this.frame, node).startsWith('-')
          ? { kind: 'unary', operator: '-', operand: this.value(node, 'argument'), ...at }
          : give();
      case 'not_operator':
        return { kind: 'unary', operator: 'not', operand: this.value(node, 'argument'), ...at };
      case 'comparison_operator':
        return this.comparison(node);
      case 'conditional_expression': {
        const [consequent, condition, alternative] = node.children.map((child) => this.expression(child));
        if (consequent === undefined || condition === undefined || alternative === undefined) return give();
        return { kind: 'conditional', condition, consequent, alternative, ...at };
      }
      default:
        return give();
    }
  }

  private part(node: SyntaxNode, field: string): SyntaxNode {
    return childOf(node, field) ?? give();
  }

  private value(node: SyntaxNode, field: string): JinjaExpression {
    return this.expression(this.part(node, field));
  }

  private name(name: string): JinjaExpression {
    const known = this.known.get(name);
    if (known !== undefined) return known;
    const value = lookUp(this.frame, name);
    return value === undefined ? give() : constant(value, this.read);
  }

  /** `datetime.timedelta` of a module from outside is one name. */
  private attribute(node: SyntaxNode): JinjaExpression {
    const dotted = sourceOf(this.frame, node).split('.');
    const [root = ''] = dotted;
    const module = this.known.has(root) ? undefined : lookUp(this.frame, root);
    if (module?.kind === 'external')
      return constant({ kind: 'external', name: [module.name, ...dotted.slice(1)].join('.') }, this.read);
    const name = sourceOf(this.frame, this.part(node, 'attribute'));
    return withNames({ kind: 'attribute', object: this.value(node, 'object'), name, ...at }, new Map());
  }

  private slice(node: SyntaxNode, index: SyntaxNode): JinjaExpression {
    const [from, to, ...more] = sourceOf(this.frame, index).split(':');
    if (from === undefined || to === undefined || more.length > 0) return give();
    const children = [...index.children];
    const bound = (text: string): JinjaExpression | undefined =>
      text.trim() === '' ? undefined : this.expression(children.shift() ?? give());
    return {
      kind: 'slice',
      object: this.value(node, 'value'),
      from: bound(from),
      to: bound(to),
      step: undefined,
      ...at,
    };
  }

  private call(node: SyntaxNode): JinjaExpression {
    const callee = this.part(node, 'function');
    const given = this.arguments(this.part(node, 'arguments'));
    const [only, ...more] = given.positional;
    if (callee.type === 'identifier') {
      const name = sourceOf(this.frame, callee);
      const value = this.known.has(name) ? undefined : lookUp(this.frame, name);
      const builtin = Object.hasOwn(builtinFilters, name) ? builtinFilters[name] : undefined;
      if (value === undefined && builtin !== undefined && !this.known.has(name))
        return only !== undefined && more.length === 0 && given.keyword.length === 0 ? filter(only, builtin) : give();
      const known = value && this.read(value);
      if (known !== undefined && 'parameters' in known) return applied(known, given) ?? give();
    }
    return { kind: 'call', callee: this.expression(callee), arguments: given, ...at };
  }

  private arguments(list: SyntaxNode): CallArguments {
    if (list.type !== 'argument_list') return give();
    const isKeyword = ({ type }: SyntaxNode): boolean => type === 'keyword_argument';
    return {
      positional: list.children.filter((child) => !isKeyword(child)).map((child) => this.expression(child)),
      keyword: list.children
        .filter(isKeyword)
        .map((child) => ({ name: sourceOf(this.frame, this.part(child, 'name')), value: this.value(child, 'value') })),
    };
  }

  private comparison(node: SyntaxNode): JinjaExpression {
    const operators = node.children.filter(({ field }) => field === 'operators');
    const [first, second, more] = node.children.filter(({ field }) => field !== 'operators');
    const [written] = operators.map((operator) => sourceOf(this.frame, operator));
    if (first === undefined || second === undefined || more !== undefined || operators.length !== 1) return give();
    if (written === undefined || !compareOperators.includes(written)) return give();
    const rest = [{ operator: written as CompareOperator, operand: this.expression(second) }];
    return { kind: 'compare', first: this.expression(first), rest, ...at };
  }

  /** A literal, or an f-string as the texts that stand side by side in it. */
  private text(node: SyntaxNode): JinjaExpression {
    const parts: JinjaExpression[] = [];
    for (const string of node.type === 'concatenated_string' ? node.children : [node]) {
      const { start, parts: inner } = stringParts(string);
      if (start === undefined) return give();
      const style = stringStart(sourceOf(this.frame, start));
      if (style.bytes) return give();
      let from = start.end;
      const constantUpTo = (to: number): void => {
        const builder = new TextBuilder();
        appendStringContent(builder, this.frame.text, this.frame.file, { start: from, end: to }, style);
        parts.push(literal(builder.build().mapped.text));
      };
      for (const part of inner) {
        if (part.type !== 'interpolation') continue;
        constantUpTo(part.start);
        parts.push(this.interpolation(part));
        from = part.end;
      }
      constantUpTo(childOfType(string, 'string_end')?.start ?? string.end);
    }
    const filled = parts.filter((part) => part.kind !== 'literal' || part.value !== '');
    const [first] = filled;
    if (first === undefined) return literal('');
    if (filled.length === 1) return first.kind === 'literal' ? first : filter(first, 'string');
    return { kind: 'concat', parts: filled, ...at };
  }

  private interpolation(part: SyntaxNode): JinjaExpression {
    if (childOf(part, 'type_conversion') !== undefined) return give();
    const value = this.expression(childOf(part, 'expression') ?? part.children[0] ?? give());
    const specifier = childOf(part, 'format_specifier');
    if (specifier === undefined) return value;
    const pattern = sourceOf(this.frame, specifier).slice(1);
    // Only a time has such a format; of anything else it is an error there and refused here.
    if (!pattern.includes('%') || pattern.includes('{')) return give();
    const callee = { kind: 'attribute', object: value, name: 'strftime', ...at } as const;
    return { kind: 'call', callee, arguments: { positional: [literal(pattern)], keyword: [] }, ...at };
  }
}
