import type { RelationalEnv } from '../src/core/run/relational/relational-env.ts';
import { systemClock } from '../src/node/system-clock.ts';

export const benchEnv: RelationalEnv = { clock: systemClock, owner: `bench ${process.pid}` };
