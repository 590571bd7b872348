import type { CompareOperator } from '../python/python-compare.ts';
import type { CallArguments, JinjaExpression, KeywordArgument } from './expression.ts';
import { type ExpressionToken, tokenAt } from './expression-tokens.ts';

/** What was read, or why and where it could not be. */
export type Parsed<T> =
  | { readonly ok: true; readonly value: T; readonly end: number }
  | { readonly ok: false; readonly message: string; readonly at: number };

const compareOperators: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
/** Names that end an expression rather than stand for a value. */
const reserved: ReadonlySet<string> = new Set(['and', 'or', 'not', 'if', 'else', 'in', 'is']);
/** Deeper nesting than any person writes; keeps hostile input from exhausting the stack. */
const deepest = 200;
/** Longest chain of operators, filters or attributes, for the same reason. */
const longestChain = 1000;

class ExpressionError extends Error {
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Parses a whole expression (`ds`, `a, b`, `x if y else z`); anything left over is an error. */
export function parseExpression(source: string): Parsed<JinjaExpression> {
  return parsing(source, (parser) => {
    const value = parser.tupleOrExpression();
    parser.expectEnd();
    return value;
  });
}

/** Runs a grammar of its own over the tokens of an expression, e.g. `for x in y if z`. Never throws on bad input. */
export function parsing<T>(source: string, grammar: (parser: ExpressionParser) => T): Parsed<T> {
  const parser = new ExpressionParser(source);
  try {
    return { ok: true, value: grammar(parser), end: parser.position };
  } catch (error) {
    if (error instanceof ExpressionError) return { ok: false, message: error.message, at: error.at };
    throw error;
  }
}

/** Recursive descent with the precedences of Jinja2's own parser. */
export class ExpressionParser {
  private readonly tokens: ExpressionToken[] = [];
  private next = 0;
  private depth = 0;
  private links = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  get position(): number {
    const token = this.peek();
    return token === undefined ? this.source.length : token.start;
  }

  fail(message: string, at = this.position): never {
    throw new ExpressionError(message, at);
  }

  peek(ahead = 0): ExpressionToken | undefined {
    while (this.tokens.length <= this.next + ahead) {
      const from = this.tokens.at(-1)?.end ?? 0;
      const token = tokenAt(this.source, from);
      if (token === 'end') return undefined;
      if (token === undefined) throw new ExpressionError('unexpected character', from);
      this.tokens.push(token);
    }
    return this.tokens[this.next + ahead];
  }

  isOperator(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token?.kind === 'operator' && token.text === text;
  }

  isName(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token?.kind === 'name' && token.text === text;
  }

  take(text: string): boolean {
    if (!this.isOperator(text) && !this.isName(text)) return false;
    this.next++;
    return true;
  }

  expect(text: string): void {
    if (!this.take(text)) this.fail(`expected "${text}"`);
  }

  name(): string {
    const token = this.peek();
    if (token?.kind !== 'name') this.fail('expected a name');
    this.next++;
    return token.text;
  }

  atEnd(): boolean {
    return this.peek() === undefined;
  }

  expectEnd(): void {
    const token = this.peek();
    if (token !== undefined) this.fail(`unexpected "${token.text}"`, token.start);
  }

  private lastEnd(): number {
    return this.tokens[this.next - 1]?.end ?? 0;
  }

  tupleOrExpression(withCondition = true): JinjaExpression {
    const start = this.position;
    const first = withCondition ? this.expression() : this.orExpression();
    if (!this.isOperator(',')) return first;
    const items = [first];
    while (this.take(',')) {
      if (this.endsTuple()) break;
      items.push(withCondition ? this.expression() : this.orExpression());
    }
    return { kind: 'tuple', items, start, end: this.lastEnd() };
  }

  private endsTuple(): boolean {
    const token = this.peek();
    return (
      token === undefined || (token.kind === 'operator' && token.text === ')') || this.isName('in') || this.isName('if')
    );
  }

  expression(): JinjaExpression {
    if (++this.depth > deepest) this.fail('nested too deeply');
    const start = this.position;
    let value = this.orExpression();
    while (this.take('if')) {
      this.link();
      const condition = this.orExpression();
      const alternative = this.take('else') ? this.expression() : undefined;
      value = { kind: 'conditional', condition, consequent: value, alternative, start, end: this.lastEnd() };
    }
    this.depth--;
    return value;
  }

  orExpression(): JinjaExpression {
    return this.leftBinary(() => this.andExpression(), ['or']);
  }

  private andExpression(): JinjaExpression {
    return this.leftBinary(() => this.notExpression(), ['and']);
  }

  private notExpression(): JinjaExpression {
    const start = this.position;
    if (!this.isName('not')) return this.comparison();
    if (++this.depth > deepest) this.fail('nested too deeply');
    this.next++;
    const operand = this.notExpression();
    this.depth--;
    return { kind: 'unary', operator: 'not', operand, start, end: this.lastEnd() };
  }

  private comparison(): JinjaExpression {
    const start = this.position;
    const first = this.sum();
    const rest: { operator: CompareOperator; operand: JinjaExpression }[] = [];
    for (;;) {
      const token = this.peek();
      if (token?.kind === 'operator' && compareOperators.has(token.text)) {
        this.next++;
        rest.push({ operator: token.text as CompareOperator, operand: this.sum() });
      } else if (this.take('in')) rest.push({ operator: 'in', operand: this.sum() });
      else if (this.isName('not') && this.isName('in', 1)) {
        this.next += 2;
        rest.push({ operator: 'not in', operand: this.sum() });
      } else break;
    }
    return rest.length === 0 ? first : { kind: 'compare', first, rest, start, end: this.lastEnd() };
  }

  private sum(): JinjaExpression {
    return this.leftBinary(() => this.concatenation(), ['+', '-']);
  }

  private concatenation(): JinjaExpression {
    const start = this.position;
    const parts = [this.product()];
    while (this.take('~')) parts.push(this.product());
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : { kind: 'concat', parts, start, end: this.lastEnd() };
  }

  private product(): JinjaExpression {
    return this.leftBinary(() => this.power(), ['*', '/', '//', '%']);
  }

  private power(): JinjaExpression {
    return this.leftBinary(() => this.unary(true), ['**']);
  }

  private link(): void {
    if (++this.links > longestChain) this.fail('the expression is too long');
  }

  private leftBinary(
    operand: () => JinjaExpression,
    operators: readonly (JinjaExpression & { kind: 'binary' })['operator'][],
  ): JinjaExpression {
    const start = this.position;
    let left = operand();
    for (;;) {
      const operator = operators.find((text) => this.isOperator(text) || this.isName(text));
      if (operator === undefined) return left;
      this.link();
      this.next++;
      left = { kind: 'binary', operator, left, right: operand(), start, end: this.lastEnd() };
    }
  }

  private unary(withFilters: boolean): JinjaExpression {
    if (++this.depth > deepest) this.fail('nested too deeply');
    const start = this.position;
    let value: JinjaExpression;
    if (this.isOperator('-') || this.isOperator('+')) {
      const operator = this.isOperator('-') ? '-' : '+';
      this.next++;
      const operand = this.unary(false);
      value = { kind: 'unary', operator, operand, start, end: this.lastEnd() };
    } else value = this.primary();
    value = this.postfix(value, start);
    if (withFilters) value = this.filters(value, start);
    this.depth--;
    return value;
  }

  private primary(): JinjaExpression {
    const token = this.peek();
    if (token === undefined) this.fail('the expression ends too early');
    const { start } = token;
    if (token.kind === 'string') {
      let value = '';
      for (let part = this.peek(); part?.kind === 'string'; part = this.peek()) {
        value += part.value;
        this.next++;
      }
      return { kind: 'literal', type: 'string', value, start, end: this.lastEnd() };
    }
    if (token.kind === 'operator') return this.bracketed(token);
    this.next++;
    const { end } = token;
    if (token.kind === 'integer' || token.kind === 'float')
      return { kind: 'literal', type: token.kind, value: token.value, start, end };
    if (/^(?:true|True|false|False)$/.test(token.text))
      return { kind: 'literal', type: 'boolean', value: /^t/i.test(token.text), start, end };
    if (/^(?:none|None)$/.test(token.text)) return { kind: 'literal', type: 'none', value: null, start, end };
    if (reserved.has(token.text)) this.fail(`unexpected "${token.text}"`, start);
    return { kind: 'name', name: token.text, start, end };
  }

  private bracketed(token: ExpressionToken): JinjaExpression {
    const { start } = token;
    if (this.take('(')) {
      if (this.take(')')) return { kind: 'tuple', items: [], start, end: this.lastEnd() };
      const inner = this.tupleOrExpression();
      this.expect(')');
      return inner;
    }
    if (this.take('[')) {
      const items: JinjaExpression[] = [];
      while (!this.take(']')) {
        if (items.length > 0) this.expect(',');
        if (this.take(']')) break;
        items.push(this.expression());
      }
      return { kind: 'list', items, start, end: this.lastEnd() };
    }
    if (this.take('{')) {
      const entries: (readonly [JinjaExpression, JinjaExpression])[] = [];
      while (!this.take('}')) {
        if (entries.length > 0) this.expect(',');
        if (this.take('}')) break;
        const key = this.expression();
        this.expect(':');
        entries.push([key, this.expression()]);
      }
      return { kind: 'dict', entries, start, end: this.lastEnd() };
    }
    return this.fail(`unexpected "${token.text}"`, start);
  }

  private postfix(operand: JinjaExpression, start: number): JinjaExpression {
    let value = operand;
    for (; ; this.link()) {
      if (this.take('.')) {
        const token = this.peek();
        if (token?.kind === 'integer') {
          this.next++;
          const index: JinjaExpression = {
            kind: 'literal',
            type: 'integer',
            value: token.value,
            start: token.start,
            end: token.end,
          };
          value = { kind: 'subscript', object: value, index, start, end: token.end };
        } else value = { kind: 'attribute', object: value, name: this.name(), start, end: this.lastEnd() };
      } else if (this.take('[')) value = this.subscript(value, start);
      else if (this.isOperator('(')) {
        const callArguments = this.callArguments();
        value = { kind: 'call', callee: value, arguments: callArguments, start, end: this.lastEnd() };
      } else return value;
    }
  }

  private subscript(object: JinjaExpression, start: number): JinjaExpression {
    const bound = (): JinjaExpression | undefined =>
      this.isOperator(':') || this.isOperator(']') ? undefined : this.expression();
    const from = bound();
    if (!this.isOperator(':')) {
      if (from === undefined) this.fail('expected an index');
      this.expect(']');
      return { kind: 'subscript', object, index: from, start, end: this.lastEnd() };
    }
    this.expect(':');
    const to = bound();
    const step = this.take(':') ? bound() : undefined;
    this.expect(']');
    return { kind: 'slice', object, from, to, step, start, end: this.lastEnd() };
  }

  private callArguments(): CallArguments {
    const positional: JinjaExpression[] = [];
    const keyword: KeywordArgument[] = [];
    this.expect('(');
    for (let count = 0; !this.take(')'); count++) {
      if (count > 0) {
        this.expect(',');
        if (this.take(')')) break;
      }
      if (this.isOperator('*') || this.isOperator('**')) this.fail('unpacked arguments are not supported');
      const token = this.peek();
      if (token?.kind === 'name' && this.isOperator('=', 1)) {
        this.next += 2;
        keyword.push({ name: token.text, value: this.expression() });
      } else {
        if (keyword.length > 0) this.fail('a positional argument follows a named one');
        positional.push(this.expression());
      }
    }
    return { positional, keyword };
  }

  private filters(operand: JinjaExpression, start: number): JinjaExpression {
    let value = operand;
    for (; ; this.link()) {
      if (this.take('|')) {
        let name = this.name();
        while (this.take('.')) name += `.${this.name()}`;
        const callArguments = this.isOperator('(') ? this.callArguments() : { positional: [], keyword: [] };
        value = { kind: 'filter', operand: value, name, arguments: callArguments, start, end: this.lastEnd() };
      } else if (this.take('is')) value = this.test(value, start);
      else if (this.isOperator('(')) {
        const callArguments = this.callArguments();
        value = { kind: 'call', callee: value, arguments: callArguments, start, end: this.lastEnd() };
      } else return value;
    }
  }

  private test(operand: JinjaExpression, start: number): JinjaExpression {
    const negated = this.take('not');
    let name = this.name();
    while (this.take('.')) name += `.${this.name()}`;
    let callArguments: CallArguments = { positional: [], keyword: [] };
    const token = this.peek();
    if (this.isOperator('(')) callArguments = this.callArguments();
    else if (
      token !== undefined &&
      (token.kind === 'operator'
        ? ['[', '{'].includes(token.text)
        : !['else', 'or', 'and', 'if', 'in', 'not'].includes(token.text))
    ) {
      if (token.text === 'is') this.fail('tests cannot be chained with "is"');
      callArguments = { positional: [this.postfix(this.primary(), token.start)], keyword: [] };
    }
    return { kind: 'test', operand, name, arguments: callArguments, negated, start, end: this.lastEnd() };
  }
}
