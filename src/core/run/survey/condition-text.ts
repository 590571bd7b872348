import { lex } from '../../sql/lex/lexer.ts';
import type { Token } from '../../sql/lex/token.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import type { TableDescription } from '../../warehouse/port/table-description.ts';

const tokensOf = (condition: string): readonly Token[] => lex(plainText(condition), 'postgres').tokens;

const isNamed = ({ kind, text }: Token, name: string): boolean =>
  (kind === 'word' || kind === 'quoted') && text === name;

/** Columns of the table of which one of the conditions may speak: all whose name stands there. */
export function namedColumns(conditions: readonly string[], { columns }: TableDescription): readonly string[] {
  const names = new Set(
    conditions.flatMap((condition) =>
      tokensOf(condition).flatMap(({ kind, text }) => (kind === 'word' || kind === 'quoted' ? [text] : [])),
    ),
  );
  return columns.flatMap(({ name }) => (names.has(name) ? [name] : []));
}

/** Words by which a bound would be more than a value. */
const joining = new Set(['and', 'or', 'not', 'between', 'in', 'is', 'case', 'like', 'ilike', 'similar']);

/** The bounds, as SQL, of `column >= from AND column < to` in this order; `undefined`: the condition is another one. */
export function plainRange(
  condition: string,
  column: string,
  table: TableDescription,
): { readonly from: string; readonly to: string } | undefined {
  const tokens = tokensOf(condition);
  const and = tokens.findIndex(({ kind, text }) => kind === 'word' && text === 'and');
  const bound = (part: readonly Token[], operator: string): string | undefined => {
    const [name, sign, ...value] = part;
    const [first, last] = [value[0], value.at(-1)];
    if (name === undefined || first === undefined || last === undefined) return undefined;
    if (!isNamed(name, column) || sign?.kind !== 'operator' || sign.text !== operator) return undefined;
    const isMore = value.some(
      ({ kind, text }) =>
        (kind === 'word' && joining.has(text)) || (kind === 'operator' && /^(?:<|>|=|<=|>=|<>|!=)$/.test(text)),
    );
    const text = condition.slice(first.start, last.end);
    return isMore || namedColumns([text], table).length > 0 ? undefined : text;
  };
  const from = and < 0 ? undefined : bound(tokens.slice(0, and), '>=');
  const to = and < 0 ? undefined : bound(tokens.slice(and + 1), '<');
  return from === undefined || to === undefined ? undefined : { from, to };
}
