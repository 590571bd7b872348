import type { Statement } from '../../sql/model/statement.ts';
import type { MaskedText } from '../../template/mask/masked-text.ts';

/** Words behind which a value or a name stands, no clause. */
const opensValue =
  /(?:^|[^\w.])(?:from|join|into|using|table|where|and|or|not|in|like|ilike|between|by|on|as|values?|select|distinct|limit|offset|fetch|when|then|else|interval|date|timestamp|set|is|all|union|except|intersect|lateral|only)$/i;

/** `INSERT INTO t … {clause}`: what is put in behind a whole INSERT, as "what clause puts", may well say what happens to rows that are there. */
export function putInBehind(masked: MaskedText, statement: Statement): string | undefined {
  const { kind, start, end, conflict, query, valueRows } = statement;
  // Behind the target alone the rows themselves are put in.
  if (kind !== 'insert' || conflict !== undefined || (query === undefined && valueRows === 0)) return undefined;
  const last = masked.holes.findLast((hole) => hole.start >= start && hole.end <= end);
  if (last === undefined || last.origin === 'parameter' || last.value.kind === 'time') return undefined;
  const behind = masked.text.slice(last.end, end).replace(/[\s;]+$/, '');
  const before = masked.text.slice(start, last.start);
  if (behind !== '' || !/\s$/.test(before)) return undefined;
  const written = before.trimEnd();
  return /[\w)\]'"`]$/.test(written) && !opensValue.test(written) ? `what ${last.source} puts` : undefined;
}
