/** A text as Markdown that reads as it is. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|]/g, '\\$&');
