import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { prepareJobs } from '../../src/core/run/jobs/prepare-jobs.ts';
import { emptyConfig } from '../../src/node/config/config.ts';
import { unitOptions } from '../../src/node/run-setup.ts';
import { cpuMs } from '../cpu-ms.ts';
import type { Figure } from '../figure.ts';
import { memoryWorkspace } from '../memory-workspace.ts';
import { median, quotient, ratio, rounds } from '../rounds.ts';
import { hoursDag, planHours, planTenYears, tenYearsDag } from '../ten-years.ts';

const coldPlan = fileURLToPath(new URL('cold-plan.mjs', import.meta.url));

/** Processor time of ten years of days with rolling, weekly and monthly children; growth; and making a job of every unit. */
export async function plan(): Promise<readonly Figure[]> {
  const part = 'plan';
  const cold: { ms: number; units: number }[] = [];
  for (let round = 0; round < 5; round++) {
    const { stdout } = await promisify(execFile)(process.execPath, [coldPlan]);
    cold.push(JSON.parse(stdout) as { ms: number; units: number });
  }
  const { tasks, facts } = await memoryWorkspace({ 'dags/ten_years.py': tenYearsDag });
  const hourly = await memoryWorkspace({ 'dags/hours.py': hoursDag });
  const made = planTenYears(tasks);
  const setting = { run: 'bench', options: unitOptions(emptyConfig, {}), variables: {}, params: {} };
  const count = { small: 0, large: 0, jobs: 0 };
  const samples = await rounds(
    5,
    {
      warm: () => planTenYears(tasks),
      small: () => {
        count.small = planHours(hourly.tasks, '2014-07-22').units.length;
      },
      large: () => {
        count.large = planHours(hourly.tasks, '2019-07-29').units.length;
      },
      jobs: () => {
        count.jobs = prepareJobs(made, facts, new Map(), setting, () => undefined).jobs.size;
      },
    },
    cpuMs,
  );
  const perUnit = (sizes: readonly number[], units: number) => sizes.map((ms) => ms / units);
  return [
    {
      part,
      what: `${cold[0]?.units} units, first plan of a process, processor time`,
      value: median(cold.map(({ ms }) => ms)),
      unit: 'ms',
      atMost: 100,
      detail: '',
    },
    {
      part,
      what: `${made.units.length} units, warm, processor time`,
      value: median(samples.warm),
      unit: 'ms',
      atMost: 100,
      detail: '',
    },
    {
      part,
      what: `time per unit, ${count.large} ÷ ${count.small} units`,
      value: ratio(perUnit(samples.large, count.large), perUnit(samples.small, count.small)),
      unit: '×',
      // What n log n would give.
      atMost: 1.25,
      detail: quotient(samples.large, samples.small),
    },
    { part, what: `jobs of ${count.jobs} units`, value: median(samples.jobs) / 1000, unit: 's', atMost: 2, detail: '' },
  ];
}
