import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Plan, PlanFinding, PlanUnit, Reason, UnitSlice } from '../../../src/core/plan/model/plan.ts';
import { decodeRunDocument, encodeRunDocument, type RunDocument } from '../../../src/core/run/stored/run-document.ts';
import { defaultRunOptions } from '../../../src/core/run/unit/run-options.ts';
import { beginningOfTime, endOfTime, instant } from '../../../src/core/time/zones/instant.ts';
import { jobsOf, planOf } from '../../support/fake-run.ts';

const plain = planOf([
  { task: 'dag.a', index: 0 },
  { task: 'dag.b', index: 0, waitsFor: [{ task: 'dag.a', first: 0, last: 0 }] },
]);
const sample: RunDocument = {
  plan: plain,
  jobs: jobsOf(plain, 'r'),
  refused: new Map([
    ['dag.b@0', { code: 'not-runnable', message: 'm', remedy: 'r', at: { file: 'f', start: 1, end: 2 } }],
  ]),
  options: defaultRunOptions,
};

const anyInstant = fc.oneof(
  fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }).map(instant),
  fc.constantFrom(beginningOfTime, endOfTime),
);
const anyReason: fc.Arbitrary<Reason> = fc.oneof(
  fc.constant<Reason>({ kind: 'selected' }),
  fc.constant<Reason>({ kind: 'own-tail' }),
  fc.record({ kind: fc.constant('by-order' as const), parent: fc.string() }),
  fc.record({
    kind: fc.constant('reads-parent' as const),
    parent: fc.string({ unit: 'binary' }),
    table: fc.string(),
    from: anyInstant,
    to: anyInstant,
  }),
);
const anySlice: fc.Arbitrary<UnitSlice> = fc.record({
  table: fc.string(),
  column: fc.option(fc.string(), { nil: undefined }),
  from: fc.option(anyInstant, { nil: undefined }),
  to: fc.option(anyInstant, { nil: undefined }),
  mode: fc.constantFrom('append', 'delete+insert', 'merge', 'unknown'),
});
const anyGrade: fc.Arbitrary<Pick<PlanFinding, 'code' | 'severity'>> = fc.constantFrom(
  { code: 'missing-previous', severity: 'error' },
  { code: 'retention', severity: 'warning' },
  { code: 'schema-change', severity: 'info' },
);
const anyFindingText = fc.record({
  message: fc.string(),
  task: fc.option(fc.string(), { nil: undefined }),
  needs: fc.option(anySlice, { nil: undefined }),
});
const anyFinding = fc.tuple(anyGrade, anyFindingText).map(([grade, said]) => ({ ...grade, ...said }) as PlanFinding);
const anyPlan: fc.Arbitrary<Plan> = fc
  .tuple(
    fc.array(
      fc.record({ start: anyInstant, next: anyInstant, reasons: fc.array(anyReason), slices: fc.array(anySlice) }),
    ),
    fc.array(anyFinding),
  )
  .map(([parts, findings]) => {
    const base = planOf(parts.map((_, index) => ({ task: 't', index })));
    const units = parts.map(
      (part, index): PlanUnit => ({
        ...(base.units[index] as PlanUnit),
        ...part,
        data: { start: part.start, end: part.next },
      }),
    );
    return { ...base, units, findings };
  });

/** JSON keeps no `undefined` members; nor should a comparison. */
const decoded = (document: string): RunDocument => {
  const result = decodeRunDocument(document);
  if (!result.ok) throw new Error(result.reason);
  return result.value;
};

describe('stored run documents', () => {
  test('come back as they were', () => {
    expect(decoded(encodeRunDocument(sample))).toEqual(sample);
  });

  test('come back for any plan, open ends and odd names included', () => {
    fc.assert(
      fc.property(anyPlan, (plan) => {
        const document = { ...sample, plan, jobs: jobsOf(plan, 'r') };
        expect(decoded(encodeRunDocument(document))).toEqual(document);
      }),
    );
  });

  test('come back with all that is known of a unit which a scheduler carries out', () => {
    const [first, last] = [instant(Date.UTC(2026, 9, 20)), instant(Date.UTC(2026, 9, 21))];
    const carried = {
      scheduler: 'prod',
      dag: 'dag',
      task: 'a',
      at: { start: first, end: last },
      uncompared: 'nobody knows',
      locksItself: true,
      range: { first, last, units: 2, maxActiveRuns: 1 },
    };
    const document = { ...sample, jobs: new Map([...sample.jobs].map(([unit, job]) => [unit, { ...job, carried }])) };
    expect(decoded(encodeRunDocument(document))).toEqual(document);
  });

  test.each([
    ['not JSON', () => '{"version":1,', 'not readable'],
    ['nothing of ours', () => '[]', 'no version'],
    [
      'a later version',
      () => encodeRunDocument(sample).replace('"version":1', '"version":2'),
      'version 2, this program reads version 1',
    ],
    [
      'an unknown member',
      () => encodeRunDocument(sample).replace('"jobs":', '"extra":1,"jobs":'),
      'extra: expected no such member',
    ],
    [
      'a missing member',
      () => encodeRunDocument(sample).replace('"concurrency":4,', ''),
      'options.concurrency: expected a whole number, found nothing',
    ],
    [
      'a wrong type',
      () => encodeRunDocument(sample).replace('"concurrency":4', '"concurrency":"4"'),
      'options.concurrency',
    ],
    [
      'a wrong word',
      () => encodeRunDocument(sample).replace('"compare":"rows"', '"compare":"some"'),
      'jobs[0][1].options.compare: expected one of rows, checksums, none, found "some"',
    ],
    [
      'a local time',
      () => encodeRunDocument(sample).replace(/"now":"[^"]*"/, '"now":"2026-01-01T00:00:00"'),
      'plan.now: expected an instant in UTC',
    ],
    [
      'a wait for no unit',
      () => encodeRunDocument(sample).replace('"last":0', '"last":7'),
      'waits for a unit of dag.a that is missing',
    ],
  ])('%s is refused with its place', (_, document, reason) => {
    const result = decodeRunDocument(document());
    expect(result).toEqual({ ok: false, reason: expect.stringContaining(reason) });
  });
});
