import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import type { FileAnswer, SerializedDag } from '../../../src/core/pipeline/readers/airflow/answers/airflow-answer.ts';
import { decodeAnswer } from '../../../src/core/pipeline/readers/airflow/answers/decode-answer.ts';
import { timetableSchedule } from '../../../src/core/pipeline/readers/airflow/answers/timetable-schedule.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();
const file = 'dags/orders.py';
const text = `from datetime import datetime
from airflow import DAG
from airflow.operators.empty import EmptyOperator
with DAG("orders", schedule="@daily", start_date=datetime(2024, 1, 1)) as dag:
    first = EmptyOperator(task_id="first")
    for table in tables():
        first >> EmptyOperator(task_id=f"copy_{table}")
    first >> EmptyOperator(task_id="last")
`;

const daily: SerializedDag = {
  id: 'orders',
  file,
  timetable: {
    type: 'airflow.timetables.interval.CronDataIntervalTimetable',
    parts: { expression: '0 0 * * *', timezone: 'UTC' },
  },
  zone: 'UTC',
  startDate: instant(Date.UTC(2024, 0, 1)),
  endDate: undefined,
  catchup: true,
  tasks: [
    { id: 'first', operator: 'EmptyOperator', mapped: false, downstream: ['copy_a', 'copy_b', 'last'] },
    { id: 'copy_a', operator: 'EmptyOperator', mapped: false, downstream: [] },
    { id: 'copy_b', operator: 'EmptyOperator', mapped: false, downstream: [] },
    { id: 'last', operator: 'EmptyOperator', mapped: false, downstream: [] },
  ],
};

const answered = (dags: readonly SerializedDag[], errors: readonly string[] = []): FileAnswer => ({
  version: '2.11.2',
  dags,
  errors,
  texts: new Map([[file, text]]),
});

function read(answer: FileAnswer | undefined, now = text) {
  const reader = createWorkspaceReader(parser, { ...defaultReaderOptions, airflowVersion: 2 });
  const answers = new Map(answer === undefined ? [] : [[file, answer]]);
  const [reading] = reader.read(fileSetOf(new Map([[file, now]])), answers).files;
  const [pipeline] = reading?.pipelines ?? [];
  const said = (reading?.problems ?? []).map(
    ({ message, at, severity }) => `${severity} ${message} «${at && now.slice(at.start, at.end)}»`,
  );
  return { pipeline, pipelines: reading?.pipelines ?? [], said };
}

describe('what Airflow says of a file', () => {
  test('tasks made at one place take its place, with their edges, and are left to Airflow', () => {
    const { pipeline, said } = read(answered([daily]));
    expect(pipeline?.tasks.map(({ id, executor }) => `${id} ${executor.kind}`)).toEqual([
      'orders.first airflow',
      'orders.last airflow',
      'orders.copy_a airflow',
      'orders.copy_b airflow',
    ]);
    expect(pipeline?.edges.map(({ from, to }) => `${from} ${to}`).sort()).toEqual([
      'orders.first orders.copy_a',
      'orders.first orders.copy_b',
      'orders.first orders.last',
    ]);
    expect(pipeline?.airflow).toEqual({ version: '2.11.2', corrected: ['tasks', 'edges'] });
    expect(said).toContain(
      'info Airflow 2.11.2 makes copy_a, copy_b here; a plan hands them to Airflow. «f"copy_{table}"»',
    );
    // That the name is not known is no longer so.
    expect(said).toHaveLength(1);
  });

  test.each<[string, Partial<SerializedDag>, string]>([
    ['catchup', { catchup: false }, 'warning Airflow 2.11.2 has catchup off for this DAG, which is used.'],
    [
      'start-date',
      { startDate: instant(Date.UTC(2025, 0, 1)) },
      'warning Airflow 2.11.2 has the start date 2025-01-01T00:00:00Z, which is used. «datetime(2024, 1, 1)»',
    ],
    [
      'schedule',
      { timetable: { type: 'airflow.timetables.simple.NullTimetable', parts: {} } },
      'warning The schedule is read as "@daily" in UTC, with an interval from each tick to the next; Airflow 2.11.2 has no schedule, which is used. «schedule="@daily"»',
    ],
    [
      'zone',
      { zone: 'Europe/Berlin' },
      'warning The time zone is read as UTC; Airflow 2.11.2 has Europe/Berlin, which is used. «datetime(2024, 1, 1)»',
    ],
  ])('%s is corrected, and said at its place', (fact, otherwise, message) => {
    const { pipeline, said } = read(answered([{ ...daily, ...otherwise }]));
    expect(pipeline?.airflow?.corrected).toContain(fact);
    expect(said.some((line) => line.startsWith(message))).toBe(true);
  });

  test('the anchor of the grid is Airflow’s', () => {
    const at = instant(Date.UTC(2025, 0, 1));
    const { pipeline } = read(answered([{ ...daily, startDate: at, endDate: at, catchup: false }]));
    expect(pipeline?.anchor).toEqual({ startDate: at, endDate: at, catchup: false });
    expect(pipeline?.catchup.value).toBe(false);
  });

  test('a file that cannot be loaded stays as it was read, and says so at the line of the traceback', () => {
    const trace = `Traceback (most recent call last):\n  File "/srv/${file}", line 6, in <module>\n    for table in tables():\nNameError: name 'tables' is not defined`;
    const { pipeline, said } = read(answered([], [trace]));
    expect(pipeline).toEqual(read(undefined).pipeline);
    expect(said).toContain(
      "warning Airflow 2.11.2 cannot load this file: NameError: name 'tables' is not defined. It is shown as it was read without running it. «    for table in tables():»",
    );
  });

  test('a DAG that cannot be told from the text is there with its order', () => {
    const other = { ...daily, id: 'made' };
    const { pipelines } = read(answered([daily, other]));
    expect(pipelines.map(({ id, tasks }) => `${id} ${tasks.length}`)).toEqual(['orders 4', 'made 4']);
    expect(pipelines[1]?.edges).toHaveLength(3);
  });

  test('an answer for another text is no answer', () => {
    const now = text.replace('"last"', '"end"');
    expect(read(answered([daily]), now)).toEqual(read(undefined, now));
  });
});

const whole = JSON.stringify({
  airflow: '3.3.2',
  dags: [{ ...daily, file: 0, timetable: { __type: daily.timetable.type, __var: {} }, timeZone: 'UTC' }],
  errors: [{ file: 0, message: 'no' }],
});

describe('the answer as it is written', () => {
  test('is read', () => {
    const decoded = decodeAnswer(whole, [file]);
    expect(decoded.ok && decoded.answer.dags[0]?.tasks).toEqual(daily.tasks);
    expect(decoded.ok && decoded.answer.errors).toEqual([{ file, message: 'no' }]);
  });

  test('is torn wherever it ends too early', () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), (length) => {
        expect(decodeAnswer(whole.slice(0, length), [file])).toEqual({ ok: false, reason: 'torn' });
      }),
    );
  });

  test('never throws, whatever it is', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void decodeAnswer(JSON.stringify(value), [file])));
  });

  test('says that there is no Airflow', () => {
    expect(decodeAnswer('{"airflow":null,"dags":[],"errors":[]}', [])).toEqual({ ok: false, reason: 'no-airflow' });
  });
});

test.each<[string, Record<string, unknown>, object]>([
  ['interval.DeltaDataIntervalTimetable', { delta: 90_061.5 }, { step: { months: 0, days: 1, ms: 3_661_500 } }],
  [
    'interval.DeltaDataIntervalTimetable',
    { delta: { __type: 'relativedelta', __var: { months: 1, days: 2, hours: 3 } } },
    { step: { months: 1, days: 2, ms: 10_800_000 } },
  ],
  ['trigger.DeltaTriggerTimetable', { delta: 3600, interval: 0 }, { kind: 'delta', intervals: 'zero-width' }],
  [
    'trigger.CronTriggerTimetable',
    { expression: '@daily', timezone: -12_600, interval: 86_400 },
    { zone: '-03:30', intervals: { before: 86_400_000 } },
  ],
  [
    'trigger.MultipleCronTriggerTimetable',
    { expressions: ['0 1 * * *', '0 2 * * *'], timezone: 'Europe/Berlin', interval: 0 },
    { expression: '0 1 * * *', others: ['0 2 * * *'], zone: 'Europe/Berlin', intervals: 'zero-width' },
  ],
  [
    'assets.AssetOrTimeSchedule',
    { timetable: { __type: 'airflow.timetables.interval.DeltaDataIntervalTimetable', __var: { delta: 3600 } } },
    { kind: 'delta', orAssets: true },
  ],
  ['simple.ContinuousTimetable', {}, { kind: 'continuous' }],
  ['events.EventsTimetable', {}, { kind: 'unknown' }],
])('%s is a schedule', (name, parts, expected) => {
  expect(timetableSchedule({ type: `airflow.timetables.${name}`, parts }, 'UTC')).toMatchObject(expected);
});
