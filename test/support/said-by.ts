import { checkFiles, type Files, inWords } from './check-files.ts';

/** What one rule says of some files: `error «marked text»`. */
export const saidBy = (rule: string, files: Files): string[] =>
  checkFiles(files)
    .filter((finding) => finding.rule === rule)
    .map((finding) => inWords(files, finding).slice(rule.length + 1));
