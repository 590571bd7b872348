import type { SessionSetting } from '../../../model/task-session.ts';

/** Settings by the options that a client sends at the start of its session, or the first part that is something else. */
export type StartOptions =
  | { readonly settings: readonly Pick<SessionSetting, 'name' | 'value'>[] }
  | { readonly unread: string };

/**
 * Reads `-c search_path=mart -c work_mem=64MB` as the server does: parts are separated by white space, a backslash takes
 * the character behind it as it is, and `--name=value` is `-c name=value`. Other options (`-d 2`) are not read. White
 * space inside a template expression separates nothing.
 */
export function startOptions(text: string): StartOptions {
  const parts = partsOf(text);
  const settings: Pick<SessionSetting, 'name' | 'value'>[] = [];
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index] ?? '';
    const long = /^--([\s\S]*)$/.exec(part)?.[1];
    const short = part === '-c' ? parts[++index] : /^-c([\s\S]+)$/.exec(part)?.[1];
    const given = /^([^=]+)=([\s\S]*)$/.exec(long ?? short ?? '');
    if (given === null) return { unread: part === '-c' && short !== undefined ? `-c ${short}` : part };
    // The server does not tell them apart, and takes either in this place only.
    const name = (given[1] ?? '').replaceAll('-', '_').toLowerCase();
    settings.push({ name, value: given[2] ?? '' });
  }
  return { settings };
}

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let part: string | undefined;
  for (const [piece, template, escaped, space] of text.matchAll(/(\{\{[\s\S]*?\}\})|\\([\s\S])|(\s+)|[\s\S]/g)) {
    if (space !== undefined) {
      if (part !== undefined) parts.push(part);
      part = undefined;
    } else part = (part ?? '') + (template ?? escaped ?? piece);
  }
  return part === undefined ? parts : [...parts, part];
}
