import type { OptionsView } from '../../../protocol/assistant-state.ts';
import type { SessionFacts } from './session-facts.ts';
import type { KeptSession } from './session-services.ts';

/** What a session knows before anything was asked: the choices of before, where they were kept. */
export function firstFacts(task: string, folder: string, options: OptionsView, kept?: KeptSession): SessionFacts {
  const left = (id: string) => ({ task: id, depth: 0, included: false, count: '', note: undefined });
  return {
    task,
    dag: '',
    name: task,
    folder,
    zone: 'UTC',
    connection: { name: kept?.connection, target: undefined, protected: false, names: [] },
    choose: {
      from: kept?.from ?? '',
      to: kept?.to ?? '',
      only: kept?.only,
      count: '',
      summary: '',
      valid: false,
      downstream: (kept?.without ?? []).map(left),
      // Options that a newer version knows are not among those that were kept.
      options: { ...options, ...kept?.options },
      schedulers: [],
    },
    shownTask: task,
    calendars: new Map(),
    ledger: undefined,
    silent: undefined,
    surveys: new Map(),
    counted: { rows: new Map(), untold: [] },
    measures: new Map(),
    outcomes: new Map(),
    plan: undefined,
    run: undefined,
    selected: undefined,
    busy: undefined,
    starting: false,
    error: undefined,
    outdated: [],
    observed: undefined,
    keepBeforeDays: 0,
  };
}
