import type { PageFacts, RunFacts } from './page-facts.ts';

/** What a page is at. Exactly one holds, and each has its own sentence, action and news. */
export type Phase =
  | 'planning'
  | 'empty'
  | 'unconnected'
  | 'planned'
  | 'blocked'
  | 'undo-planned'
  | 'proof-planned'
  | 'starting'
  | 'running'
  | 'away'
  | 'stopping'
  | 'previewed'
  | 'preview-stopped'
  | 'outdated'
  | 'proved'
  | 'halfway'
  | 'lost'
  | 'failed'
  | 'held'
  | 'stopped'
  | 'undone'
  | 'done';

export function phaseOf(facts: PageFacts): Phase {
  const { plan, run, busy, starting, range, connection } = facts;
  if (run?.status === 'running') return run.away === undefined ? 'running' : 'away';
  if (run?.status === 'cancelling') return 'stopping';
  if (starting) return 'starting';
  if (busy !== undefined) return 'planning';
  if (!range.valid && (plan === undefined || plan.purpose.kind === 'run')) return 'empty';
  if (plan === undefined) return 'planning';
  if (run !== undefined) return phaseOfRun(run, facts);
  if (plan.purpose.kind === 'undo') return 'undo-planned';
  if (plan.units.length === 0) return 'empty';
  if (!plan.startable) return 'blocked';
  if (plan.purpose.kind === 'proof') return 'proof-planned';
  return connection === undefined ? 'unconnected' : 'planned';
}

function phaseOfRun(run: RunFacts, { plan, states, outdated }: PageFacts): Phase {
  if (run.mode === 'prove') return 'proved';
  const has = (state: (typeof states)[number]): boolean => states.includes(state);
  if (run.mode === 'preview') {
    if (outdated.length > 0) return 'outdated';
    return run.status === 'finished' && !has('failed') ? 'previewed' : 'preview-stopped';
  }
  if (has('unknown')) return 'halfway';
  if (run.lost !== undefined) return 'lost';
  if (run.status === 'cancelled' || run.status === 'interrupted') return 'stopped';
  if (has('failed')) return 'failed';
  if (has('held')) return 'held';
  if (states.some((state) => state === 'waiting' || state === 'cancelled' || state === 'blocked')) return 'stopped';
  return plan?.purpose.kind === 'undo' ? 'undone' : 'done';
}
