import type { Finding } from '../../lint/model/finding.ts';
import type { Task, TaskId } from '../../pipeline/model/model.ts';
import type { UnitProof } from '../../run/relational/prove/prove.ts';
import { underInWords } from '../../run/relational/prove/under-in-words.ts';
import { plural } from '../../text/plural.ts';
import type { Problem, SourceSpan } from '../../text/span.ts';
import { judgedFindings } from './judged-findings.ts';

/** What running one unit twice has shown, kept for as long as the code of its task is what was run. */
export interface KeptProof {
  readonly proof: UnitProof;
  /** The interval, for the eye. */
  readonly label: string;
  /** Where the statement stood that left other rows, the last of those that write them, and what stood there. */
  readonly place: { readonly at: SourceSpan; readonly text: string } | undefined;
}

export interface ProvenFindings {
  /** All findings; those that a proof has judged say so. */
  readonly findings: readonly Finding[];
  /** What a proof has shown and no finding had said, at the responsible statement. */
  readonly problems: readonly Problem[];
}

/**
 * Puts what proofs have shown beside the code: a finding that two runs can judge is confirmed, or cleared for the
 * intervals that ran. `proofs` are by task, those of code that has changed since left out; `text` gives files as they are
 * now.
 */
export function provenFindings(
  findings: readonly Finding[],
  task: (id: TaskId) => Task | undefined,
  proofs: ReadonlyMap<TaskId, readonly KeptProof[]>,
  text: (file: string) => string | undefined,
): ProvenFindings {
  const said = new Map<Finding, Finding>();
  const problems: Problem[] = [];
  for (const [id, kept] of proofs) {
    const of = task(id);
    if (of === undefined) continue;
    const judged = judgedFindings(
      findings,
      of,
      kept.map(({ proof }) => proof),
    );
    const confirmed = judged.flatMap(({ finding, verdict }) => (verdict === 'confirmed' ? [finding] : []));
    // Where tasks share a text, one that differs counts.
    for (const { finding, verdict } of judged)
      if (verdict === 'confirmed' || !said.has(finding)) said.set(finding, toldBy(finding, verdict, kept));
    const isSaid = (place: SourceSpan): boolean =>
      confirmed.some(({ at }) => at.file === place.file && place.start <= at.start && at.end <= place.end);
    problems.push(...marks(of, kept, text).filter(({ at }) => at === undefined || !isSaid(at)));
  }
  if (said.size === 0) return { findings, problems };
  return { findings: findings.map((finding) => said.get(finding) ?? finding), problems };
}

/** A finding that says what the proof has shown; what was a hint before is none once rows have shown it. */
function toldBy(finding: Finding, verdict: 'confirmed' | 'cleared', kept: readonly KeptProof[]): Finding {
  const { message, severity } = finding;
  return {
    ...finding,
    message: `${message}\n${verdictInWords(verdict, kept)}`,
    severity: verdict === 'confirmed' && severity !== 'error' ? 'warning' : severity,
  };
}

function verdictInWords(verdict: 'confirmed' | 'cleared', kept: readonly KeptProof[]): string {
  if (verdict === 'cleared') return `Cleared for ${labels(kept)}: a second run left the same rows.`;
  const different = kept.filter(({ proof }) => proof.verdict.kind === 'different');
  if (different.length > 0) return `Confirmed for ${labels(different)}: a second run left other rows.`;
  const notClean = kept.filter(({ proof }) => proof.verdict.kind === 'not-clean');
  if (notClean.length > 0) return `Confirmed for ${labels(notClean)}: one clean run leaves other rows.`;
  const outside = kept.filter(({ proof }) => proof.verdict.kind === 'outside');
  return `Confirmed for ${labels(outside)}: a run wrote outside of its slice.`;
}

/** One mark per statement that left other rows, and one at the task that wrote outside of its slice. */
function marks(
  task: Task,
  kept: readonly KeptProof[],
  text: (file: string) => string | undefined,
): readonly (Problem & { readonly at: SourceSpan })[] {
  const byPlace = new Map<string, { readonly at: SourceSpan; readonly of: KeptProof[] }>();
  const add = (at: SourceSpan, one: KeptProof): void => {
    const key = `${at.file} ${at.start}`;
    const known = byPlace.get(key) ?? { at, of: [] };
    byPlace.set(key, known);
    known.of.push(one);
  };
  for (const one of kept) {
    const { kind } = one.proof.verdict;
    if (kind !== 'outside' && kind !== 'different' && kind !== 'not-clean') continue;
    const { place } = one;
    add((place && placeNow(place, text(place.at.file) ?? '')) ?? task.nameAt, one);
  }
  return [...byPlace.values()].flatMap(({ at, of }) => {
    const [first] = of;
    return first === undefined ? [] : [{ at, severity: 'warning' as const, message: markInWords(first, of) }];
  });
}

function markInWords({ proof: { verdict } }: KeptProof, all: readonly KeptProof[]): string {
  if (verdict.kind === 'outside')
    return `Run for ${labels(all)}, the task wrote outside of its slice: ${verdict.reason}`;
  if (verdict.kind !== 'different' && verdict.kind !== 'not-clean') return '';
  const tables = [...new Set(verdict.slices.map(({ table }) => table))].join(', ');
  if (verdict.kind === 'not-clean')
    return `Run for ${labels(all)}, this left rows in ${tables} that one clean run does not.`;
  return `Run twice for ${labels(all)}, this left other rows in ${tables}, ${underInWords(verdict)}.`;
}

/** Where the statement stands now: code before it may have moved it. */
function placeNow({ at, text }: NonNullable<KeptProof['place']>, now: string): SourceSpan | undefined {
  if (now.slice(at.start, at.end) === text) return at;
  const [before, after] = [now.lastIndexOf(text, at.start), now.indexOf(text, at.start)];
  const start = before < 0 || (after >= 0 && after - at.start < at.start - before) ? after : before;
  return start < 0 ? undefined : { file: at.file, start, end: start + text.length };
}

/** At most three intervals by name. */
function labels(kept: readonly KeptProof[]): string {
  const names = kept.map(({ label }) => label);
  return names.length <= 3 ? names.join(', ') : `${names[0]} and ${plural(names.length - 1, 'more interval')}`;
}
