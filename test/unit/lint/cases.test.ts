import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { allRules } from '../../../src/core/lint/all-rules.ts';
import { lineIndex } from '../../../src/core/text/line-index.ts';
import { checkFiles, type Files } from '../../support/check-files.ts';

/** The right answer for one place, 1-based; a finding must start on the line and start at or cover the column. */
interface ExpectedFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly rule: string;
  readonly severity: string;
  readonly at: string;
}

interface Case {
  readonly findings: readonly ExpectedFinding[];
  /** Rules that may also speak; `rule:severity` where only that grade is right. */
  readonly acceptable?: readonly string[];
}

const folder = fileURLToPath(new URL('../../fixtures/cases/', import.meta.url));
const built: ReadonlySet<string> = new Set(allRules.map(({ id }) => id));

function inputOf(name: string): Files {
  const root = join(folder, name, 'input');
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path.slice(root.length + 1).replaceAll('\\', '/'), readFileSync(path, 'utf8')];
    }),
  );
}

const isSerious = (severity: string): boolean => severity === 'error' || severity === 'warning';

test.each(readdirSync(folder))('%s', (name) => {
  const { findings: all, acceptable = [] }: Case = JSON.parse(
    readFileSync(join(folder, name, 'expected.json'), 'utf8'),
  );
  const expected = all.filter(({ rule }) => built.has(rule));
  const files = inputOf(name);
  const left = checkFiles(files).map((finding) => {
    const lines = lineIndex(files[finding.at.file] ?? '');
    const start = lines.position(finding.at.start);
    return {
      ...finding,
      start,
      end: lines.position(finding.at.end),
      label: `${finding.at.file}:${start.line}:${start.column} ${finding.rule}`,
    };
  });
  for (const one of expected) {
    const hit = left.findIndex(
      ({ rule, at, start, end, severity }) =>
        rule === one.rule &&
        severity === one.severity &&
        at.file === one.file &&
        start.line === one.line &&
        end.line - start.line <= 2 &&
        start.column <= one.column &&
        (end.line > one.line || one.column < end.column),
    );
    expect(
      hit,
      `${one.file}:${one.line}:${one.column} ${one.rule} ${one.severity} at ${one.at}`,
    ).toBeGreaterThanOrEqual(0);
    left.splice(hit, 1);
  }
  const isAcceptable = (rule: string, severity: string): boolean =>
    acceptable.includes(rule) || acceptable.includes(`${rule}:${severity}`);
  const extra = left.filter(({ severity, rule }) => isSerious(severity) && !isAcceptable(rule, severity));
  expect(extra.map(({ label }) => label)).toEqual([]);
});
