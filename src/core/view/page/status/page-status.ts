import type { UnitState } from '../../../ledger/ledger-store.ts';
import { countStates } from '../../../run/unit/run-result.ts';
import { counted, countInWords } from '../../words/counted.ts';
import type { PlanGrid } from '../plan-view.ts';
import { moreActions } from './more-actions.ts';
import type { PageFacts, RunFacts } from './page-facts.ts';
import { pageNews } from './page-news.ts';
import { type Phase, phaseOf } from './phase.ts';
import type { MainAction, ProgressView, StatusView } from './status-view.ts';

/** What the page says of itself: a function of what is known, so that the same is said wherever it is shown. */
export function pageStatus(facts: PageFacts): StatusView {
  const phase = phaseOf(facts);
  const counts = countStates(facts.states.map((state) => ({ state })));
  return {
    sentence: sentenceOf(phase, facts, counts),
    action: actionOf(phase, facts, counts),
    more: moreActions(phase, facts),
    news: pageNews(phase, facts, counts),
    progress: facts.run === undefined ? undefined : progressOf(facts.run, facts.states, counts),
    live: phase === 'starting' || phase === 'running' || phase === 'away' || phase === 'stopping',
  };
}

type Counts = Readonly<Partial<Record<UnitState, number>>>;
type Sentence = StatusView['sentence'];

/** States of units that have ended, in the order of the bar. */
const ended: readonly UnitState[] = ['changed', 'unchanged', 'done', 'skipped', 'held', 'failed', 'unknown'];

const endedIn = (counts: Counts): number => ended.reduce((sum, state) => sum + (counts[state] ?? 0), 0);

const parts = (...said: readonly (string | undefined)[]): string =>
  said.flatMap((part) => (part === undefined ? [] : [` · ${part}`])).join('');

function sentenceOf(phase: Phase, facts: PageFacts, counts: Counts): Sentence {
  const { plan, run, connection } = facts;
  const total = plan?.units.length ?? 0;
  const slices = counted(total, 'slice');
  const { changed = 0, held = 0, failed = 0, blocked = 0, unknown = 0, done = 0 } = counts;
  const goes = endedIn(counts);
  const some = (count: number, what: string): string | undefined =>
    count === 0 ? undefined : `${countInWords(count)} ${what}`;
  switch (phase) {
    case 'planning':
      return { lead: facts.busy ?? 'Planning…', rest: '' };
    case 'empty':
      return { lead: 'No slice lies in this range', rest: '' };
    case 'unconnected':
      return { lead: `${slices} of ${tasksOf(plan)} are planned`, rest: parts('no warehouse is connected') };
    case 'starting':
      return { lead: facts.busy ?? 'Starting…', rest: parts(slices) };
    case 'planned': {
      const given = givenAway(plan);
      const by = `by the Airflow ${plan?.scheduler}`;
      if (plan?.previewable === false && given > 0)
        return { lead: `${slices} of ${tasksOf(plan)} will be run ${by}`, rest: parts(`compared on ${connection}`) };
      return {
        lead: `${slices} of ${tasksOf(plan)} will be compared and replaced on ${connection}`,
        rest: parts(given === 0 ? undefined : `${countInWords(given)} of them run ${by}`),
      };
    }
    case 'blocked':
      return { lead: `${slices} cannot run yet`, rest: '' };
    case 'undo-planned':
      return { lead: `${slices} of ${tasksOf(plan)} will be put back`, rest: '' };
    case 'proof-planned':
      return { lead: `Each of ${slices} runs twice`, rest: parts('nothing is kept') };
    case 'outdated':
      return { lead: `The code of ${facts.outdated.join(', ')} changed since the preview`, rest: '' };
    case 'running':
      return {
        lead: `${running[run?.mode ?? 'run']}: ${countInWords(goes)} of ${countInWords(total)}`,
        rest: parts(runningCount(run, plan, changed), leftInWords(run?.secondsLeft)),
      };
    case 'away':
      return {
        lead: `The server is away since ${run?.away?.since}`,
        rest: parts(runningCount(run, plan, changed), `${countInWords(total - whole(counts))} wait`),
      };
    case 'stopping':
      return { lead: 'Stopping', rest: parts(`${counted(counts.running ?? 0, 'slice')} end first`) };
    case 'previewed':
      return {
        lead: `${countInWords(changed)} of ${slices} would change`,
        rest: parts(`${countInWords(held)} would be held`, 'nothing is written yet'),
      };
    case 'preview-stopped':
      return {
        lead: failed > 0 ? `The preview stopped: ${counted(failed, 'slice')} failed` : 'The preview was stopped',
        rest: parts(`${countInWords(goes - failed)} of ${slices} looked at`, 'nothing is written yet'),
      };
    case 'proved':
      return { lead: provedLead(total, counts), rest: parts('nothing is kept', some(failed, 'failed')) };
    case 'halfway':
      return {
        lead: `${counted(unknown, 'slice')} stopped halfway`,
        rest: parts(some(blocked, 'wait behind'), `${countInWords(changed)} changed`),
      };
    case 'lost':
      return {
        lead: `Connection lost${run?.ended === undefined ? '' : ` at ${run.ended.at}`}`,
        rest: parts(`${countInWords(changed)} changed`, `${countInWords(total - whole(counts))} not run`),
      };
    case 'failed':
      return {
        lead: `${counted(failed, 'slice')} failed`,
        rest: parts(some(blocked, 'wait behind'), some(held, 'held'), `${countInWords(changed)} changed`),
      };
    case 'held':
      return {
        lead: `${counted(held, 'slice')} held`,
        rest: parts(some(blocked, 'wait behind'), `${countInWords(changed)} changed`),
      };
    case 'stopped':
      return {
        lead: run?.status !== 'interrupted' ? 'Stopped' : run.workedOnBy === undefined ? 'Cut off' : 'Not ended',
        rest: parts(`${countInWords(changed)} changed`, `${countInWords(total - goes)} not run`),
      };
    case 'undone':
      return { lead: `${counted(changed, 'slice')} put back`, rest: '' };
    case 'done':
      if (done > 0)
        return {
          lead: `${countInWords(changed)} of ${slices} changed`,
          rest: parts(`${countInWords(done)} done, not compared`),
        };
      return changed === 0
        ? { lead: `All ${slices} are as they were`, rest: '' }
        : { lead: `${countInWords(changed)} of ${slices} changed`, rest: parts('0 held') };
  }
}

/** Slices of which the server has said what became of them. */
const whole = ({ changed = 0, unchanged = 0, done = 0, skipped = 0, held = 0 }: Counts): number =>
  changed + unchanged + done + skipped + held;

const running: Readonly<Record<RunFacts['mode'], string>> = {
  run: 'Running',
  preview: 'Previewing',
  prove: 'Proving',
};

function runningCount(run: RunFacts | undefined, plan: PlanGrid | undefined, changed: number): string {
  if (run?.mode === 'prove') return `${countInWords(changed)} ${changed === 1 ? 'differs' : 'differ'}`;
  if (run?.mode === 'preview') return `${countInWords(changed)} would change`;
  return `${countInWords(changed)} ${plan?.purpose.kind === 'undo' ? 'put back' : 'changed'}`;
}

function provedLead(total: number, { changed = 0, unchanged = 0, held = 0 }: Counts): string {
  if (changed > 0)
    return `${countInWords(changed)} of ${counted(total, 'slice')} ${changed === 1 ? 'differs' : 'differ'} when run twice`;
  if (held > 0) return `${countInWords(held)} of ${counted(total, 'slice')} wrote outside of their slice`;
  return `${countInWords(unchanged)} of ${countInWords(total)} came out the same twice`;
}

/** Units that a scheduler is given. */
const givenAway = (plan: PlanGrid | undefined): number =>
  plan?.scheduler === undefined
    ? 0
    : plan.rows.reduce((sum, { engine, units }) => sum + (engine?.name === 'Airflow' ? units.length : 0), 0);

/** An estimate has no hundredths. */
function leftInWords(seconds: number | undefined): string | undefined {
  if (seconds === undefined) return undefined;
  return `about ${seconds < 90 ? `${Math.max(1, Math.ceil(seconds))} s` : `${Math.round(seconds / 60)} min`} left`;
}

function tasksOf(plan: PlanGrid | undefined): string {
  return counted(plan?.rows.filter(({ units }) => units.length > 0).length ?? 0, 'task');
}

function actionOf(phase: Phase, facts: PageFacts, counts: Counts): MainAction | undefined {
  const { plan, task, firstStop } = facts;
  const slices = counted(plan?.units.length ?? 0, 'slice');
  const preview: MainAction = { label: 'Preview', request: { type: 'start', mode: 'preview' }, look: 'primary' };
  const review = (what: string): MainAction | undefined =>
    firstStop === undefined
      ? undefined
      : { label: `Review ${what}`, request: { type: 'select-unit', index: firstStop }, look: 'primary' };
  switch (phase) {
    case 'planning':
    case 'empty':
      return { ...preview, look: 'off' };
    case 'unconnected':
      return { label: 'Connect…', request: { type: 'connect' }, look: 'primary' };
    case 'planned':
    case 'outdated':
    case 'preview-stopped':
      if (plan?.previewable === false)
        return { label: `Run ${slices}`, request: { type: 'start', mode: 'run' }, look: 'primary' };
      return preview;
    case 'blocked': {
      const about = plan?.findings.find(({ severity }) => severity === 'error')?.task ?? task;
      return { label: 'Show', request: { type: 'open-source', task: about }, look: 'primary' };
    }
    case 'undo-planned':
      return { label: `Put back ${slices}`, request: { type: 'start', mode: 'run' }, look: 'primary' };
    case 'proof-planned':
      return { label: 'Prove', request: { type: 'prove' }, look: 'primary' };
    case 'starting':
    case 'running':
    case 'away':
      return { label: 'Stop', request: { type: 'cancel' }, look: 'secondary' };
    case 'stopping':
      return undefined;
    case 'previewed': {
      const label = plan?.purpose.kind === 'undo' ? `Put back ${slices}` : `Run ${slices}`;
      return { label, request: { type: 'start', mode: 'run' }, look: 'primary' };
    }
    case 'proved':
      return firstStop === undefined
        ? preview
        : review(counted((counts.changed ?? 0) + (counts.held ?? 0), 'difference'));
    case 'halfway':
      return review(counted(counts.unknown ?? 0, 'slice'));
    case 'lost':
    case 'failed':
    case 'stopped':
      return { label: 'Resume', request: { type: 'resume' }, look: 'primary' };
    case 'held':
      return review(`${countInWords(counts.held ?? 0)} held`);
    case 'undone':
    case 'done':
      return review(counted(counts.changed ?? 0, 'change'));
  }
}

function progressOf(run: RunFacts, states: readonly UnitState[], counts: Counts): ProgressView {
  const done = endedIn(counts);
  const total = states.length;
  const isLive = run.status === 'running' || run.status === 'cancelling';
  const share = total === 0 ? 0 : Math.round((done / total) * 100);
  return {
    done,
    total,
    label: isLive ? `${share} %` : `${countInWords(done)} of ${countInWords(total)}`,
    parts: ([...ended, 'blocked'] as const).flatMap((state) => {
      const count = counts[state] ?? 0;
      return count === 0 ? [] : [{ state, count }];
    }),
  };
}
