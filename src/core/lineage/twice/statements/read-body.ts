import type { DialectName } from '../../../sql/model/dialect-name.ts';
import type { SqlExpression } from '../../../sql/model/expression.ts';
import type { Statement } from '../../../sql/model/statement.ts';
import { readSql } from '../../../sql/read-sql.ts';
import type { MaskedText } from '../../../template/mask/masked-text.ts';

/** A statement or an expression with the text that its offsets refer to. */
export interface StatementPiece {
  readonly masked: MaskedText;
  readonly statement: Statement;
}
export interface ExpressionPiece {
  readonly masked: MaskedText;
  readonly expression: SqlExpression;
}

/** What a body in PL/pgSQL does, as far as it is followed; `strange`: something that is not. */
export type Step =
  | {
      readonly kind: 'run';
      readonly piece: StatementPiece;
      readonly into: readonly string[];
      readonly using: readonly ExpressionPiece[];
    }
  | { readonly kind: 'set'; readonly variable: string; readonly value: ExpressionPiece | undefined }
  | {
      readonly kind: 'if';
      readonly branches: readonly {
        readonly condition: ExpressionPiece | undefined;
        readonly steps: readonly Step[];
      }[];
    }
  | { readonly kind: 'for'; readonly variable: string; readonly rows: StatementPiece; readonly steps: readonly Step[] }
  | { readonly kind: 'count'; readonly variable: string }
  | { readonly kind: 'block'; readonly steps: readonly Step[] }
  | { readonly kind: 'return' }
  | { readonly kind: 'strange'; readonly what: string };

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const tokenPattern =
  /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|[A-Za-z_][\w$]*|\d+(?:\.\d+)?|:=|\.\.|<<|>>|\$\d+|\S/g;

/** Reads the body between `from` and `to` of a text. */
export function readBody(masked: MaskedText, from: number, to: number, dialect: DialectName): readonly Step[] {
  const tokens: Token[] = [];
  for (const match of masked.text.slice(from, to).matchAll(tokenPattern)) {
    if (/^(--|\/\*)/.test(match[0])) continue;
    tokens.push({ text: match[0], start: from + match.index, end: from + match.index + match[0].length });
  }
  return new BodyReader(masked, tokens, dialect).whole();
}

const shifted = <T extends { readonly start: number; readonly end: number }>(one: T, by: number): T => ({
  ...one,
  start: one.start + by,
  end: one.end + by,
});

class BodyReader {
  readonly #masked: MaskedText;
  readonly #tokens: readonly Token[];
  readonly #dialect: DialectName;
  #at = 0;

  constructor(masked: MaskedText, tokens: readonly Token[], dialect: DialectName) {
    this.#masked = masked;
    this.#tokens = tokens;
    this.#dialect = dialect;
  }

  whole(): readonly Step[] {
    return this.#block();
  }

  #word(ahead = 0): string {
    return this.#tokens[this.#at + ahead]?.text.toLowerCase() ?? '';
  }

  #done(): boolean {
    return this.#at >= this.#tokens.length;
  }

  #accept(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.#word(index) === word)) return false;
    this.#at += words.length;
    return true;
  }

  /** `DECLARE … BEGIN … EXCEPTION … END;` */
  #block(): readonly Step[] {
    const steps: Step[] = [];
    if (this.#accept('declare')) {
      while (!this.#done() && this.#word() !== 'begin') steps.push(...this.#declaration());
    }
    if (!this.#accept('begin')) return [{ kind: 'strange', what: this.#word() }];
    steps.push(...this.#steps(['end', 'exception']));
    if (this.#accept('exception')) {
      // A handler runs where something has failed.
      let depth = 0;
      while (!this.#done() && !(depth === 0 && this.#word() === 'end' && !opened.has(this.#word(1)))) {
        if (this.#word() === 'begin') depth++;
        if (this.#word() === 'end' && this.#word(1) === ';') depth--;
        this.#at++;
      }
    }
    this.#accept('end');
    while (!this.#done() && !this.#accept(';')) this.#at++;
    return steps;
  }

  #declaration(): readonly Step[] {
    const variable = this.#word();
    this.#at++;
    while (!this.#done() && this.#word() !== ';' && !/^(:=|=|default)$/.test(this.#word())) this.#at++;
    const hasValue = this.#word() !== ';';
    if (hasValue) this.#at++;
    const value = hasValue ? this.#expression([';']) : undefined;
    this.#accept(';');
    return [{ kind: 'set', variable, value }];
  }

  #steps(ends: readonly string[]): readonly Step[] {
    const steps: Step[] = [];
    while (!this.#done() && !ends.includes(this.#word())) {
      const before = this.#at;
      steps.push(...this.#step());
      if (this.#at === before) this.#at++;
    }
    return steps;
  }

  #step(): readonly Step[] {
    const word = this.#word();
    if (word === 'declare' || word === 'begin') return this.#block();
    if (word === 'if') return [this.#if()];
    if (word === 'for' && this.#word(2) === 'in' && /^(select|with|\()$/.test(this.#word(3))) return [this.#for()];
    if (word === 'null' || word === 'raise' || word === 'assert') return this.#skip();
    if (word === 'return') {
      this.#skip();
      return [{ kind: 'return' }];
    }
    if (word === 'get') {
      const variable = this.#word(this.#word(1) === 'current' ? 3 : 2);
      this.#skip();
      return [{ kind: 'count', variable }];
    }
    if (/^(for|foreach|while|loop|exit|continue|case|open|fetch|close|move|<<)$/.test(word)) {
      this.#skip();
      return [{ kind: 'strange', what: word }];
    }
    if (this.#word(1) === ':=' || this.#word(1) === '=') {
      this.#at += 2;
      const value = this.#expression([';']);
      this.#accept(';');
      return [value === undefined ? { kind: 'strange', what: word } : { kind: 'set', variable: word, value }];
    }
    if (word === 'execute') return [this.#execute()];
    const from = this.#at;
    while (!this.#done() && this.#word() !== ';') this.#at++;
    const step = this.#statement(from, this.#at, '', []);
    this.#accept(';');
    return [step];
  }

  #skip(): readonly Step[] {
    while (!this.#done() && !this.#accept(';')) this.#at++;
    return [];
  }

  #if(): Step {
    const branches: { condition: ExpressionPiece | undefined; steps: readonly Step[] }[] = [];
    let isStrange = false;
    this.#at++;
    for (;;) {
      const condition = this.#expression(['then']);
      isStrange ||= condition === undefined;
      this.#accept('then');
      branches.push({ condition, steps: this.#steps(['elsif', 'elseif', 'else', 'end']) });
      if (this.#accept('elsif') || this.#accept('elseif')) continue;
      if (this.#accept('else')) branches.push({ condition: undefined, steps: this.#steps(['end']) });
      break;
    }
    if (!this.#accept('end', 'if')) isStrange = true;
    this.#accept(';');
    return isStrange ? { kind: 'strange', what: 'IF' } : { kind: 'if', branches };
  }

  #for(): Step {
    const variable = this.#word(1);
    this.#at += 3;
    const from = this.#at;
    while (!this.#done() && this.#word() !== 'loop') this.#at++;
    const rows = this.#statement(from, this.#at, '', []);
    this.#accept('loop');
    const steps = this.#steps(['end']);
    if (!this.#accept('end', 'loop') || rows.kind !== 'run') return { kind: 'strange', what: 'FOR' };
    this.#accept(';');
    return { kind: 'for', variable, rows: rows.piece, steps };
  }

  /** `EXECUTE 'text' [INTO v] [USING a, b]`, also of `format('text', 'name')` with names and constants. */
  #execute(): Step {
    const strange: Step = { kind: 'strange', what: 'EXECUTE' };
    this.#at++;
    const format = this.#accept('format', '(');
    const text = this.#tokens[this.#at]?.text ?? '';
    const quoted =
      /^'([\s\S]*)'$/.exec(text)?.[1]?.replaceAll("''", "'") ?? /^\$(\w*)\$([\s\S]*)\$\1\$$/.exec(text)?.[2];
    this.#at++;
    const given: string[] = [];
    while (format && this.#accept(',')) {
      given.push(this.#tokens[this.#at]?.text ?? '');
      this.#at++;
    }
    const isWhole = !format || this.#accept(')');
    const into: string[] = [];
    const using: ExpressionPiece[] = [];
    if (this.#accept('into')) {
      this.#accept('strict');
      into.push(...this.#names());
    }
    let isKnown = isWhole;
    if (this.#accept('using'))
      do {
        const value = this.#expression([',', ';']);
        if (value === undefined) isKnown = false;
        else using.push(value);
      } while (this.#accept(','));
    if (this.#word() !== ';') isKnown = false;
    this.#skip();
    if (!isKnown || quoted === undefined) return strange;
    const rendered = format ? formatted(quoted, given) : quoted;
    if (rendered === undefined) return strange;
    const masked: MaskedText = { text: rendered, holes: [], tags: [], problem: undefined };
    const [statement, ...others] = readSql(masked, this.#dialect).statements;
    if (statement === undefined || others.length > 0) return strange;
    return { kind: 'run', piece: { masked, statement }, into, using };
  }

  #names(): readonly string[] {
    const names: string[] = [];
    do {
      names.push(this.#word());
      this.#at++;
    } while (this.#accept(','));
    return names;
  }

  /** SQL between two tokens; INTO names variables. */
  #statement(from: number, to: number, _: string, using: readonly ExpressionPiece[]): Step {
    const [first, last] = [this.#tokens[from], this.#tokens[to - 1]];
    if (first === undefined || last === undefined) return { kind: 'strange', what: 'nothing' };
    const isInsert = /^(insert|merge)$/i.test(first.text);
    let text = this.#masked.text.slice(first.start, last.end);
    const into: string[] = [];
    // INTO of an INSERT before its table, of others before variables.
    const seen = this.#tokens
      .slice(from, to)
      .findIndex((one, index) => one.text.toLowerCase() === 'into' && !(isInsert && index === 1));
    const opening = this.#tokens[from + seen];
    if (seen !== -1 && opening !== undefined) {
      let at = from + seen + 1;
      if (this.#tokens[at]?.text.toLowerCase() === 'strict') at++;
      for (;;) {
        into.push(this.#tokens[at]?.text.toLowerCase() ?? '');
        if (this.#tokens[at + 1]?.text !== ',' || at + 2 >= to) break;
        at += 2;
      }
      const closing = this.#tokens[at]?.end ?? last.end;
      const [a, b] = [opening.start - first.start, closing - first.start];
      text = `${text.slice(0, a)}${' '.repeat(b - a)}${text.slice(b)}`;
    }
    text = text.replace(/^perform\b/i, 'select ');
    const masked = this.#cut(text, first.start);
    const [statement, ...others] = readSql(masked, this.#dialect).statements;
    if (statement === undefined || others.length > 0) return { kind: 'strange', what: first.text };
    return { kind: 'run', piece: { masked, statement }, into, using };
  }

  /** The expression up to one of some words that stand in no parentheses. */
  #expression(ends: readonly string[]): ExpressionPiece | undefined {
    const from = this.#at;
    let depth = 0;
    let cases = 0;
    for (; !this.#done(); this.#at++) {
      const word = this.#word();
      if (word === 'case') cases++;
      if (word === 'end' && cases > 0) cases--;
      else if (depth === 0 && cases === 0 && ends.includes(word)) break;
      if (word === '(') depth++;
      if (word === ')') depth--;
    }
    const [first, last] = [this.#tokens[from], this.#tokens[this.#at - 1]];
    if (first === undefined || last === undefined || this.#at === from) return undefined;
    const masked = this.#cut(`select ${this.#masked.text.slice(first.start, last.end)}`, first.start - 7);
    const [statement, ...others] = readSql(masked, this.#dialect).statements;
    const query = statement?.query;
    const [item] = query?.select ?? [];
    if (query === undefined || item === undefined || others.length > 0 || query.select.length !== 1) return undefined;
    if (query.from.length === 0 && query.then.length === 0) return { masked, expression: item.expression };
    // `v := n FROM t WHERE …` is a query as well.
    return { masked, expression: { kind: 'subquery', query, start: query.start, end: query.end } };
  }

  /** A text that stood at `start`, with its templates. */
  #cut(text: string, start: number): MaskedText {
    const holes = this.#masked.holes
      .filter((hole) => start <= hole.start && hole.end <= start + text.length)
      .map((hole) => ({ ...shifted(hole, -start), expression: shifted(hole.expression, -start) }));
    return { text, holes, tags: [], problem: undefined };
  }
}

const opened = new Set(['if', 'loop', 'case']);

/** `format('… %I … %L', 'name', 'value')` with constants for names and values; others stay open. */
function formatted(text: string, given: readonly string[]): string | undefined {
  let next = 0;
  let isKnown = true;
  const made = text.replace(/%(?:(\d+)\$)?([IsL%])/g, (_, place: string | undefined, letter: string) => {
    if (letter === '%') return '%';
    const one = given[place === undefined ? next++ : Number(place) - 1] ?? '';
    const plain = /^'([\s\S]*)'$/.exec(one)?.[1];
    if (letter === 'L') return plain === undefined ? one : one;
    if (plain !== undefined) return plain;
    if (letter === 's' && /^[\w.$]+$/.test(one)) return one;
    isKnown = false;
    return '';
  });
  return isKnown ? made : undefined;
}
