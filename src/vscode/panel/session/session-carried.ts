import type { Plan } from '../../../core/plan/model/plan.ts';
import { evidenceInWords, type TableVerdict } from '../../../core/run/observed/judge-observations.ts';
import type { TaskLineage } from '../../../core/run/observed/lineage-events.ts';
import { plural } from '../../../core/text/plural.ts';
import { observedDeclaration } from '../../../core/view/document/observed-declaration.ts';
import { detailLine } from '../../../core/view/page/detail-line.ts';
import type { PlanView } from '../../../protocol/assistant-state.ts';
import { isWorldAnswer } from '../../host/run-api.ts';
import type { ObservedState } from '../facts/session-facts.ts';
import { pageOptions } from '../facts/session-options.ts';
import type { SessionServices } from '../facts/session-services.ts';
import type { SessionStore } from '../facts/session-store.ts';
import { askRunThread } from '../run/ask-run-thread.ts';
import { openTaskLog } from '../run/open-task-log.ts';
import type { SessionRun } from '../run/session-run.ts';
import { withLogins } from '../run/with-logins.ts';

/** What a page asks of units that a scheduler carries out, and of its scheduler. */
export interface SessionCarried {
  /** Asks the scheduler of a plan what stands against it, and shows that with the plan. Nobody is asked for a login. */
  ask(plan: PlanView): Promise<void>;
  openLog(index: number): Promise<void>;
  markDone(index: number): Promise<void>;
  /** `last`: the newest run of the task is looked at first. */
  observe(last: boolean): Promise<void>;
  /** As `observe`, where nobody asked: what stands against it is no news. */
  lookAtObserved(): Promise<void>;
  declareObserved(): Promise<void>;
}

export function sessionCarried(store: SessionStore, services: SessionServices, run: SessionRun): SessionCarried {
  const { client, connections, schedulers } = services;
  const connectionName = (): string => {
    const { name } = store.state.connection;
    if (name === undefined) throw new Error('Choose a connection first.');
    return name;
  };
  const settingsOf = async (name: string): Promise<Readonly<Record<string, string>>> => {
    const found = await connections.resolve(client, name);
    return 'problem' in found ? {} : found.settings;
  };
  const unitAt = (index: number) => {
    const unit = store.state.plan?.units[index];
    if (unit === undefined) throw new Error(`The plan has no unit ${index}.`);
    return unit;
  };

  const seenOf = async (last: boolean) => {
    const { task, plan, choose } = store.state;
    const name = connectionName();
    const scheduler = last ? (plan?.scheduler ?? choose.options.scheduler) : undefined;
    const lineage = await client.call('lineage', { task, scheduler: choose.options.scheduler });
    const at = last ? await client.call('carriedAt', { task, now: Date.now() }) : undefined;
    const answer = await withLogins(services, name, scheduler, async (_, login) => {
      const looked = login && at && { scheduler: login, dag: at.dag, name: at.task };
      return askRunThread(services, name, (api, connection) =>
        api.call('observed', { connection, task, lineage, last: looked }),
      );
    });
    return 'verdicts' in answer ? observedState(task, answer.runs, answer.verdicts, lineage) : answer;
  };

  return {
    async ask(plan) {
      const { name } = store.state.connection;
      if (plan.scheduler === undefined || name === undefined) return;
      const scheduler = await schedulers.resolve(client, plan.scheduler);
      const answer =
        'problem' in scheduler
          ? { message: scheduler.problem }
          : await client.call('askScheduler', {
              page: store.state.task,
              connection: name,
              settings: await settingsOf(name),
              scheduler,
              concurrency: store.state.choose.options.concurrency,
            });
      // A later plan has asked again, and what runs is told by its run.
      if (store.state.plan !== plan || run.busy) return;
      const { findings, notes } =
        'findings' in answer
          ? answer
          : { findings: [] as Plan['findings'], notes: [`not asked about this plan: ${answer.message}`] };
      store.set({
        plan: {
          ...plan,
          findings: [...plan.findings, ...findings],
          details: [...plan.details, ...notes.map((note) => detailLine('Airflow', note))],
          startable: plan.startable && findings.every(({ severity }) => severity !== 'error'),
        },
      });
    },
    async openLog(index) {
      const { label, task } = unitAt(index);
      const name = store.state.connection.name ?? '';
      const settings = name === '' ? {} : await settingsOf(name);
      const { carried } = await client.call('unit', { page: store.state.task, index, connection: name, settings });
      if (carried === undefined) throw new Error(`${task} of ${label} is not carried out by a scheduler.`);
      await store.during('Reading the log…', () => openTaskLog(services, task, label, carried));
    },
    async markDone(index) {
      const { kept } = run;
      const { id } = unitAt(index);
      if (kept === undefined) throw new Error('There is no run whose unit could be marked.');
      if (!(await services.confirmDone(id))) return;
      const defaults = await client.call('unitOptions', {
        connection: kept.connection,
        options: pageOptions(store.state.choose.options, services.settings),
      });
      const answer = await store.during('Taking the figures of its slices…', () =>
        askRunThread(services, kept.connection, (api, connection) =>
          api.call('markDone', {
            connection,
            run: kept.id,
            units: [id],
            createdBy: services.createdBy,
            options: { ...defaults, settings: connection.settings },
          }),
        ),
      );
      if (answer.kind === 'refused') throw new Error(`${answer.message}; ${answer.remedy}.`);
      await run.revive(kept);
    },
    async observe(last) {
      const seen = await store.during('Looking at what it was seen to write…', () => seenOf(last));
      if ('problem' in seen) throw new Error(seen.problem);
      if (isWorldAnswer(seen)) throw new Error(seen.message);
      if ('remedy' in seen) throw new Error(`${seen.message.replace(/\.$/, '')}; ${seen.remedy}`);
      store.set({ observed: seen });
    },
    async lookAtObserved() {
      const seen = await seenOf(false).catch((error: Error) => ({ message: error.message }));
      if ('said' in seen) store.set({ observed: seen });
      else services.log.info(`what was seen is not known: ${'message' in seen ? seen.message : seen.problem}`);
    },
    async declareObserved() {
      const { task, observed } = store.state;
      if (observed?.clear !== true) throw new Error('Nothing of what was seen is clear enough to be declared.');
      await services.declare(task, observed.draft);
      store.set({ observed: undefined });
    },
  };
}

function observedState(
  task: string,
  runs: number,
  verdicts: readonly TableVerdict[],
  lineage: TaskLineage | undefined,
): ObservedState {
  const draft = observedDeclaration(task, verdicts);
  const said = verdicts.map((one) =>
    one.kind === 'clear'
      ? `${one.table} is clear: ${evidenceInWords(one)}.`
      : `${one.table} is not clear: ${one.reason}.`,
  );
  const none =
    runs === 0
      ? 'It was not watched yet: have it run from here for two intervals or more.'
      : `In ${plural(runs, 'run')} no table of this database was seen to be written.`;
  const events = lineage === undefined || lineage.runs === 0 ? [] : [eventsInWords(lineage)];
  return { said: [...(said.length === 0 ? [none] : said), ...events], clear: draft.writes.length > 0, draft };
}

function eventsInWords({ runs, reads, writes }: TaskLineage): string {
  const names = (side: TaskLineage['reads']): string => side.map(({ table }) => table).join(', ') || 'nothing';
  return `By OpenLineage events of ${plural(runs, 'run')} it reads ${names(reads)} and writes ${names(writes)}.`;
}
