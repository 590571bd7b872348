// A process of its own that makes one plan, the first one since it began, and tells what processor time that took.
import { optimizeLater } from '../src/cli/terminal/optimize-later.ts';
import { cpuMs } from './cpu-ms.ts';
import { memoryWorkspace } from './memory-workspace.ts';
import { planTenYears, tenYearsDag } from './ten-years.ts';

optimizeLater();
const { tasks } = await memoryWorkspace({ 'dags/ten_years.py': tenYearsDag });
const startedAt = cpuMs();
const { units } = planTenYears(tasks);
process.stdout.write(JSON.stringify({ ms: cpuMs() - startedAt, units: units.length }));
