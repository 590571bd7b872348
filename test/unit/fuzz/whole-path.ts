import { expect } from 'vitest';
import { buildWorkspaceFacts } from '../../../src/core/lineage/workspace/build-workspace-facts.ts';
import { factJson } from '../../../src/core/lineage/workspace/fact-json.ts';
import { checkWorkspace } from '../../../src/core/lint/check.ts';
import type { Pipeline } from '../../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import { planJson } from '../../../src/core/plan/plan-json.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import type { SourceSpan, Span } from '../../../src/core/text/span.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { makeDocumentView } from '../../../src/core/view/document/make-document-view.ts';
import { emptyConfig } from '../../../src/node/config/config.ts';
import { readConfig } from '../../../src/node/config/read-config.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();
const from = Date.UTC(2026, 10, 1);
const now = instant(Date.UTC(2026, 10, 28, 12));

/** Drives one workspace from its texts to what is shown and planned. */
export interface WholePath {
  /**
   * Reads, checks, shows `file` and plans a task of it, and expects of every place that it is inside its file. The
   * reader keeps what it knows of the other files, as in an editor.
   */
  drive(files: ReadonlyMap<string, string>, file: string): void;
}

export function wholePath(): WholePath {
  const reader = createWorkspaceReader(parser, defaultReaderOptions);
  return {
    drive(files, file) {
      const configText = files.get('backfill.yaml');
      const config = configText === undefined ? undefined : readConfig('backfill.yaml', configText);
      const { declared } = config?.config ?? emptyConfig;
      const reading = reader.read(fileSetOf(files));
      const facts = buildWorkspaceFacts(reading, declared);
      const findings = checkWorkspace(facts, { severities: config?.config.rules ?? {} });
      const problems = [
        ...(config?.problems ?? []),
        ...reading.files.flatMap((read) => read.problems),
        ...facts.problems,
      ];
      for (const { message } of problems) expect(message).not.toContain('defect in the reader');

      const places = [
        ...problems.map(({ at }) => at),
        ...findings.flatMap(({ at, related, fixes }) => [
          at,
          ...related.map((other) => other.at),
          ...fixes.flatMap(({ edits }) => edits),
        ]),
        ...facts.pipelines.flatMap(placesOf),
      ];
      for (const place of places) if (place !== undefined) expectInside(place, files.get(place.file), place.file);
      for (const sql of facts.pipelines.flatMap(({ tasks }) => tasks.flatMap((task) => task.sql))) {
        const { text } = sql.source;
        expect(sql.masked.text).toHaveLength(text.length);
        expect(sql.masked.text.replace(/[^\r\n]/g, '')).toBe(text.replace(/[^\r\n]/g, ''));
        for (const hole of sql.masked.holes) expectInside(hole, text, `the SQL of ${file}`);
        for (const statement of sql.reading.statements) expectInside(statement, text, `the SQL of ${file}`);
      }
      JSON.stringify(factJson(facts));

      const text = files.get(file) ?? '';
      const view = makeDocumentView({
        file,
        facts,
        findings,
        problems,
        links: { place: (path, { line }) => `${path}#${line}`, declare: (task) => task },
        choice: new Map(),
        now,
        shownIn: undefined,
        variables: {},
        params: {},
        children: new Map(),
        versions: () => [],
      });
      for (const { at, nameAt } of view.tasks) for (const place of [at, nameAt]) expectInside(place, text, file);
      for (const { at } of [...view.hovers, ...view.unknowns, ...view.problems]) expectInside(at, text, file);
      for (const { offset } of view.hints) expectInside({ start: offset, end: offset }, text, file);

      const tasks = plannableTasks(facts, (code) => code);
      const mine = tasks.filter(({ id }) => facts.tasks.get(id)?.pipeline.file === file).slice(0, 2);
      for (const { id } of mine) {
        const selection = { kind: 'data-range', from: instant(from), to: instant(from + 3 * 86_400_000) } as const;
        const plan = makePlan(tasks, {
          tasks: [id],
          selection,
          downstream: true,
          without: [],
          expandUnbounded: false,
          allowAppend: true,
          now,
        });
        for (const unit of plan.units) expect(unit.start).toBeLessThan(unit.next);
        JSON.stringify(planJson(plan));
      }
    },
  };
}

const placesOf = (pipeline: Pipeline): readonly (SourceSpan | undefined)[] => [
  pipeline.at,
  pipeline.schedule.at,
  pipeline.startDateAt,
  pipeline.catchup.at,
  ...pipeline.edges.map(({ at }) => at),
  ...pipeline.clockCalls.map(({ at }) => at),
  ...pipeline.tasks.flatMap((task) => [
    task.at,
    task.nameAt,
    ...task.unread.map(({ at }) => at),
    ...task.accesses.map(({ at }) => at),
    ...task.arguments.flatMap(({ at, valueAt }) => [at, valueAt]),
    ...task.sql.flatMap((sql) => sql.source.pieces.map(({ source }) => source)),
  ]),
];

function expectInside({ start, end }: Span, text: string | undefined, where: string): void {
  if (start >= 0 && start <= end && end <= (text?.length ?? -1)) return;
  expect.fail(`${start}–${end} is not a place of ${where}, which has ${text?.length ?? 'no'} characters`);
}
