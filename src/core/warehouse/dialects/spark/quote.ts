export const quoteIdentifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** A text as a literal. Spark takes a backslash for an escape, whatever stands before it. */
export const quoteLiteral = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** `a.b.c`, each part quoted. */
export const quoteName = (parts: readonly string[]): string => parts.map(quoteIdentifier).join('.');
