import type { Hole, MaskedText } from '../../template/mask/masked-text.ts';
import type { Span } from '../../text/span.ts';
import type { DialectName } from '../model/dialect-name.ts';
import { bracketNameEnd } from './bracket-name.ts';
import { decidesWork, endsBatch, notebookCell, sendsStatement } from './client-ends.ts';
import { isDigitName, typedNumberEnd } from './digit-name.ts';
import { type Lexis, lexisOf } from './lexis.ts';
import { isLineComment } from './line-comment.ts';
import { mayHoldScript } from './may-hold-script.ts';
import { operatorEnd } from './operator.ts';
import { parameterEnd } from './parameter.ts';
import {
  bracketQuote,
  brokenEnd,
  commentEnd,
  dollarTag,
  isDigit,
  isSpace,
  isWordPart,
  isWordStart,
  lineEnd,
  numberEnd,
  quotedEnd,
  swallowsStatement,
  unicodeName,
  variableEnd,
  wordEnd,
} from './scan-text.ts';
import type { Token, TokenKind } from './token.ts';

export interface Lexed {
  readonly tokens: readonly Token[];
  readonly problems: readonly (Span & { readonly message: string })[];
  /** Commands of psql that decide what a script does; they are no part of any statement. */
  readonly clientCommands: readonly Span[];
}

const none: readonly number[] = [];

/** Each quote that is never closed costs a look at all of the text; no script has more. */
const maxOpenTags = 20;

/**
 * Cuts masked SQL into tokens; white space, comments and hints are dropped. Never throws: a quote or comment that is
 * never closed ends with its line, so that what follows can still be read.
 */
export function lex(masked: MaskedText, dialect: DialectName): Lexed {
  return new Lexer(masked, lexisOf(dialect)).run();
}

class Lexer {
  private readonly text: string;
  private readonly holes: readonly Hole[];
  private readonly lexis: Lexis;
  private readonly tokens: Token[] = [];
  private readonly problems: (Span & { message: string })[] = [];
  private readonly clientCommands: Span[] = [];
  private at = 0;
  private hole = 0;
  private startsLine = true;
  private delimiter = ';';
  private nested: boolean;
  private commentsClose = true;
  /** Inside a comment that MySQL runs. */
  private executable = false;
  /** Some line that ends the rows of a COPY may still be ahead. */
  private dataEnds = true;
  private readonly openTags = new Set<string>();
  /** Index of the first token of the statement being read. */
  private statementStart = 0;

  constructor(masked: MaskedText, lexis: Lexis) {
    this.text = masked.text;
    this.holes = masked.holes;
    this.lexis = lexis;
    this.nested = lexis.nestedComments;
  }

  run(): Lexed {
    while (this.at < this.text.length) {
      const code = this.text.charCodeAt(this.at);
      if (isSpace(code)) {
        if (code === 10 || code === 13) this.startsLine = true;
        this.at++;
      } else if (this.insideHole()) this.word();
      else if (!this.comment(code)) this.token(code);
    }
    return { tokens: this.tokens, problems: this.problems, clientCommands: this.clientCommands };
  }

  private insideHole(): boolean {
    for (let hole = this.holes[this.hole]; hole !== undefined; hole = this.holes[this.hole]) {
      if (hole.end > this.at && !this.isCode(hole)) break;
      this.hole++;
    }
    return (this.holes[this.hole]?.start ?? Number.POSITIVE_INFINITY) <= this.at;
  }

  /** The mask writes an expression of constant text (`{{ "," }}`) as that text, everything else as `j_…` or `1`. */
  private isCode(hole: Hole): boolean {
    let at = hole.start;
    while (at < hole.end && isSpace(this.text.charCodeAt(at))) at++;
    return !hole.quoted && at < hole.end && !this.text.startsWith('j_', at) && this.text.charCodeAt(at) !== 49;
  }

  private push(kind: TokenKind, start: number, end: number, text: string, holes = none, content?: Span): void {
    this.tokens.push({
      kind,
      start,
      end,
      text,
      holes,
      startsLine: this.startsLine,
      content,
    });
    this.startsLine = false;
    this.at = end;
  }

  private clientCommand(end: number): true {
    const command = this.text.slice(this.at, end);
    if (decidesWork(command)) this.clientCommands.push({ start: this.at, end });
    if (!this.startsLine || sendsStatement(command)) this.terminate(end);
    else this.at = end;
    return true;
  }

  private comment(code: number): boolean {
    const { text, at, lexis } = this;
    const next = text.charCodeAt(at + 1);
    if (isLineComment(text, at, lexis)) {
      if (lexis.notebooks && notebookCell(text, at)) this.terminate(lineEnd(text, at));
      else this.at = lineEnd(text, at);
      return true;
    }
    if (lexis.clientScript && code === 92 && (next === 59 || next === 33 || isWordStart(next)))
      return this.clientCommand(next === 59 ? at + 2 : lineEnd(text, at));
    if (code !== 47 || next !== 42) return false;
    if (lexis.delimiterCommand && text.charCodeAt(at + 2) === 33) {
      // `/*!50100 … */` is run by MySQL: only its frame is a comment.
      let end = at + 3;
      while (isDigit(text.charCodeAt(end))) end++;
      this.at = end;
      this.executable = true;
      return true;
    }
    let end = this.commentsClose ? commentEnd(text, at, this.nested) : -1;
    if (end < 0 && this.nested && this.commentsClose) {
      this.nested = false;
      end = commentEnd(text, at, false);
    }
    if (end < 0) {
      this.commentsClose = false;
      end = brokenEnd(text, at);
      this.problems.push({ start: at, end, message: 'This comment is never closed.' });
    }
    this.at = end;
    return true;
  }

  private token(code: number): void {
    const { text, at, lexis } = this;
    const next = text.charCodeAt(at + 1);
    if (this.delimiter !== ';' && text.startsWith(this.delimiter, at)) {
      this.terminate(at + this.delimiter.length);
    } else if (this.startsLine && endsBatch(text, at, lexis, this.tokens.at(-1))) this.terminate(lineEnd(text, at));
    else if (isWordStart(code) || (lexis.hashNames && code === 35 && isWordStart(next))) this.wordOrPrefixed(code);
    else if (code === 39) this.string(at, at, lexis.backslashEscapes);
    else if (code === 34 && lexis.doubleQuotedStrings) this.string(at, at, lexis.backslashEscapes);
    else if (code === 34 || code === 96) this.quoted();
    else if (code === 91 && this.bracketed()) return;
    else if (isDigit(code) && isDigitName(text, at, lexis, this.tokens[this.tokens.length - 1])) this.word();
    else if (isDigit(code) || (code === 46 && isDigit(next) && !this.afterName())) {
      const end = typedNumberEnd(text, numberEnd(text, at), lexis);
      const holes = this.holesWithin(at, end + 1);
      const last = this.holes[holes[holes.length - 1] ?? -1];
      // `20{{ ds_nodash }}`: digits of the stand-in are not those of the number.
      if (last === undefined) this.push('number', at, end, text.slice(at, end));
      else this.push('template-string', at, wordEnd(text, Math.max(end, last.end)), text.slice(at, end), holes);
    } else if (code === 59 && this.delimiter === ';') this.terminate(at + 1);
    else if (code === 36 && next === 123 && variableEnd(text, at) > at) this.word();
    else if (code === 36 && this.dollar()) return;
    else if (this.parameter()) return;
    else this.operator();
  }

  /** A name right before, so that `.5` cannot be a number. */
  private afterName(): boolean {
    const last = this.tokens[this.tokens.length - 1];
    return last !== undefined && last.end === this.at && (last.kind === 'word' || last.kind === 'quoted');
  }

  private terminate(end: number): void {
    const first = this.tokens[this.statementStart];
    const fromStdin =
      this.lexis.clientScript &&
      this.dataEnds &&
      first?.text === 'copy' &&
      this.tokens.slice(this.statementStart, this.statementStart + 200).some((token) => token.text === 'stdin');
    this.push('terminator', this.at, end, ';');
    this.statementStart = this.tokens.length;
    if (!fromStdin) return;
    const close = /(?:\r\n|\r|\n)\\\.[ \t]*(?=\r|\n|$)/g;
    close.lastIndex = end;
    const found = close.exec(this.text);
    if (found === null) this.dataEnds = false;
    else this.at = found.index + found[0].length;
  }

  private wordOrPrefixed(code: number): void {
    const { text, at } = this;
    const next = text.charCodeAt(at + 1);
    const lower = code | 32;
    if (next === 39 && (lower === 101 || lower === 98 || lower === 120 || lower === 110 || lower === 114)) {
      // e'' takes backslashes everywhere; r'' never does, though its quote can still be escaped.
      this.string(at, at + 1, lower === 101 || this.lexis.backslashEscapes);
      return;
    }
    if (next === 34 && this.lexis.doubleQuotedStrings && (lower === 98 || lower === 114)) {
      this.string(at, at + 1, true);
      return;
    }
    const bracketed = lower === 113 && next === 39 ? bracketQuote(text, at) : undefined;
    if (bracketed !== undefined) {
      this.stringToken(at, bracketed.end + 2, bracketed);
      return;
    }
    const quote = lower === 117 && next === 38 ? text.charCodeAt(at + 2) : 0;
    const escaped = quote === 34 && !this.lexis.doubleQuotedStrings ? unicodeName(text, at) : undefined;
    if (quote === 39) this.string(at, at + 2, false);
    else if (escaped === undefined) this.word();
    else this.push('quoted', at, escaped.end, escaped.name, this.holesWithin(at, escaped.end), escaped.content);
  }

  /** A word, joined with the template expressions that touch it; a lone expression becomes a hole. */
  private word(): void {
    const { text } = this;
    const start = this.at;
    const holes: number[] = [];
    let name = '';
    let from = start;
    let at = start;
    let first = start;
    if (text.charCodeAt(at) === 35) at++;
    while (at < text.length) {
      this.at = at;
      const code = text.charCodeAt(at);
      if (this.insideHole()) {
        const hole = this.holes[this.hole];
        if (hole === undefined || isSpace(code)) break;
        name += text.slice(from, at).toLowerCase() + writtenBack(hole);
        if (holes.length === 0 && at === start) first = hole.start;
        holes.push(this.hole);
        at = hole.end;
        from = at;
      } else if (code === 36 && this.delimiter !== ';' && text.startsWith(this.delimiter, at)) break;
      else if (code === 36 && variableEnd(text, at) > at) at = variableEnd(text, at);
      else if (isWordPart(code) || (code === 64 && at > start && !this.lexis.stages)) at++;
      else break;
    }
    name += text.slice(from, at).toLowerCase();
    const only = holes.length === 1 ? this.holes[holes[0] ?? 0] : undefined;
    if (only !== undefined && only.start === first && only.end === at) {
      this.push('hole', first, at, name, holes);
      return;
    }
    if (this.lexis.delimiterCommand && this.startsLine && name === 'delimiter' && isSpace(text.charCodeAt(at))) {
      const end = lineEnd(text, at);
      const delimiter = text.slice(at, end).trim();
      if (delimiter !== '' && !/^[\w(]/.test(delimiter)) {
        this.delimiter = delimiter;
        this.push('terminator', start, end, ';');
        this.statementStart = this.tokens.length;
        return;
      }
    }
    this.push('word', first, at, name, holes.length > 0 ? holes : none);
  }

  private string(start: number, open: number, backslash: boolean): void {
    const { text } = this;
    const quote = text[open] ?? "'";
    if (this.lexis.tripleQuotes && text.startsWith(quote.repeat(3), open)) {
      const close = text.indexOf(quote.repeat(3), open + 3);
      if (close >= 0) {
        this.stringToken(start, close + 3, { start: open + 3, end: close });
        return;
      }
    }
    let end = quotedEnd(text, open, backslash);
    if (end < 0 || (swallowsStatement(text.slice(open, end)) && !mayHoldScript(this.tokens, this.statementStart))) {
      end = brokenEnd(text, open);
      this.problems.push({ start, end, message: 'This string is never closed.' });
      this.stringToken(start, end, { start: open + 1, end });
    } else this.stringToken(start, end, { start: open + 1, end: end - 1 });
  }

  private stringToken(start: number, end: number, content: Span): void {
    const holes = this.holesWithin(start, end);
    const only = holes.length === 1 ? this.holes[holes[0] ?? 0] : undefined;
    const whole = only !== undefined && only.start === content.start && only.end === content.end;
    const kind = holes.length === 0 ? 'string' : whole ? 'hole' : 'template-string';
    this.push(kind, start, end, this.text.slice(content.start, content.end), holes, content);
  }

  private holesWithin(start: number, end: number): readonly number[] {
    this.at = start;
    this.insideHole();
    const found: number[] = [];
    for (let index = this.hole; (this.holes[index]?.start ?? end) < end; index++) {
      const hole = this.holes[index];
      if (hole !== undefined && !this.isCode(hole)) found.push(index);
    }
    return found.length > 0 ? found : none;
  }

  private quoted(): void {
    const { text, at } = this;
    const found = quotedEnd(text.slice(at, lineEnd(text, at)), 0, false);
    const end = found < 0 ? brokenEnd(text, at) : at + found;
    if (found < 0) this.problems.push({ start: at, end, message: 'This quoted name is never closed.' });
    const quote = text[at] ?? '"';
    const content = { start: at + 1, end: found < 0 ? end : end - 1 };
    const holes = this.holesWithin(at, end);
    let name = '';
    let from = content.start;
    for (const index of holes) {
      const hole = this.holes[index];
      if (hole === undefined) continue;
      name += text.slice(from, hole.start) + writtenBack(hole);
      from = hole.end;
    }
    name = (name + text.slice(from, content.end)).replaceAll(quote + quote, quote);
    this.push('quoted', at, Math.max(end, at + 1), name, holes, content);
  }

  private bracketed(): boolean {
    const { text, at, tokens, statementStart, lexis } = this;
    const close = bracketNameEnd(text, at, tokens, statementStart, lexis.bracketNames);
    if (close < 0) return false;
    const holes = this.holesWithin(at, close + 1);
    const [only] = holes.map((index) => this.holes[index]);
    const content = { start: at + 1, end: close };
    this.push(
      'quoted',
      at,
      close + 1,
      // SQL Server does not tell names apart by case, however they are written.
      only === undefined ? text.slice(at + 1, close).toLowerCase() : writtenBack(only),
      holes,
      content,
    );
    return true;
  }

  /** `$tag$ … $tag$` or `$1`. */
  private dollar(): boolean {
    const { text, at } = this;
    const tag = this.lexis.dollarQuotes ? dollarTag(text, at) : undefined;
    if (tag !== undefined && !this.openTags.has(tag) && this.openTags.size < maxOpenTags) {
      const close = text.indexOf(tag, at + tag.length);
      if (close >= 0) {
        this.push('string', at, close + tag.length, text.slice(at + tag.length, close), none, {
          start: at + tag.length,
          end: close,
        });
        return true;
      }
      this.openTags.add(tag);
      this.problems.push({ start: at, end: at + tag.length, message: `The quote ${tag} is never closed.` });
      this.push('operator', at, at + tag.length, tag);
      return true;
    }
    const end = wordEnd(text, at + 1);
    if (end === at + 1) return false;
    this.push('parameter', at, end, text.slice(at, end));
    return true;
  }

  private parameter(): boolean {
    const { text, at } = this;
    const end = parameterEnd(text, at, this.lexis, this.tokens[this.tokens.length - 1]);
    if (end === at) return false;
    this.push('parameter', at, end, text.slice(at, end));
    return true;
  }

  private operator(): void {
    const { text, at } = this;
    if (this.executable && text.startsWith('*/', at)) {
      this.executable = false;
      this.at += 2;
      return;
    }
    const end = operatorEnd(text, at);
    this.push('operator', at, end, text.slice(at, end));
  }
}

const writtenBack = (hole: Hole): string => (hole.origin === 'template' ? `{{ ${hole.source} }}` : `{${hole.source}}`);
