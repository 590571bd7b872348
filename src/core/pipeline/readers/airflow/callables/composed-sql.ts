import { unknown } from '../../../python/values/make-value.ts';
import { plainText, TextBuilder } from '../../../python/values/text-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';

/** Parts of a statement as psycopg puts it together: `sql.SQL("… {}").format(sql.Identifier(schema, table))`. */
export function composedSql(name: string, call: Call): Value | undefined {
  const part = /^psycopg2?\.sql\.(\w+)$/.exec(name)?.[1];
  const [first] = call.positional;
  switch (part) {
    case 'SQL':
      return first;
    case 'Identifier':
      return identifier(call);
    case 'Literal': {
      const text = plainText(first);
      if (text === undefined) return first;
      const builder = new TextBuilder();
      builder.derived(`'${text.replaceAll("'", "''")}'`, call.positionalAt[0]);
      return builder.build();
    }
    case 'Placeholder': {
      const builder = new TextBuilder();
      const key = plainText(first);
      builder.derived(key === undefined ? '%s' : `%(${key})s`, call.at);
      return builder.build();
    }
    case 'Composed':
      return unknown('a statement put together from parts');
    default:
      return undefined;
  }
}

function identifier(call: Call): Value | undefined {
  const [only, ...others] = call.positional;
  if (others.length === 0) return only;
  const builder = new TextBuilder();
  for (const [index, value] of call.positional.entries()) {
    if (value.kind !== 'text') return unknown('a name put together from parts that are not known');
    if (index > 0) builder.derived('.', call.at);
    builder.append(value, call.positionalAt[index]);
  }
  return builder.build();
}
