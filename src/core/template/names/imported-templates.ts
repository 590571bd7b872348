const importTag = /\{%[-+]?\s*(?:import|from)\s+(?:"([^"\n]+)"|'([^'\n]+)')/g;
/** More than any project has; a template that imports itself is read once. */
const mostTemplates = 50;

/** The templates that a text imports, and those that they import, by the path that names them. */
export function importedTemplates(
  text: string,
  read: (path: string) => string | undefined,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const open = [text];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const [, double, single] of next.matchAll(importTag)) {
      const path = double ?? single ?? '';
      const module = found.has(path) || found.size >= mostTemplates ? undefined : read(path);
      if (module === undefined) continue;
      found.set(path, module);
      open.push(module);
    }
  return found;
}
