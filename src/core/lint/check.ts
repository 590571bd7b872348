import type { WorkspaceFacts } from '../lineage/facts/workspace-facts.ts';
import type { DialectName } from '../sql/model/dialect-name.ts';
import { plural } from '../text/plural.ts';
import { createLintWorkspace } from './context/lint-workspace.ts';
import { createSuppressions } from './file-suppressions.ts';
import type { Finding, Severity } from './model/finding.ts';
import { createPipelineFindings, type RawFinding } from './pipeline-findings.ts';
import unknownSuppression, { unknownSuppressionFinding } from './rules/unknown-suppression.ts';
import type { Suppressions } from './source/suppressions.ts';

export type Severities = Readonly<Record<string, Severity | 'off'>>;

export interface CheckOptions {
  /** Severity by rule, over the rules' own grades; `off` switches a rule off. */
  readonly severities: Severities;
  /** The same for files below a folder of the workspace (`dags/legacy`), over the former; of several the deepest counts. */
  readonly folders?: ReadonlyMap<string, Severities>;
  /** Only these rules speak; all of them when left out. */
  readonly rules?: readonly string[];
  /** Told of each pipeline that is done, and how many there are. */
  readonly onPipeline?: (done: number, of: number) => void;
}

/** A check in two steps, so that grammars are loaded between them, and only where there is something to doubt. */
export interface StartedCheck {
  /** Dialects of the statements whose reading decides a finding. */
  readonly dialects: ReadonlySet<DialectName>;
  /** Asks the statements' `trust`; as {@link checkWorkspace}. */
  findings(): Finding[];
}

/** Checks a workspace again and again while people edit it, and looks only at what an edit can have changed. */
export interface WorkspaceChecker {
  /** Always what a new checker would say. */
  start(facts: WorkspaceFacts, options: CheckOptions): StartedCheck;
}

export function createWorkspaceChecker(): WorkspaceChecker {
  const workspaceOf = createLintWorkspace();
  const findingsOf = createPipelineFindings();
  const suppressionsOf = createSuppressions();
  return {
    start(facts, options) {
      const workspace = workspaceOf(facts);
      const { pipelines } = facts;
      const raw = pipelines.flatMap((pipeline, at) => {
        options.onPipeline?.(at, pipelines.length);
        return findingsOf(pipeline, workspace);
      });
      return {
        dialects: new Set(raw.flatMap(({ finding }) => (finding.restsOn ?? []).map(({ sql }) => sql.dialect))),
        findings: () => decide(raw, suppressionsOf(facts), options),
      };
    },
  };
}

/**
 * Every finding of the workspace, sorted by file and place. One finding per cause: a rule keeps silent about a subject
 * of which a more specific rule speaks, and a text that several tasks run is reported once, at its gravest. What rests
 * on expressions that a full grammar reads otherwise is not reported.
 */
export const checkWorkspace = (facts: WorkspaceFacts, options: CheckOptions): Finding[] =>
  createWorkspaceChecker().start(facts, options).findings();

function decide(
  raw: readonly RawFinding[],
  suppressions: ReadonlyMap<string, Suppressions>,
  options: CheckOptions,
): Finding[] {
  const trusted = trustedFindings(raw);
  const unknown = [...suppressions.values()].flatMap((one) => one.unknown.map(unknownSuppressionFinding));
  const said: readonly RawFinding[] = [
    ...raw,
    ...unknown.map((finding) => ({ rule: unknownSuppression, finding, pipeline: undefined })),
  ];

  const found = new Map<string, Finding>();
  const owners = new Map<string, Set<string>>();
  for (const one of said) {
    const { rule, finding } = one;
    if (options.rules !== undefined && !options.rules.includes(rule.id)) continue;
    if (suppressions.get(finding.at.file)?.suppresses(rule.id, finding.at.start) === true) continue;
    const severity = severityIn(options, finding.at.file, rule.id) ?? finding.severity ?? rule.severity;
    if (severity === 'off') continue;
    const key = `${rule.id} ${finding.at.file} ${finding.at.start} ${finding.at.end}`;
    if (one.pipeline !== undefined) owners.set(key, (owners.get(key) ?? new Set()).add(one.pipeline));
    const known = found.get(key);
    if (known !== undefined && gravity[known.severity] <= gravity[severity]) continue;
    if (!trusted(one)) continue;
    found.set(key, {
      rule: rule.id,
      severity,
      message: finding.message,
      at: finding.at,
      related: finding.related ?? [],
      fixes: finding.fixes ?? [],
    });
  }
  for (const [key, finding] of found) {
    const pipelines = owners.get(key)?.size ?? 1;
    if (pipelines > 1)
      found.set(key, { ...finding, message: `${finding.message} ${plural(pipelines, 'DAG')} run this place.` });
  }
  return [...found.values()].sort(byPlace);
}

/** What the settings say of a rule in a file. */
function severityIn({ severities, folders }: CheckOptions, file: string, rule: string): Severity | 'off' | undefined {
  let deepest = '';
  let found = severities[rule];
  for (const [folder, own] of folders ?? []) {
    const said = own[rule];
    if (said === undefined || !file.startsWith(`${folder}/`) || folder.length < deepest.length) continue;
    deepest = folder;
    found = said;
  }
  return found;
}

/**
 * Whether a finding is to be reported: nothing that it rests on is read otherwise by a full grammar, and no more specific
 * rule speaks of its subject. Asked last, because a grammar parses the statement: once for a place, not for each task of
 * a loop.
 */
function trustedFindings(raw: readonly RawFinding[]): (one: RawFinding) => boolean {
  const specific = new Map<string, RawFinding[]>();
  for (const one of raw) {
    for (const id of one.rule.supersedes) {
      const key = subjectKey(id, one.finding.subject);
      specific.set(key, [...(specific.get(key) ?? []), one]);
    }
  }
  const isDoubted = ({ finding }: RawFinding): boolean =>
    finding.restsOn?.some(({ statement }) => statement.trust.answer === 'envelope') ?? false;
  return (one) =>
    !isDoubted(one) &&
    !(specific.get(subjectKey(one.rule.id, one.finding.subject)) ?? []).some((other) => !isDoubted(other));
}

const gravity: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2, hint: 3 };

const subjectKey = (rule: string, subject: string): string => `${rule} ${subject}`;

function byPlace(a: Finding, b: Finding): number {
  if (a.at.file !== b.at.file) return a.at.file < b.at.file ? -1 : 1;
  return a.at.start - b.at.start || a.at.end - b.at.end || (a.rule < b.rule ? -1 : 1);
}
