import type { RelationalRunner } from '../src/core/run/session/runner.ts';
import { systemClock } from '../src/node/system-clock.ts';

export const benchEnv: RelationalRunner = { clock: systemClock, owner: `bench ${process.pid}` };
