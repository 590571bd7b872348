import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HoverLinks } from '../../../core/view/document/hover-links.ts';

/** Addresses that VS Code opens from a hover: files with their line, and the command that declares a task. */
export const hoverLinks = (root: string): HoverLinks => ({
  place: (file, { line, column }) => inMarkdown(`${pathToFileURL(join(root, file)).href}#L${line},${column}`),
  declare(task) {
    const argument = { uri: pathToFileURL(root).href, task };
    return inMarkdown(`command:backfill.declareTask?${encodeURIComponent(JSON.stringify([argument]))}`);
  },
});

/** A parenthesis would end the address of a Markdown link. */
const inMarkdown = (address: string): string => address.replaceAll('(', '%28').replaceAll(')', '%29');
