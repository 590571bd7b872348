/** A type of Spark, as far as its parts are hashed apart. */
export type ColumnType =
  | { readonly kind: 'plain'; readonly name: string }
  | { readonly kind: 'array'; readonly element: ColumnType }
  | { readonly kind: 'map'; readonly key: ColumnType; readonly value: ColumnType }
  | { readonly kind: 'struct'; readonly fields: readonly { readonly name: string; readonly type: ColumnType }[] };

/** A type as DESCRIBE writes it, e.g. `array<struct<a:int,b:map<string,double>>>`; `undefined` where it is not understood. */
export function parseColumnType(text: string): ColumnType | undefined {
  const trimmed = text.trim();
  const open = /^(array|map|struct)<(.*)>$/is.exec(trimmed);
  if (open === null) return /[<>]/.test(trimmed) ? undefined : { kind: 'plain', name: trimmed.toLowerCase() };
  const [, kind = '', inside = ''] = open;
  const parts = splitOutside(inside, ',');
  switch (kind.toLowerCase()) {
    case 'array': {
      const element = parseColumnType(inside);
      return element && { kind: 'array', element };
    }
    case 'map': {
      const [key, value] = parts.map(parseColumnType);
      return key && value && parts.length === 2 ? { kind: 'map', key, value } : undefined;
    }
    default: {
      const fields = parts.flatMap((part) => {
        const [name = '', ...rest] = splitOutside(part, ':');
        // NOT NULL and comments of fields say nothing about values.
        const type = parseColumnType(rest.join(':').replace(/\s+(?:not null|comment\b.*)$/is, ''));
        return type === undefined ? [] : [{ name: name.trim().replace(/^`(.*)`$/s, '$1'), type }];
      });
      return fields.length === parts.length ? { kind: 'struct', fields } : undefined;
    }
  }
}

/** Cut at a character that stands neither inside of `<>` or `()` nor of backticks. */
function splitOutside(text: string, at: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index] as string;
    if (char === '`') quoted = !quoted;
    else if (quoted) continue;
    else if ('<('.includes(char)) depth++;
    else if ('>)'.includes(char)) depth--;
    else if (char === at && depth === 0) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, text.slice(from)];
}
