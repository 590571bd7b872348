import type { SourceSpan } from '../../text/span.ts';
import type { LintContext } from '../context/lint-context.ts';

/**
 * Whether a call before a write, in the same function, takes away what lies in the folder that both of them name:
 * `clear_folder(root + "/sales")`, `dbutils.fs.rm(path, True)`, `shutil.rmtree(path)`.
 */
export function clearsFolder(context: LintContext, at: SourceSpan): boolean {
  const text = context.text(at.file) ?? '';
  const start = Math.max(0, text.lastIndexOf('\ndef ', at.start), text.lastIndexOf('\n    def ', at.start));
  const before = text.slice(start, at.start);
  // A chain of calls names its folder behind its mode.
  const [rest = ''] = text.slice(at.end, at.end + reach).split(/\n\s*\n/, 1);
  for (const { 0: call, index } of before.matchAll(clearing)) {
    if (/\bdef\s+$/.test(before.slice(0, index))) continue;
    const behind = plain(text.slice(start + index + call.length, at.end) + rest);
    const folder = firstArgument(behind);
    if (folder.length > 1 && behind.includes(folder, folder.length)) return true;
  }
  return false;
}

const reach = 300;

const clearing =
  /\b(?:\w{0,40}(?:clear|purge|wipe|empty|delete|remove)\w{0,20}(?:folder|path|dir|directory|prefix|objects|s3)\w{0,40}|fs\.rm|rmtree|fs\.delete)\s*\(/gi;

const plain = (text: string): string => text.replace(/\s+/g, '').replaceAll("'", '"');

/** Up to the comma or the bracket that ends it. */
function firstArgument(text: string): string {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter) && depth-- === 0) return text.slice(0, at);
    else if (letter === ',' && depth === 0) return text.slice(0, at);
  }
  return '';
}
