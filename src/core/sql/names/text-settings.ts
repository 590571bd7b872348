import type { MaskedText } from '../../template/mask/masked-text.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';

/**
 * What a statement of PostgreSQL makes of a setting by which texts are read as values, such as the zone of `'2026-11-10'` as a moment, or
 * the order of day and month in `'10/11/2026'`.
 */
export interface TextSetting {
  /** In lower case. */
  readonly name: string;
  /** `undefined`: something that the text does not say. */
  readonly value: string | undefined;
}

const names =
  /\b(?:timezone|datestyle|intervalstyle|standard_conforming_strings|transform_null_equals|array_nulls|lc_time|lc_monetary|default_text_search_config|xmloption)\b/i;

/** Whether a text may set one of them. */
export const readsTextsOtherwise = (text: string): boolean =>
  names.test(text) || /\bset\b[^;]*\btime\s+zone\b/i.test(text);

/** `undefined`: the statement sets none of them, or puts it back to what the session began with. */
export function textSetting(text: MaskedText): TextSetting | undefined {
  if (!readsTextsOtherwise(text.text)) return undefined;
  const tokens = lex(text, 'postgres').tokens.filter(({ kind }) => kind !== 'terminator');
  const words = tokens.map(({ kind, text: word }) => (kind === 'word' ? word : ''));
  if (words[0] === 'set') {
    const scope = words[1] === 'session' || words[1] === 'local' ? 1 : 0;
    const name = words[1 + scope] ?? '';
    const isZone = name === 'time' && words[2 + scope] === 'zone';
    const given = tokens.slice(3 + scope);
    const isPutBack = given.length === 1 && /^(?:default|local)$/.test(words.at(-1) ?? '');
    if ((!isZone && !names.test(name)) || isPutBack) return undefined;
    return { name: isZone ? 'timezone' : name, value: textOf(given) };
  }
  const at = tokens.findIndex(
    ({ kind, text: word }, index) => kind === 'word' && word === 'set_config' && tokens[index + 1]?.text === '(',
  );
  const [name, , value, after] = tokens.slice(at + 2);
  if (at < 0 || name?.kind !== 'string' || !names.test(name.text)) return undefined;
  const isSaid = value?.kind === 'string' && after?.text === ',';
  return { name: name.text.toLowerCase(), value: isSaid ? value.text : undefined };
}

/** `'SQL, DMY'` or `SQL, DMY`. */
function textOf(tokens: readonly Token[]): string | undefined {
  const isValue = ({ kind, text }: Token): boolean =>
    kind === 'word' || kind === 'quoted' || kind === 'string' || kind === 'number' || text === ',';
  if (tokens.length === 0 || !tokens.every(isValue)) return undefined;
  return tokens
    .map(({ text }) => text)
    .join('')
    .replaceAll(',', ', ');
}
