import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderTemplate } from '../../../src/core/template/render/render.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { ownSql } from './own-sql.ts';

type Results = string | null | readonly (string | null)[];

interface Corpus {
  readonly dagId: string;
  readonly taskId: string;
  readonly cases: readonly { readonly start: string; readonly end: string; readonly zone: string }[];
  readonly params: Record<string, unknown>;
  readonly variables: Record<string, unknown>;
  readonly modules: Record<string, string>;
  readonly entries: readonly (readonly [template: string, must: 0 | 1, two: Results, three: Results | 0, own?: 1])[];
}

const corpus = JSON.parse(readFileSync('test/fixtures/template/rendered.json', 'utf8')) as Corpus;

/** What the real Airflow gives, and what the renderer gives, for every template, version and case. */
function* comparisons() {
  for (const [template, must, two, three, own] of corpus.entries) {
    const environment = own === 1 ? ownSql(template, corpus.modules)?.environment : undefined;
    for (const airflowVersion of [2, 3] as const) {
      const results = airflowVersion === 3 && three !== 0 ? three : two;
      for (const [index, { start, end, zone }] of corpus.cases.entries()) {
        const expected = typeof results === 'string' || results === null ? results : (results[index] ?? null);
        const context = {
          interval: { start: instant(Date.parse(start)), end: instant(Date.parse(end)) },
          zone,
          dagId: corpus.dagId,
          taskId: corpus.taskId,
          params: corpus.params,
          variables: corpus.variables,
          airflowVersion,
        };
        const rendered = renderTemplate(template, context, environment);
        yield { template, must: must === 1, where: `Airflow ${airflowVersion}, ${start} ${zone}`, expected, rendered };
      }
    }
  }
}

describe('against the real Airflow', () => {
  const all = [...comparisons()];

  test('the corpus has not been lost', () => {
    expect(corpus.entries.length).toBeGreaterThan(1300);
    expect(all.filter(({ must, expected }) => must && expected !== null).length).toBeGreaterThan(1800);
  });

  test('whatever is rendered is what Airflow renders', () => {
    const wrong = all.flatMap(({ template, where, expected, rendered }) =>
      rendered.ok && rendered.text !== expected ? [{ template, where, expected, actual: rendered.text }] : [],
    );
    expect(wrong).toEqual([]);
  });

  test('the common expressions are rendered, not refused', () => {
    const refused = all.flatMap(({ template, must, where, expected, rendered }) =>
      must && expected !== null && !rendered.ok ? [{ template, where, reason: rendered.reason }] : [],
    );
    expect(refused).toEqual([]);
  });

  test('a refusal says why and where', () => {
    for (const { template, rendered } of all) {
      if (rendered.ok) continue;
      expect(rendered.reason).not.toBe('');
      expect(rendered.start).toBeLessThanOrEqual(rendered.end);
      expect(rendered.end).toBeLessThanOrEqual(template.length);
      expect(template.slice(rendered.start, rendered.end).replace(/\r\n?/g, '\n')).toBe(rendered.expression);
    }
  });
});
