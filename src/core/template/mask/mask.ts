import type { Span } from '../../text/span.ts';
import { evaluateExpression, type Known } from '../bounds/evaluate.ts';
import { parseExpression } from '../language/parse-expression.ts';
import { scanTemplate, type TemplateSegment } from '../language/scan-template.ts';
import {
  type BranchWay,
  branchWays,
  hiddenSegments,
  passedBranches,
  type TemplateBlock,
  templateBlocks,
} from '../language/template-blocks.ts';
import { holdsWithoutConf } from '../names/empty-conf.ts';
import { askedFor, expandNames } from '../names/expand-names.ts';
import { type SymbolicValue, unknownValue } from '../names/symbolic-value.ts';
import { type Definitions, definitionsOf } from '../names/template-definitions.ts';
import { emptyEnvironment, type TemplateEnvironment } from '../names/template-environment.ts';
import type { Hole, MaskedText } from './masked-text.ts';
import { constantText, identifierFor, numberFor, quotedFor } from './placeholder-text.ts';
import { type SqlPlace, type SqlStretch, sqlStretches } from './sql-quotes.ts';

/** Stands for every character of a hole while what surrounds it is read: a letter that nobody writes. */
const holeLetter = '\u3164';

/** A hole whose stand-in is not written yet; `given` when the Python reader found it. */
interface OpenHole extends Span {
  readonly inner: Span;
  readonly given: Hole | undefined;
}

/**
 * Blanks a template so that SQL can be read without rendering. Tags and comments become spaces, the first branch of
 * an `if` that its runs may take and one turn of a loop are kept, a call that stands alone as a statement (`{{ config(…) }}`) is blanked,
 * and every other expression becomes a stand-in of the same length: a number after LIMIT or INTERVAL, else an
 * identifier that is the same for the same expression. Length and newlines stay. `given` are the f-string holes of
 * the surrounding Python string, their braces included. A `plain` text is no template and has those holes only; `way`: another one through its branches. Never throws: an unclosed tag is the `problem`, and the text
 * behind it stays readable.
 */
export function maskTemplate(
  text: string,
  given: readonly Hole[],
  environment: TemplateEnvironment = emptyEnvironment,
  plain = false,
  way?: BranchWay,
): MaskedText {
  const holeless = text.split('');
  for (const { start, end } of given) holeless.fill(holeLetter, start, end);
  if (plain) holeless.fill(holeLetter);
  const outer = holeless.join('');
  const segments = scanTemplate(outer);
  const { blocks, unmatched } = templateBlocks(segments, outer);
  const definitions = () => definitionsOf(outer, segments, blocks, environment);
  const holds = heldConditions(blocks, segments, definitions, environment);
  const hidden = hiddenSegments(blocks, ({ index }) => holds.get(index), way);
  const ways = way === undefined ? branchWays(blocks, ({ index }) => holds.get(index)) : [];
  const passed = passedBranches(blocks, ({ index }) => holds.get(index)).flatMap(({ from, to }): Span[] => {
    const [first, last] = [segments[from + 1], segments[to - 1]];
    return from + 1 > to - 1 || first === undefined || last === undefined
      ? []
      : [{ start: first.start, end: last.end }];
  });

  const characters = text.split('');
  const open: OpenHole[] = [];
  const tags: (Span & { source: string })[] = [];
  for (const [index, segment] of segments.entries()) {
    const { start, end } = segment;
    if (segment.kind === 'tag')
      tags.push({ start, end, source: text.slice(segment.inner.start, segment.inner.end).trim() });
    if (hidden.has(index) || segment.kind === 'tag' || segment.kind === 'comment') blank(characters, start, end);
    else if (segment.kind === 'raw') {
      blank(characters, start, segment.inner.start);
      blank(characters, segment.inner.end, end);
    } else if (segment.kind === 'expression') open.push({ start, end, inner: segment.inner, given: undefined });
    else if (segment.kind === 'broken') {
      const isExpression = text.startsWith('{{', start);
      if (isExpression) open.push({ start, end, inner: { start: start + 2, end }, given: undefined });
      else blank(characters, start, end);
    }
    if (hidden.has(index)) continue;
    const plain = segment.kind === 'text' ? segment : segment.kind === 'raw' ? segment.inner : undefined;
    if (plain === undefined) continue;
    for (const hole of given)
      if (plain.start <= hole.start && hole.end <= plain.end)
        open.push({ start: hole.start, end: hole.end, inner: hole.expression, given: hole });
  }
  open.sort((a, b) => a.start - b.start);

  const placed = [...characters];
  for (const { start, end } of open) placed.fill(holeLetter, start, end);
  const stretches = sqlStretches(placed.join(''));
  const code = [...characters];
  for (const { place, start, end } of stretches) if (place.endsWith('comment')) blank(code, start, end);
  const holes: Hole[] = [];
  const defined = definitions();
  const values = new Map<string, SymbolicValue>();
  let followed = 0;
  let at = 0;
  for (const hole of open) {
    while (at < stretches.length - 1 && (stretches[at]?.end ?? 0) <= hole.start) at++;
    const stretch = stretches[at] ?? { place: 'code', start: 0, end: text.length };
    const expression = hole.given?.expression ?? trimmed(text, hole.inner);
    const source = hole.given?.source ?? text.slice(expression.start, expression.end);
    const standIn = standInFor(text.slice(hole.start, hole.end), source, stretch.place, code, hole);
    write(characters, hole.start, standIn);
    write(code, hole.start, standIn);
    if (stretch.place === 'line-comment') closeComment(characters, hole, stretch);
    const { names, uncertain } = defined(hole.start);
    if (names.size > followed) values.clear();
    followed = names.size;
    const known = { names, uncertain, filters: environment.filters, conf: environment.conf };
    const value = hole.given?.value ?? remembered(values, withConstants(text, expression, given), known);
    const quoted = stretch.place === 'string' || stretch.place === 'identifier' || stretch.place === 'dollar';
    holes.push({
      start: hole.start,
      end: hole.end,
      origin: hole.given?.origin ?? 'template',
      source,
      expression,
      value,
      quoted,
    });
  }
  const problem = firstProblem(segments, unmatched, text);
  return {
    text: characters.join(''),
    holes,
    tags,
    ...(passed.length > 0 ? { passed } : {}),
    ...(ways.length > 0 ? { ways } : {}),
    problem,
  };
}

/** Of each `if` and `elif` whether it holds in a run that its schedule makes, by the index of its tag, where that is known. */
function heldConditions(
  blocks: readonly TemplateBlock[],
  segments: readonly TemplateSegment[],
  definitions: () => (offset: number) => Definitions,
  { filters, conf }: TemplateEnvironment,
): ReadonlyMap<number, boolean> {
  const held = new Map<number, boolean>();
  if (conf === 'unknown') return held;
  const tags = blocks.flatMap(({ keyword, opening, dividers }) => (keyword === 'if' ? [opening, ...dividers] : []));
  const known = tags.length === 0 ? undefined : definitions();
  for (const { index, keyword, rest } of tags.sort((a, b) => a.index - b.index)) {
    const { names, uncertain } = known?.(segments[index]?.start ?? 0) ?? { names: new Map(), uncertain: new Set() };
    const parsed = keyword === 'else' ? undefined : parseExpression(rest);
    if (parsed?.ok !== true) continue;
    const condition = expandNames(parsed.value, { names, filters });
    const truth = askedFor(condition, uncertain) === undefined ? holdsWithoutConf(condition) : undefined;
    if (truth !== undefined) held.set(index, truth);
  }
  return held;
}

function standInFor(covered: string, source: string, place: SqlPlace, code: readonly string[], hole: Span): string {
  if (place !== 'code') return quotedFor(covered, source);
  const before = code.slice(Math.max(0, hole.start - 200), hole.start).join('');
  if (/(?:^|;)\s*$/.test(before) && isCall(source) && (hole.start < 200 || before.includes(';')))
    return spaces(covered);
  const constant = constantText(source);
  if (constant !== undefined && constant.length <= covered.length && !/[\r\n]/.test(covered))
    return constant.padEnd(covered.length);
  if (/(?:^|\W)(?:limit|offset|interval|top|fetch\s+(?:first|next))\s*\(?\s*$/i.test(before)) return numberFor(covered);
  return identifierFor(covered, source, code[hole.end] ?? '');
}

function isCall(source: string): boolean {
  const parsed = parseExpression(source);
  return parsed.ok && parsed.value.kind === 'call';
}

/** A rendered line comment is one line: what stands behind an expression of several lines belongs to it. */
function closeComment(characters: string[], hole: Span, stretch: SqlStretch): void {
  const newline = characters.slice(hole.start, hole.end).findIndex((character) => /[\r\n]/.test(character));
  if (newline >= 0) blank(characters, hole.start + newline, stretch.end);
}

/** The same expression is often written many times in one text. */
function remembered(values: Map<string, SymbolicValue>, source: string | SymbolicValue, known: Known): SymbolicValue {
  if (typeof source !== 'string') return source;
  const value = values.get(source) ?? evaluateExpression(source, known);
  values.set(source, value);
  return value;
}

/** A template expression with f-string holes in it is read with their constants in place. */
function withConstants(text: string, expression: Span, given: readonly Hole[]): string | SymbolicValue {
  let source = '';
  let at = expression.start;
  for (const hole of given) {
    if (hole.start < expression.start || hole.end > expression.end) continue;
    if (hole.value.kind !== 'literal') return unknownValue(`depends on the Python value "${hole.source}"`);
    source += text.slice(at, hole.start) + String(hole.value.value);
    at = hole.end;
  }
  return source + text.slice(at, expression.end);
}

function firstProblem(
  segments: readonly TemplateSegment[],
  unmatched: readonly TemplateSegment[],
  text: string,
): MaskedText['problem'] {
  const problems = segments.flatMap((segment) => (segment.kind === 'broken' ? [segment] : []));
  const lone = unmatched.map(({ start, end }) => ({
    start,
    end,
    message: `"${text.slice(start, end)}" has no counterpart`,
  }));
  const [first] = [...problems, ...lone].sort((a, b) => a.start - b.start);
  return first === undefined ? undefined : { start: first.start, end: first.end, message: first.message };
}

function trimmed(text: string, { start, end }: Span): Span {
  const inner = text.slice(start, end);
  const lead = inner.length - inner.trimStart().length;
  return lead === inner.length ? { start, end: start } : { start: start + lead, end: start + inner.trimEnd().length };
}

const spaces = (covered: string): string => covered.replace(/[^\r\n]/g, ' ');

function blank(characters: string[], from: number, to: number): void {
  for (let at = from; at < to; at++) if (characters[at] !== '\n' && characters[at] !== '\r') characters[at] = ' ';
}

function write(characters: string[], from: number, text: string): void {
  for (let at = 0; at < text.length; at++) characters[from + at] = text.charAt(at);
}
