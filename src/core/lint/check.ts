import type { WorkspaceFacts } from '../lineage/workspace-facts.ts';
import type { DialectName } from '../sql/dialect-name.ts';
import { createSuppressions } from './file-suppressions.ts';
import type { Finding, Severity } from './finding.ts';
import { createLintWorkspace } from './lint-workspace.ts';
import { createPipelineFindings, type RawFinding } from './pipeline-findings.ts';
import unknownSuppression, { unknownSuppressionFinding } from './rules/unknown-suppression.ts';
import type { Suppressions } from './suppressions.ts';

export interface CheckOptions {
  /** Severity by rule, over the rules' own grades; `off` switches a rule off. */
  readonly severities: Readonly<Record<string, Severity | 'off'>>;
  /** Only these rules speak; all of them when left out. */
  readonly rules?: readonly string[];
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
      const raw = facts.pipelines.flatMap((pipeline) => findingsOf(pipeline, workspace));
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

const isDoubted = ({ finding }: RawFinding): boolean =>
  finding.restsOn?.some(({ statement }) => statement.trust === 'envelope') ?? false;

function decide(
  all: readonly RawFinding[],
  suppressions: ReadonlyMap<string, Suppressions>,
  options: CheckOptions,
): Finding[] {
  const raw = all.filter((one) => !isDoubted(one));
  const silenced = new Set(
    raw.flatMap(({ rule, finding }) => rule.supersedes.map((id) => subjectKey(id, finding.subject))),
  );
  const spoken = raw.filter(({ rule, finding }) => !silenced.has(subjectKey(rule.id, finding.subject)));
  const unknown = [...suppressions.values()].flatMap((one) => one.unknown.map(unknownSuppressionFinding));
  const said = [...spoken, ...unknown.map((finding) => ({ rule: unknownSuppression, finding }))];

  const found = new Map<string, Finding>();
  for (const { rule, finding } of said) {
    if (options.rules !== undefined && !options.rules.includes(rule.id)) continue;
    if (suppressions.get(finding.at.file)?.suppresses(rule.id, finding.at.start) === true) continue;
    const severity = options.severities[rule.id] ?? finding.severity ?? rule.severity;
    if (severity === 'off') continue;
    const key = `${rule.id} ${finding.at.file} ${finding.at.start} ${finding.at.end}`;
    const known = found.get(key);
    if (known !== undefined && gravity[known.severity] <= gravity[severity]) continue;
    found.set(key, {
      rule: rule.id,
      severity,
      message: finding.message,
      at: finding.at,
      related: finding.related ?? [],
      fixes: finding.fixes ?? [],
    });
  }
  return [...found.values()].sort(byPlace);
}

const gravity: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2, hint: 3 };

const subjectKey = (rule: string, subject: string): string => `${rule} ${subject}`;

function byPlace(a: Finding, b: Finding): number {
  if (a.at.file !== b.at.file) return a.at.file < b.at.file ? -1 : 1;
  return a.at.start - b.at.start || a.at.end - b.at.end || (a.rule < b.rule ? -1 : 1);
}
