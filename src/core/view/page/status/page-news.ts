import type { UnitState } from '../../../ledger/ledger-store.ts';
import type { PlanFinding } from '../../../plan/model/plan.ts';
import { counted, countInWords, durationInWords } from '../../words/counted.ts';
import type { PageFacts } from './page-facts.ts';
import type { Phase } from './phase.ts';
import type { ActionView, NewsView } from './status-view.ts';

const connect: ActionView = { label: 'Connect…', request: { type: 'connect' } };
const showLog: ActionView = { label: 'Show log', request: { type: 'show-log' } };
const info = (text: string, ...actions: readonly ActionView[]): NewsView => ({ tone: 'info', text, actions });

/** The worst that is to be known; otherwise what is good to know in this phase. */
export function pageNews(
  phase: Phase,
  facts: PageFacts,
  counts: Readonly<Partial<Record<UnitState, number>>>,
): NewsView {
  const { run, error, connection, range, plan } = facts;
  if (phase === 'lost') return lostNews(facts);
  if (error !== undefined && phase !== 'starting' && phase !== 'away') {
    const text = [error.message, error.remedy]
      .flatMap((part) => (part === undefined ? [] : [sentence(part)]))
      .join(' ');
    return { tone: 'error', text, actions: [showLog] };
  }
  const seen = observedNews(facts);
  const isGiven = plan?.scheduler !== undefined;
  switch (phase) {
    case 'planning':
      return info('Nothing is written before you press Run.');
    case 'empty':
      return { tone: 'warning', text: plan?.findings[0]?.message ?? range.summary, actions: [] };
    case 'unconnected':
      return {
        tone: 'info',
        text: 'Connect the warehouse that holds these tables, or try it on the embedded database.',
        actions: [{ label: 'Use embedded', request: { type: 'use-embedded' } }],
      };
    case 'starting':
      return info('Nothing has run yet.');
    case 'planned':
      return seen ?? silentNews(facts) ?? findingNews(facts) ?? info('Nothing is written before you press Run.');
    case 'blocked':
    case 'proof-planned':
      return findingNews(facts) ?? info('Nothing is written before you press Run.');
    case 'undo-planned':
      return info('Each slice gets its rows of before the run, as far as no later run has made it anew.', {
        label: 'Leave undo',
        request: { type: 'leave-undo' },
      });
    case 'outdated':
      return { tone: 'warning', text: 'What was previewed is not what would run now. Preview it again.', actions: [] };
    case 'running':
      return run?.mode === 'run'
        ? info('You can close this page: the run goes on, and its progress stays in the status bar.')
        : info('Nothing is written.');
    case 'away': {
      const whole = 'What was written is whole; the run waits for the server and then goes on by itself.';
      return { tone: 'error', text: `${sentence(run?.away?.reason ?? '')} ${whole}`, actions: [showLog] };
    }
    case 'stopping':
      return info('Waiting for the server to confirm that it stopped.');
    case 'previewed':
      return previewNews(facts, counts);
    case 'preview-stopped':
      return run?.said === undefined
        ? info('What had been done by then was rolled back.')
        : { tone: 'error', text: run.said, actions: [...review(facts), showLog] };
    case 'proved':
      return info(run?.said ?? 'Each slice ran twice, and nothing was kept.');
    case 'halfway':
      return {
        tone: 'error',
        text: 'They are not atomic and stopped after they had begun: look at their rows, then say that they may run again.',
        actions: [showLog],
      };
    case 'failed':
      return { tone: 'error', text: run?.said ?? 'Mend the cause, then resume.', actions: [...review(facts), showLog] };
    case 'held':
      return {
        tone: 'warning',
        text:
          run?.said ??
          `${isGiven ? 'What Airflow ran has its new rows in place' : 'Their old rows are still there'}; nothing behind them has run.`,
        actions: [{ label: 'Approve all…', request: { type: 'approve-all' } }, ...review(facts)],
      };
    case 'stopped':
      return info(
        run?.said ??
          `${isGiven ? 'What ran here' : 'Slices in work'} ${isGiven ? 'was' : 'were'} rolled back. Resume runs only what is left.`,
      );
    case 'undone':
    case 'done': {
      if (seen !== undefined && phase === 'done') return seen;
      const on = connection === undefined ? '' : `, on ${connection}`;
      const took = run?.ended === undefined ? '' : ` at ${run.ended.at}, in ${durationInWords(run.ended.tookMs)}`;
      const kept = counts.changed ? ` Rows of before are kept for ${counted(facts.keepBeforeDays, 'day')}.` : '';
      const report: ActionView = { label: 'Export report…', request: { type: 'export' } };
      return { tone: 'ok', text: `Done${took}${on}.${phase === 'done' ? kept : ''}`, actions: [report] };
    }
  }
}

/** What the task was seen to write: the first that is clear, else the first that is not. */
function observedNews({ observed }: PageFacts): NewsView | undefined {
  if (observed === undefined) return undefined;
  const [first = '', ...more] = observed.said;
  const others = more.length === 0 ? '' : ` … and ${countInWords(more.length)} more, under Details`;
  const declare: ActionView = { label: 'Declare in backfill.yaml', request: { type: 'declare-observed' } };
  return info(`Observed: ${first}${others}`, ...(observed.clear ? [declare] : []));
}

/** What the calendar does not know yet, and how it comes to know it. */
function silentNews({ silent, connection }: PageFacts): NewsView | undefined {
  if (silent === undefined || connection === undefined) return undefined;
  const again: ActionView = {
    label: silent.wantsPassword ? 'Enter password…' : 'Ask again',
    request: { type: 'ask-again' },
  };
  return silent.message === undefined
    ? info(`${connection} asks for a password: until then it is not known what is there.`, again)
    : { tone: 'warning', text: `${connection} did not answer: ${sentence(silent.message)}`, actions: [again, showLog] };
}

/** What was written is whole, whatever became of the server: each slice is one transaction. */
function lostNews({ run, plan }: PageFacts): NewsView {
  const whole =
    plan?.scheduler === undefined
      ? 'What was written is whole; slices in work were rolled back. Resume connects and runs only what is left.'
      : 'What ran here is whole or was rolled back; what Airflow had begun goes on there. Resume finds it, and runs only what is left.';
  return { tone: 'error', text: `${sentence(run?.lost ?? '')} ${whole}`, actions: [connect, showLog] };
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? '' : '.'}`;

function previewNews(
  { run, connection }: PageFacts,
  { waiting = 0, blocked = 0, cancelled = 0 }: PageNewsCounts,
): NewsView {
  const left = waiting + blocked + cancelled;
  const took = run?.ended === undefined ? '' : ` in ${durationInWords(run.ended.tookMs)}`;
  const not = left === 0 ? '' : ` ${counted(left, 'slice')} ${left === 1 ? 'was' : 'were'} not previewed.`;
  return info(`${run?.said ?? `Previewed on ${connection}${took}, then rolled back.`}${not}`);
}

type PageNewsCounts = Readonly<Partial<Record<UnitState, number>>>;

const review = ({ firstStop }: PageFacts): readonly ActionView[] =>
  firstStop === undefined ? [] : [{ label: 'Show', request: { type: 'select-unit', index: firstStop } }];

const ranks: Readonly<Record<PlanFinding['severity'], number>> = { error: 0, warning: 1, info: 2 };

/** The worst finding of the plan; what else was found stands in the list that it opens. */
function findingNews({ plan, task }: PageFacts): NewsView | undefined {
  const found = [...(plan?.findings ?? [])].sort((a, b) => ranks[a.severity] - ranks[b.severity]);
  const [worst, ...more] = found;
  if (worst === undefined || worst.severity === 'info') return undefined;
  const about = worst.task;
  const actions: ActionView[] = [];
  if (about !== undefined && about !== task) {
    actions.push({ label: 'Leave out', request: { type: 'include-task', task: about, included: false } });
  }
  if (about !== undefined) actions.push({ label: 'Show', request: { type: 'open-source', task: about } });
  const others = more.length === 0 ? '' : ` … and ${countInWords(more.length)} more`;
  return { tone: worst.severity, text: `${worst.message}${others}`, actions };
}
