import type { UnitState } from '../../../core/ledger/ledger-store.ts';
import { forecastInWords } from '../../../core/run/unit/forecast.ts';
import type { RunEvent, RunProgress } from '../../../core/run/unit/run-event.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
import type { PlanView } from '../../../protocol/assistant-state.ts';
import type { Log } from '../../clients/log.ts';
import type { SessionStore } from '../facts/session-store.ts';
import { cancellingWords } from '../words/outcome-words.ts';
import { clockOf } from './ended-run.ts';

/** What a run says of itself while it goes on, on the page. */
export interface UnitMarks {
  mark(unit: string, to: UnitState): void;
  onEvent(event: RunEvent): void;
  /** What the scheduler of a unit does with it now, in words. */
  doing(unit: string): string | undefined;
  readonly progress: RunProgress | undefined;
  /** Another run begins. */
  forget(): void;
}

export function unitMarks(
  store: () => SessionStore,
  log: Log,
  ended: (unit: string, result: RunUnit) => void,
): UnitMarks {
  let indexed: { readonly plan: PlanView; readonly byUnit: ReadonlyMap<string, number> } | undefined;
  let progress: RunProgress | undefined;
  const doing = new Map<string, string>();

  const indexIn = (unit: string): number | undefined => {
    const { plan } = store().state;
    if (plan === undefined) return undefined;
    if (indexed?.plan !== plan) indexed = { plan, byUnit: new Map(plan.units.map(({ id }, index) => [id, index])) };
    return indexed.byUnit.get(unit);
  };
  const mark = (unit: string, to: UnitState): void => {
    const index = indexIn(unit);
    if (index !== undefined) store().mark(index, to);
  };
  const isAway = (reason: string): void => {
    if (store().state.run?.away === undefined) store().patchRun({ away: { since: clockOf(new Date()), reason } });
  };
  const isBack = (): void => {
    if (store().state.run?.away !== undefined) store().patchRun({ away: undefined });
  };

  const onEvent = (event: RunEvent): void => {
    switch (event.kind) {
      case 'unit-started':
        mark(event.unit, 'running');
        break;
      case 'unit-reported':
        log.info(`${event.unit}: ${event.state}`);
        doing.set(event.unit, event.state);
        mark(event.unit, 'running');
        break;
      case 'unit-finished':
      case 'unit-blocked':
        doing.delete(event.unit);
        ended(event.unit, event.result);
        mark(event.unit, event.result.state);
        isBack();
        break;
      case 'unit-retrying':
        log.info(`${event.unit}: try ${event.attempt} in ${event.delayMs} ms, because ${event.reason}`);
        if (event.away === true) {
          // Nothing of the unit had begun.
          mark(event.unit, 'waiting');
          isAway(event.reason);
        }
        break;
      case 'server-away':
        log.info(`the server is away: ${event.reason}`);
        isAway(event.reason);
        break;
      case 'server-back':
        log.info('the server is back');
        isBack();
        break;
      case 'cancelling':
        store().patchRun({ status: 'cancelling', summary: cancellingWords });
        break;
      case 'progress':
        progress = event.progress;
        store().patchRun({ secondsLeft: secondsLeft(progress) });
        break;
      case 'run-started': {
        const { plan } = store().state;
        if (plan !== undefined) store().set({ plan: { ...plan, findings: event.findings } });
        break;
      }
      case 'forecast':
        store().patchRun({ notes: forecastInWords(event.forecast).map(({ about, text }) => `${about}: ${text}`) });
        break;
      case 'run-finished':
        break;
    }
  };

  return {
    mark,
    onEvent,
    doing: (unit) => doing.get(unit),
    get progress() {
      return progress;
    },
    forget() {
      progress = undefined;
      doing.clear();
    },
  };
}

const secondsLeft = ({ remainingMs }: RunProgress): number | undefined =>
  remainingMs === undefined ? undefined : Math.ceil(remainingMs / 1000);
