import type { Token } from '../../sql/lex/token.ts';

/** A run of tokens: the first, and the one behind the last. */
export interface Zone {
  readonly from: number;
  readonly to: number;
}

export const isOperator = (token: Token | undefined, text: string): boolean =>
  token?.kind === 'operator' && token.text === text;

export const wordAt = (tokens: readonly Token[], position: number): string | undefined =>
  tokens[position]?.kind === 'word' ? tokens[position]?.text : undefined;

/** Positions of a zone that stand in no brackets and in no CASE of its own. */
export function openPositions(tokens: readonly Token[], { from, to }: Zone): readonly number[] {
  const open: number[] = [];
  let depth = 0;
  for (let position = from; position < to; position++) {
    const token = tokens[position];
    if (isOperator(token, '(') || isOperator(token, '[') || wordAt(tokens, position) === 'case') {
      if (depth === 0) open.push(position);
      depth++;
    } else if (isOperator(token, ')') || isOperator(token, ']') || wordAt(tokens, position) === 'end') depth--;
    else if (depth === 0) open.push(position);
  }
  return open;
}

/** Cuts a zone at some of its positions; what stands there belongs to no part. */
export function cutZone({ from, to }: Zone, at: readonly number[]): readonly Zone[] {
  const edges = [from - 1, ...at, to];
  return edges.slice(1).map((edge, index) => ({ from: (edges[index] ?? 0) + 1, to: edge }));
}

/** The bracket that closes the one at a position; `undefined` where none does within the tokens. */
export function closing(tokens: readonly Token[], position: number): number | undefined {
  let depth = 0;
  for (let at = position; at < tokens.length; at++) {
    if (isOperator(tokens[at], '(')) depth++;
    else if (isOperator(tokens[at], ')') && --depth === 0) return at;
  }
  return undefined;
}

/** The conjuncts of a condition, brackets around several of them taken away. */
export function conjuncts(tokens: readonly Token[], zone: Zone): readonly Zone[] {
  const { from, to } = zone;
  if (isOperator(tokens[from], '(') && closing(tokens, from) === to - 1) {
    return conjuncts(tokens, { from: from + 1, to: to - 1 });
  }
  const open = openPositions(tokens, zone);
  if (open.some((position) => wordAt(tokens, position) === 'or')) return [zone];
  let between = false;
  const ands: number[] = [];
  for (const position of open) {
    const word = wordAt(tokens, position);
    if (word === 'between') between = true;
    else if (word === 'and' && between) between = false;
    else if (word === 'and') ands.push(position);
  }
  if (ands.length === 0) return [zone];
  return cutZone(zone, ands).flatMap((part) => conjuncts(tokens, part));
}
