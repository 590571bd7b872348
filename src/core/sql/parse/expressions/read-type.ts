import { accept, type Cursor, done, isName, operator, skipOne, token, word } from '../cursor.ts';

const second: Readonly<Record<string, ReadonlySet<string>>> = {
  double: new Set(['precision']),
  character: new Set(['varying']),
  char: new Set(['varying']),
  bit: new Set(['varying']),
  national: new Set(['character', 'char']),
  long: new Set(['varchar']),
};

/** The type name that stands here, in lower case with single spaces: `timestamp(6) with time zone`, `int[]`, `numeric(10,2)`. */
export function readType(c: Cursor): string {
  if (!isName(token(c))) return '';
  const first = token(c)?.text.toLowerCase() ?? '';
  let text = first;
  c.index++;
  while (operator(c) === '.' && isName(token(c, 1))) {
    text += `.${token(c, 1)?.text ?? ''}`;
    c.index += 2;
  }
  if (second[first]?.has(word(c)) === true) {
    text += ` ${word(c)}`;
    c.index++;
    if (first === 'national' && word(c) === 'varying') {
      text += ' varying';
      c.index++;
    }
  }
  text += readBrackets(c, '(', ')');
  if (operator(c) === '<' && generic.has(first)) text += readAngles(c);
  if (first === 'interval') text += readIntervalFields(c);
  for (const preposition of ['with', 'without'] as const) {
    for (const local of [[], ['local']] as const) {
      const words = [preposition, ...local, 'time', 'zone'];
      if (accept(c, ...words)) text += ` ${words.join(' ')}`;
    }
  }
  while (word(c) === 'unsigned' || word(c) === 'signed' || word(c) === 'zerofill') {
    text += ` ${word(c)}`;
    c.index++;
  }
  if (word(c) === 'array' && first !== 'array') {
    text += '[]';
    c.index++;
  }
  while (operator(c) === '[') text += readBrackets(c, '[', ']');
  return text;
}

/** Types that take others in angles; behind all else `<` compares. */
const generic = new Set(['array', 'map', 'struct', 'range', 'uniontype', 'row']);

const fields = new Set(['year', 'month', 'day', 'hour', 'minute', 'second']);

/** `interval day to minute`. */
function readIntervalFields(c: Cursor): string {
  const from = word(c);
  if (!fields.has(from)) return '';
  c.index++;
  const to = word(c) === 'to' ? word(c, 1) : '';
  if (!fields.has(to)) return ` ${from}`;
  c.index += 2;
  return ` ${from} to ${to}${readBrackets(c, '(', ')')}`;
}

function readBrackets(c: Cursor, open: string, close: string): string {
  if (operator(c) !== open) return '';
  const from = c.index + 1;
  skipOne(c);
  let text = open;
  for (let index = from; index < c.index - 1; index++) text += c.tokens[index]?.text ?? '';
  return text + close;
}

/** `array<struct<a int>>`; `>>` closes two. */
function readAngles(c: Cursor): string {
  let depth = 0;
  let text = '';
  while (!done(c)) {
    const here = token(c);
    if (here === undefined) break;
    const spaced = /\w$/.test(text) && here.kind !== 'operator';
    text += (spaced ? ' ' : '') + here.text;
    c.index++;
    if (here.kind !== 'operator') continue;
    if (here.text === '<') depth++;
    else if (here.text === '>') depth--;
    else if (here.text === '>>') depth -= 2;
    if (depth <= 0) break;
  }
  return text;
}
