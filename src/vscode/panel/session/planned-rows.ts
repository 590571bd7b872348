import type { SurveySlice } from '../../../core/run/survey/survey-slices.ts';
import { rowsNow } from '../facts/rows-now.ts';
import type { SessionServices } from '../facts/session-services.ts';
import type { SessionStore } from '../facts/session-store.ts';
import { askQuietly } from '../run/slice-knowledge.ts';

/**
 * Asks what the slices of the plan hold, of tasks whose calendar nobody has looked at: only of those in the plan, and of all
 * tasks in one question. `again`: also what was counted so before.
 */
export async function askPlannedRows(store: SessionStore, services: SessionServices, again: boolean): Promise<void> {
  const { plan, task: page, connection, counted } = store.state;
  const { name } = connection;
  if (name === undefined || plan?.purpose.kind !== 'run') return;
  const known = rowsNow(again ? { ...store.state, counted: nothingCounted } : store.state);
  const tasks = plan.rows.flatMap(({ task, left, engine, units }) =>
    left !== undefined || engine !== undefined || units.every((index) => known.has(plan.units[index]?.id ?? ''))
      ? []
      : [task],
  );
  if (tasks.length === 0) return;
  const untold = new Set<string>();
  const answer = await askQuietly(services, name, async () => {
    const slices: SurveySlice[] = [];
    // A task at a time: the thread of the workspace answers to keys in between.
    for (const task of tasks) {
      const asked = await services.client.call('surveyPlanned', { page, task });
      slices.push(...asked.slices);
      for (const text of asked.untold) untold.add(text);
    }
    return (api, config) => api.call('sliceStates', { connection: config, codeHashes: [], slices, runs: 0 });
  });
  const now = store.state;
  if ('error' in answer || now.plan !== plan || now.connection.name !== name) return;
  for (const text of answer.untold) untold.add(text);
  store.set({ counted: { rows: new Map([...(again ? [] : counted.rows), ...answer.rows]), untold: [...untold] } });
}

const nothingCounted = { rows: new Map<string, number>(), untold: [] };
