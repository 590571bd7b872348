import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { allRules } from '../../src/core/lint/all-rules.ts';
import { applyFix, checkFiles } from '../support/check-files.ts';
import { type Example, readExamples } from './rule-page.ts';

const folder = fileURLToPath(new URL('../../src/core/lint/rules/', import.meta.url));

/** Where in the folder the page of each rule lies, which is beside the rule, e.g. `interval/wall-clock.md`. */
const pages: ReadonlyMap<string, string> = new Map(
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => [basename(name, '.md'), name.replaceAll('\\', '/')]),
);

test('every rule has a page of its name beside it, and every page a rule', () => {
  expect([...pages.keys()].sort()).toEqual(allRules.map(({ id }) => id).sort());
  for (const page of pages.values()) expect(existsSync(`${folder}${page.replace(/md$/, 'ts')}`), page).toBe(true);
});

test('the index lists every rule as it describes itself', () => {
  const index = readFileSync(fileURLToPath(new URL('../../docs/rules.md', import.meta.url)), 'utf8');
  const rows = index.split('\n').filter((line) => line.startsWith('| ['));
  expect(rows).toEqual(
    allRules.map(
      ({ id, severity, summary }) => `| [${id}](../src/core/lint/rules/${pages.get(id)}) | ${severity} | ${summary} |`,
    ),
  );
});

const shown = (files: Example['files'], place: { file: string; start: number; end: number; severity: string }) =>
  `${place.severity} at ${place.file}:${place.start} «${(files[place.file] ?? '').slice(place.start, place.end)}»`;

describe.each(allRules.map((rule) => rule.id))('%s', (id) => {
  const page = readFileSync(`${folder}${pages.get(id)}`, 'utf8');
  const examples = readExamples(page);

  test('its page has examples of both kinds', () => {
    expect(page.startsWith(`# ${id}\n`)).toBe(true);
    expect(examples.some(({ kind, marks }) => kind === 'bad' && marks.length > 0)).toBe(true);
    expect(examples.some(({ kind }) => kind === 'good')).toBe(true);
  });

  test.each(examples.filter(({ kind }) => kind === 'bad'))('marks what line $line marks', ({ files, marks }) => {
    const findings = checkFiles(files);
    const found = findings.filter((one) => one.rule === id).map((one) => ({ ...one.at, severity: one.severity }));
    expect(found.map((one) => shown(files, one))).toEqual(marks.map((mark) => shown(files, mark)));
    const others = findings.filter(
      (one) => one.rule !== id && (one.severity === 'error' || one.severity === 'warning'),
    );
    expect(others.map((one) => `${one.rule}: ${one.message}`)).toEqual([]);
  });

  test.each(examples.filter(({ kind }) => kind === 'bad'))('mends what line $line shows', ({ files }) => {
    for (const finding of checkFiles(files).filter((one) => one.rule === id)) {
      for (const fix of finding.fixes) {
        const after = checkFiles(applyFix(files, fix));
        expect(after.filter((one) => one.rule === id)).toEqual([]);
        expect(after.filter((one) => one.severity === 'error')).toEqual([]);
      }
    }
  });

  test('shows what a fix of it makes', () => {
    const made = examples
      .filter(({ kind }) => kind === 'bad')
      .flatMap(({ files }) =>
        checkFiles(files)
          .filter((one) => one.rule === id)
          .flatMap(({ fixes }) => fixes.map((fix) => applyFix(files, fix))),
      );
    const shownAs = examples.filter(({ kind }) => kind === 'good').map(({ files }) => JSON.stringify(files));
    if (made.length > 0)
      expect(shownAs).toContain(
        made.map((files) => JSON.stringify(files)).find((one) => shownAs.includes(one)) ?? made[0],
      );
  });

  test('shows rows of before and after', () => {
    if (id !== 'unknown-suppression') expect(page).toMatch(/^\|(?: ?-+ ?\|)+$/m);
  });

  test.each(examples.filter(({ kind }) => kind === 'good'))('is silent about line $line', ({ files }) => {
    const serious = checkFiles(files).filter((one) => one.rule === id || /^(error|warning)$/.test(one.severity));
    expect(serious.map((one) => `${one.rule}: ${one.message}`)).toEqual([]);
  });
});
