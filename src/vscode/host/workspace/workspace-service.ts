import type { TaskId } from '../../../core/pipeline/model/model.ts';
import { withFindings } from '../../../core/plan/findings/plan-findings.ts';
import { unaskedFinding } from '../../../core/plan/findings/unmade-tables.ts';
import type { Plan } from '../../../core/plan/model/plan.ts';
import type { PlannableTask } from '../../../core/plan/model/plan-request.ts';
import { outOfDateTasks } from '../../../core/run/order/resume-run.ts';
import { assumedVariables } from '../../../core/run/preflight/assumed-variables.ts';
import { namedInWorkspace } from '../../../core/run/preflight/read-database.ts';
import { decodeRunDocument } from '../../../core/run/stored/run-document.ts';
import { slicesOfIntervals } from '../../../core/run/survey/slices-of-intervals.ts';
import { safeTasksAt } from '../../../core/safe/safe-tasks-at.ts';
import type { SourceSpan } from '../../../core/text/span.ts';
import { formatInterval } from '../../../core/time/intervals/format-interval.ts';
import { lastFinished } from '../../../core/time/intervals/last-finished.ts';
import { type Instant, instant } from '../../../core/time/zones/instant.ts';
import { parseInstant, toIso } from '../../../core/time/zones/iso.ts';
import type { ZoneName } from '../../../core/time/zones/zone-name.ts';
import { draftDeclaration } from '../../../core/view/document/draft-declaration.ts';
import { firstView } from '../../../core/view/document/first-view.ts';
import { makeDocumentView } from '../../../core/view/document/make-document-view.ts';
import { type ChosenPipeline, choosePipeline } from '../../../core/view/document/pipeline-view.ts';
import { viewBasis } from '../../../core/view/kept/view-basis.ts';
import { type PlanGrid, type PlanPurpose, planGrid, type TaskNames } from '../../../core/view/page/plan-view.ts';
import { calendarSurvey } from '../../../core/view/page/range/calendar-survey.ts';
import { calendarGrid } from '../../../core/view/page/range/calendar-view.ts';
import { pickedRange } from '../../../core/view/page/range/picked-range.ts';
import { planTypedRange, rangeView } from '../../../core/view/page/range/range-view.ts';
import { sessionInWords } from '../../../core/view/words/session-words.ts';
import type { SliceVersion } from '../../../core/view/words/slice-version.ts';
import { typedRun } from '../../../core/view/words/typed-run.ts';
import { addDeclaration } from '../../../node/config/edit/add-declaration.ts';
import { refuseElsewhere } from '../../../node/run-setup.ts';
import type { PlacedProblem, WorkspaceApi, WorkspaceEvent } from '../workspace-api.ts';
import { configService } from './config-service.ts';
import type { FrozenPlan } from './frozen-plan.ts';
import { hoverLinks } from './hover-links.ts';
import { type LiveState, type LiveWorkspace, openLiveWorkspace, schedulerIn } from './live-workspace.ts';
import { placesIn } from './places-in.ts';
import { jobsOf, prepareRun } from './prepare-run.ts';
import { blamedStatement, proofMemory } from './proof-memory.ts';
import { reportFile } from './report-file.ts';
import { carriedIn, carriedUnit, carrierOf, schedulerService } from './scheduler-service.ts';
import { titleOf, typedRange } from './typed-choice.ts';

/** The workspace thread's functions over one live workspace; `emit` tells what happens without being asked. */
export function createWorkspaceApi(emit: (event: WorkspaceEvent) => void): WorkspaceApi {
  let workspace: LiveWorkspace | undefined;
  /** By the task whose page shows it: a plan that another page makes meanwhile must not run in its place. */
  const frozen = new Map<string, FrozenPlan>();
  const picked = new Map<string, Instant>();
  const versions = new Map<string, readonly SliceVersion[]>();
  const proofs = proofMemory();

  const live = (): LiveWorkspace => {
    if (workspace === undefined) throw new Error('the workspace was not opened');
    return workspace;
  };
  const state = (): LiveState => live().state();
  const planned = (page: string): FrozenPlan => {
    const found = frozen.get(page);
    if (found === undefined) throw new Error('There is no plan any more. Make it again.');
    return found;
  };
  let stamps = 0;
  const freeze = (page: string, plan: Omit<FrozenPlan, 'stamp'>): PlanGrid => {
    const made = { ...plan, stamp: ++stamps };
    frozen.set(page, made);
    const { tasks } = made.state.facts;
    const zoneOf = zoneIn(made.state);
    const namesOf = (id: TaskId): TaskNames => {
      const known = tasks.get(id);
      return {
        zone: zoneOf(id),
        ...namedIn(made.state.facts, id),
        session: known === undefined ? [] : sessionInWords(known.task),
        carriedBy: carriedIn(made, id),
      };
    };
    return planGrid(made.plan, namesOf, made.purpose, made.without, made.stamp);
  };
  const chosen = (pipeline: string, now: number): ChosenPipeline | undefined => {
    const { facts, settings } = state();
    const found = facts.pipelines.find(({ id }) => id === pipeline);
    return found && choosePipeline(found, picked, instant(now), settings.shownIn ?? found.zone);
  };
  const taskCalled = (task: TaskId): PlannableTask | undefined =>
    state()
      .tasks()
      .find(({ id }) => id === task);
  const codeHashes = (): ReadonlyMap<TaskId, string> =>
    new Map(
      state()
        .tasks()
        .map(({ id, codeHash }) => [id, codeHash]),
    );
  const placeIn = placesIn();
  const placed = (at: SourceSpan, then = state()) => placeIn(at, then);
  /** Problems with their places; what has none is about the configuration. */
  const placedProblems = (then: LiveState, isWanted = (_: string) => true): readonly PlacedProblem[] =>
    then.problems.flatMap(({ at = { file: then.config.file, start: 0, end: 0 }, severity, message }) =>
      isWanted(at.file) ? [{ ...placed(at, then), severity, message }] : [],
    );

  return {
    async open({ root, settings }) {
      const onAnswer = (message: string): void => {
        emit({ kind: 'log', message });
        emit({ kind: 'changed' });
      };
      const onReading = (done: number, total: number): void => emit({ kind: 'reading', done, total });
      workspace = await openLiveWorkspace(root, settings, onAnswer, onReading);
    },
    async configure(settings) {
      live().configure(settings);
    },
    async edit({ path, text }) {
      live().cover(path, text);
    },
    async changed({ paths }) {
      live().changed(paths);
    },
    async view({ path, now }) {
      await afterQueue();
      const early = live().firstLook(path);
      const { shownIn } = live().settings;
      if (early !== undefined)
        return firstView({
          file: path,
          ...early,
          choice: picked,
          now: instant(now),
          shownIn,
        });
      const then = state();
      const { root, facts, problems, settings, config, children } = then;
      const proven = proofs.tell(then, await then.findings());
      return makeDocumentView({
        file: path,
        facts,
        findings: proven.findings,
        problems: [...problems, ...proven.problems],
        links: hoverLinks(root),
        choice: picked,
        now: instant(now),
        shownIn: settings.shownIn,
        variables: config.variables,
        params: config.params,
        children: children(),
        scheduler: schedulerIn(config),
        versions: (task, interval) => versions.get(`${task} ${interval}`) ?? [],
      });
    },
    async check() {
      const then = state();
      const proven = proofs.tell(then, await then.findings());
      return {
        findings: proven.findings.map(({ rule, severity, message, at }) => ({
          ...placed(at, then),
          rule,
          severity,
          message,
        })),
        problems: placedProblems({ ...then, problems: [...then.problems, ...proven.problems] }),
      };
    },
    async configProblems() {
      const then = state();
      return placedProblems(then, (file) => file === then.config.file);
    },
    configFile: async () => state().config.file,
    async basis({ path, pipelines, now }) {
      const { asksAirflow, basis } = state();
      // What a real Airflow says of the file is not known at the next start.
      return asksAirflow ? undefined : viewBasis(pipelines, basis(path), picked, (id) => chosen(id, now));
    },
    async declare({ task, text, draft }) {
      const { config, facts, text: onDisk } = state();
      const added = addDeclaration(text ?? onDisk(config.file), draft ?? draftDeclaration(task, facts));
      return 'wrong' in added ? added : { file: config.file, ...added };
    },
    async safeTasks({ path, start, end }) {
      const then = state();
      return safeTasksAt(then.facts, { file: path, start, end }).map(({ task, safe }) => {
        const title = `Make ${then.facts.tasks.get(task)?.task.name ?? task} safe to run twice`;
        if (safe.kind === 'refused') return { task, title, refused: `${safe.reason}; ${safe.remedy}` };
        const edits = safe.edits.map((edit) => ({ ...placed(edit, then), newText: edit.newText }));
        return { task, title, edits };
      });
    },
    async pick({ pipeline, at }) {
      if (at === undefined) picked.delete(pipeline);
      else picked.set(pipeline, instant(at));
    },
    async intervals({ pipeline, count, now }) {
      const { grid, view } = chosen(pipeline, now) ?? {};
      if (grid === undefined || view === undefined) return [];
      const zone = state().settings.shownIn ?? view.zone;
      const found: { start: number; label: string; detail: string }[] = [];
      for (let at = lastFinished(grid, instant(now)); at !== undefined && found.length < count; ) {
        found.push({
          start: at.start,
          label: formatInterval(at.data, zone),
          detail: `UTC ${toIso(at.start)} to ${toIso(at.data.end)}`,
        });
        at = grid.containing(instant(at.start - 1));
      }
      return found;
    },
    async step({ pipeline, by, now }) {
      const { grid, interval } = chosen(pipeline, now) ?? {};
      if (grid === undefined || interval === undefined) return;
      const next = grid.containing(by < 0 ? instant(interval.start - 1) : interval.next);
      if (next !== undefined && next.data.end <= now) picked.set(pipeline, next.start);
    },
    async parseTime({ pipeline, text }) {
      const zone = state().facts.pipelines.find(({ id }) => id === pipeline)?.zone ?? 'UTC';
      return parseInstant(text.trim(), zone);
    },
    async firstRange({ task, now }) {
      const found = state().facts.tasks.get(task);
      const interval = found && chosen(found.pipeline.id, now)?.interval;
      if (found === undefined || interval === undefined) return undefined;
      const { zone } = found.pipeline;
      const planned = taskCalled(task);
      return planned && { ...typedRun(planned, interval), zone };
    },
    async rangeAt({ task, at }) {
      const found = taskCalled(task);
      const interval = Number.isFinite(at) ? found?.grid?.containing(instant(at)) : undefined;
      if (found === undefined || interval === undefined) return undefined;
      return typedRun(found, interval);
    },
    pickedRange: async ({ units }) => pickedRange(state().tasks(), units),
    async range(choice) {
      const { tasks, children, settings } = state();
      return rangeView(tasks(), children(), typedRange(choice), settings.shownIn);
    },
    async calendar({ task, now, before }) {
      const found = taskCalled(task);
      const { facts, settings } = state();
      if (found === undefined) return undefined;
      const end = before === undefined ? undefined : parseInstant(before, found.zone);
      return calendarGrid(found, namedIn(facts, task).name, instant(now), settings.shownIn ?? found.zone, end);
    },
    survey: async ({ task, now }) =>
      calendarSurvey(taskCalled(task), state().facts.tasks.get(task), state().config, instant(now)),
    async surveyPlanned({ page, task }) {
      const { plan, state: then } = planned(page);
      const units = plan.units.filter((unit) => unit.task === task);
      const found = then.tasks().find(({ id }) => id === task);
      const facts = then.facts.tasks.get(task);
      if (found === undefined || facts === undefined) return { slices: [], untold: [] };
      return slicesOfIntervals(found, units, { ...facts, given: then.config });
    },
    async outdated({ page }) {
      const shown = frozen.get(page);
      return shown === undefined ? [] : outOfDateTasks(shown.plan, codeHashes());
    },
    async named({ connection }) {
      const { config, facts } = state();
      return namedInWorkspace(facts, refuseElsewhere(config, connection, process.env));
    },
    async learn({ database }) {
      live().learn(database);
    },
    async plan({ purpose, unasked, page, carriedBy, ...choice }) {
      const current = state();
      const range = typedRange(choice);
      const made = planTypedRange(current.tasks(), range, purpose);
      if ('wrong' in made) throw new Error(made.wrong);
      return freeze(page ?? choice.task, {
        plan: withFindings(made.plan, [
          ...assumedVariables(made.plan, current.facts, current.config),
          ...(unasked === undefined ? [] : [unaskedFinding(unasked)]),
        ]),
        purpose: { kind: purpose },
        title: titleOf(range),
        state: current,
        without: purpose === 'run' ? range.without : [],
        carriedBy: purpose === 'run' ? carriedBy : undefined,
        stored: undefined,
      });
    },
    async adopt({ page, document }) {
      const decoded = decodeRunDocument(document);
      if (!decoded.ok) throw new Error(decoded.reason);
      const { plan, jobs, refused } = decoded.value;
      const undone = [...jobs.values()].find(({ restores }) => restores !== undefined)?.restores;
      const purpose: PlanPurpose = undone === undefined ? { kind: 'run' } : { kind: 'undo', run: undone.run };
      const title = undone === undefined ? 'Stored run' : `Undo of run ${undone.run}`;
      return freeze(page, {
        plan,
        purpose,
        title,
        state: state(),
        without: [],
        carriedBy: undefined,
        stored: { jobs, refused },
      });
    },
    async unit({ page, index, connection, settings }) {
      const { plan, state: then, stored, carriedBy } = planned(page);
      const unit = plan.units[index];
      if (unit === undefined) throw new Error(`the plan has no unit ${index}`);
      const alone: Plan = { ...plan, units: [unit] };
      const { jobs, refused } =
        stored ?? jobsOf(then, alone, 'shown', { connection, settings, options: {}, carriedBy });
      const refusal = refused.get(unit.id);
      return {
        statements: jobs.get(unit.id)?.statements.map(({ text }) => text) ?? [],
        refusal: refusal === undefined ? undefined : `${refusal.message}; ${refusal.remedy}`,
        carried: carriedUnit(jobs.get(unit.id)),
      };
    },
    ...configService(live),
    ...schedulerService(state, planned, chosen),
    async report(asked) {
      const shown = frozen.get(asked.page);
      return reportFile(shown?.plan, shown?.title ?? 'Backfill', asked);
    },
    async prepare({ page, stamp, scheduler, ...options }) {
      const { state: then, plan, title, stamp: last, carriedBy } = planned(page);
      if (stamp !== last) throw new Error('The plan is out of date: another one was made since. Make it again.');
      const changed = outOfDateTasks(plan, codeHashes());
      if (changed.length > 0) {
        const code = `the code of ${changed.join(', ')} has changed since`;
        throw new Error(`The plan is out of date: ${code}. Make it again.`);
      }
      return prepareRun(then, plan, title, { ...options, scheduler, carriedBy: scheduler && carriedBy });
    },
    async judge({ page, proofs: found }) {
      const { plan, state: then } = planned(page);
      proofs.keep(plan, found, zoneIn(then), then.text);
      return found.map(({ unit, verdict }) => {
        const at = blamedStatement(verdict);
        return { unit, at: at && placed(at, then) };
      });
    },
    async codeHashes() {
      return [...codeHashes()];
    },
    async remember({ versions: known }) {
      for (const [task, interval, found] of known) versions.set(`${task} ${interval}`, found);
    },
    async taskPlaces() {
      const { facts, tasks } = state();
      return tasks().flatMap(({ id, grid, executor }) => {
        const known = facts.tasks.get(id)?.task;
        if (known === undefined || grid === undefined || executor.kind !== 'warehouse') return [];
        return [{ task: id, ...namedIn(facts, id), ...placed(known.nameAt) }];
      });
    },
    async place({ task }) {
      const found = state().facts.tasks.get(task);
      return found && placed(found.task.nameAt);
    },
    async tasks() {
      const { facts, tasks, settings, config } = state();
      const scheduler = schedulerIn(config);
      const given = scheduler === undefined ? undefined : { scheduler, all: false };
      return tasks().map(({ id, zone, noGrid, executor }) => ({
        task: id,
        ...namedIn(facts, id),
        detail:
          executor.kind === 'warehouse' || carrierOf({ facts }, id, executor, given) !== undefined
            ? ''
            : executor.reason,
        zone: settings.shownIn ?? zone,
        noGrid,
      }));
    },
  };
}

/** Lets what is in the queue come first: while somebody types, newer texts wait there, and only the newest is read. */
const afterQueue = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const zoneIn =
  ({ settings, facts }: LiveState) =>
  (task: TaskId): ZoneName =>
    settings.shownIn ?? facts.tasks.get(task)?.pipeline.zone ?? 'UTC';

/** The pipeline of a task, and its name there. */
function namedIn({ tasks }: LiveState['facts'], id: TaskId): Pick<TaskNames, 'dag' | 'name'> {
  const known = tasks.get(id);
  return { dag: known?.pipeline.id ?? '', name: known?.task.name ?? id };
}
