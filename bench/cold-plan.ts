// A process of its own that makes one plan, the first one since it began, and tells how long that took.
import { memoryWorkspace } from './memory-workspace.ts';
import { planTenYears, tenYearsDag } from './ten-years.ts';

const { tasks } = await memoryWorkspace({ 'dags/ten_years.py': tenYearsDag });
const startedAt = performance.now();
const { units } = planTenYears(tasks);
process.stdout.write(JSON.stringify({ ms: performance.now() - startedAt, units: units.length }));
