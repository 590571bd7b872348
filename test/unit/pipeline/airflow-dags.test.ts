import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Pipeline } from '../../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions, type ReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import type { WorkspaceReading } from '../../../src/core/pipeline/model/workspace-reading.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { makeGrid } from '../../../src/core/time/intervals/make-grid.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { toIso } from '../../../src/core/time/zones/iso.ts';
import { shift } from '../../../src/core/time/zones/shift.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

/** What real Airflows made of the DAG files beside it; written by scripts/airflow/generate.sh. Times are minutes. */
type Fixture = Readonly<Record<string, Readonly<Record<string, readonly Facts[]>>>>;

interface Facts {
  readonly by: readonly string[];
  readonly timetable: string;
  readonly catchup: boolean;
  readonly first?: number;
  readonly steps?: readonly (readonly [step: number, times: number])[];
  readonly lengths?: readonly (readonly [length: number, times: number])[];
  readonly tasks?: Readonly<Record<string, TaskFacts>>;
}

interface TaskFacts {
  readonly retries: number;
  readonly triggerRule: string;
  readonly dependsOnPast: boolean;
  readonly params: Readonly<Record<string, unknown>>;
  /** Minutes from a sensor's own logical date to those that it looks for. */
  readonly waitsFor?: readonly number[];
}

const folder = new URL('../../fixtures/airflow/', import.meta.url);
const fixture: Fixture = JSON.parse(readFileSync(new URL('dags.json', folder), 'utf8'));

const settings: Readonly<Record<string, Partial<ReaderOptions> & { readonly configuration?: string }>> = {
  2: { airflowVersion: 2 },
  3: { airflowVersion: 3 },
  '2 without cron intervals': { airflowVersion: 2, configuration: 'create_cron_data_intervals = False' },
  '3 with cron intervals': { airflowVersion: 3, configuration: 'create_cron_data_intervals = True' },
  '3 with delta intervals': { airflowVersion: 3, configuration: 'create_delta_data_intervals = True' },
};

/** Schedules that have runs in Airflow and no grid here; each says why. */
const withoutGrid: Readonly<Record<string, RegExp>> = {
  trigger_month: /interval of its own in months/,
  events: /listed dates/,
  once: /runs once/,
  once_timetable: /runs once/,
  continuous: /runs continuously/,
};

const parser = await loadPythonParser();

const sourceOf = (file: string): string => readFileSync(new URL(`dags/${file}`, folder), 'utf8');

function readFiles(files: Readonly<Record<string, string>>, label: string): WorkspaceReading {
  const { configuration = '', ...options } = settings[label] ?? {};
  const all = { ...files, 'airflow.cfg': `[scheduler]\n${configuration}\n` };
  const reader = createWorkspaceReader(parser, { ...defaultReaderOptions, ...options });
  return reader.read(fileSetOf(new Map(Object.entries(all))));
}

function read(file: string, label: string): ReadonlyMap<string, Pipeline> {
  const reading = readFiles({ [file]: sourceOf(file) }, label);
  return new Map(reading.files.flatMap(({ pipelines }) => pipelines).map((pipeline) => [pipeline.id, pipeline]));
}

const expand = (pairs: Facts['steps'] = []): number[] =>
  pairs.flatMap(([value, times]) => Array.from({ length: times }, () => value));

function airflowRuns({ first, steps, lengths }: Facts): string[] {
  if (first === undefined) return [];
  const starts = [first];
  for (const step of expand(steps)) starts.push((starts.at(-1) ?? 0) + step);
  return expand(lengths).map((length, index) => {
    const start = starts[index] ?? Number.NaN;
    return `${iso(start)}/${iso(start + length)}`;
  });
}

const iso = (minutes: number): string => toIso(instant(minutes * 60_000));

for (const [file, dags] of Object.entries(fixture)) {
  const labels = new Set(Object.values(dags).flatMap((facts) => facts.flatMap(({ by }) => by)));
  describe.each([...labels])(`${file} under Airflow %s`, (label) => {
    const pipelines = read(file, label);
    const told = Object.entries(dags).flatMap(([id, facts]) =>
      facts.filter(({ by }) => by.includes(label)).map((one) => [id, one] as const),
    );

    test('has these DAGs', () => {
      expect([...pipelines.keys()].sort()).toEqual(told.map(([id]) => id).sort());
    });

    test.each(told)('%s runs when Airflow runs it', (id, facts) => {
      const pipeline = pipelines.get(id);
      if (pipeline === undefined) throw new Error(`${id} is missing`);
      const { schedule, anchor, catchup } = pipeline;
      expect(catchup.value).toBe(facts.catchup);
      const made = makeGrid(schedule.value, { ...anchor, catchup: true });
      const expected = airflowRuns(facts);
      const reason = withoutGrid[id];
      if (made.grid === undefined) {
        if (expected.length > 0) expect(made.reason).toMatch(reason ?? 'a grid is missing here');
        return;
      }
      expect(reason).toBeUndefined();
      // One run more than Airflow gave would show where there are fewer than were asked for.
      const last =
        expected.length < 30
          ? instant(Date.UTC(2100, 0, 1))
          : instant(Date.parse(expected.at(-1)?.split('/')[0] ?? ''));
      const runs = made.grid.startingWithin(instant(Date.UTC(2000, 0, 1)), last);
      expect(runs.map(({ data }) => `${toIso(data.start)}/${toIso(data.end)}`)).toEqual(expected);
      expect(runs.every(({ start, data }) => start === data.start)).toBe(true);
      expect(runs.slice(1).every(({ start }, index) => runs[index]?.next === start)).toBe(true);
    });

    test.each(told.filter(([, { tasks }]) => tasks !== undefined))(
      'the tasks of %s have what defaults give them',
      (id, facts) => {
        const tasks = pipelines.get(id)?.tasks ?? [];
        const read = tasks.map((task) => [
          task.name,
          {
            retries: task.retries?.value ?? 0,
            triggerRule: task.triggerRule?.value ?? 'all_success',
            dependsOnPast: task.dependsOnPast,
            params: task.params,
          },
        ]);
        const given = Object.entries(facts.tasks ?? {}).map(([name, { waitsFor: _, ...rest }]) => [name, rest]);
        expect(Object.fromEntries(read)).toEqual(Object.fromEntries(given));
      },
    );
  });
}

/** Sensors whose date is no fixed distance from their own; the reading says so. */
const movingDates: readonly string[] = ['midnight'];

describe.each(['2', '3'])('sensors under Airflow %s', (label) => {
  // The DAG that they wait for, so that the edges stay.
  const up =
    'from airflow import DAG\nfrom airflow.operators.empty import EmptyOperator\nwith DAG("up"):\n    EmptyOperator(task_id="t")\n';
  const reading = readFiles({ 'sensors.py': sourceOf('sensors.py'), 'up.py': up }, label);
  const edges = reading.files.flatMap(({ pipelines }) => pipelines.flatMap((pipeline) => pipeline.edges));
  const tasks = fixture['sensors.py']?.sensors?.find(({ by }) => by.includes(label))?.tasks ?? {};

  test.each(Object.entries(tasks))(
    '%s waits for the logical dates that Airflow looks for',
    (name, { waitsFor = [] }) => {
      const shifts = edges.filter(({ to }) => to === `sensors.${name}`).map(({ shift }) => shift);
      const said = reading.files
        .flatMap(({ problems }) => problems)
        .some(({ message }) => message.includes(`task ${name} `));
      expect(said).toBe(movingDates.includes(name));
      if (said) return;
      const noon = instant(Date.UTC(2024, 4, 15, 12));
      const found = shifts.map((one) => (one === undefined ? 0 : (shift(noon, one, 'UTC') - noon) / 60_000));
      expect(found).toEqual(waitsFor);
    },
  );
});

test('the fixture holds both Airflows and what their settings change', () => {
  const labels = new Set(
    Object.values(fixture).flatMap((dags) => Object.values(dags).flatMap((one) => one.flatMap(({ by }) => by))),
  );
  expect([...labels].sort()).toEqual(Object.keys(settings).sort());
});
