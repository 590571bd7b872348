import type { Files } from '../support/check-files.ts';

/** A place that a page marks with carets. */
export interface Mark {
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly severity: string;
}

/** A fenced block of a rule's page: `python bad dags/load.py`; `with` adds a file to the block before it. */
export interface Example {
  readonly kind: 'bad' | 'good';
  readonly line: number;
  readonly files: Files;
  readonly marks: readonly Mark[];
}

const fence = /^```(\w+) (bad|good|with) ([\w./-]+)\n([\s\S]*?)^```$/gm;
const carets = /^ *(\^+) (error|warning|info|hint)$/;

/** The examples of a page. Lines of carets mark the line above them and are no part of the file. */
export function readExamples(page: string): Example[] {
  const examples: Example[] = [];
  for (const match of page.matchAll(fence)) {
    const [, , kind, file = '', body = ''] = match;
    const { text, marks } = withoutCarets(file, body);
    if (kind === 'with') {
      const last = examples.pop();
      if (last === undefined) throw new Error(`${file} belongs to no example`);
      examples.push({ ...last, files: { ...last.files, [file]: text }, marks: [...last.marks, ...marks] });
      continue;
    }
    const line = page.slice(0, match.index).split('\n').length;
    examples.push({ kind: kind as 'bad' | 'good', line, files: { [file]: text }, marks });
  }
  return examples;
}

function withoutCarets(file: string, body: string): { text: string; marks: Mark[] } {
  let text = '';
  let lineStart = 0;
  const marks: Mark[] = [];
  for (const line of body.split('\n').slice(0, -1)) {
    const found = carets.exec(line);
    if (found === null) {
      lineStart = text.length;
      text += `${line}\n`;
      continue;
    }
    const start = lineStart + line.indexOf('^');
    marks.push({ file, start, end: start + (found[1] ?? '').length, severity: found[2] ?? '' });
  }
  return { text, marks };
}
