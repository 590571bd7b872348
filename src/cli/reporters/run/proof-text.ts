import type { Colors } from 'picocolors/types';
import type { UnitProof } from '../../../core/run/relational/prove/prove.ts';
import { underInWords } from '../../../core/run/relational/prove/under-in-words.ts';
import { plural } from '../../../core/text/plural.ts';
import { inTurnAdvice, notCleanAdvice, volatileAdvice } from '../../../core/view/words/left-over-advice.ts';
import { rangeFinder } from '../check/findings-range.ts';
import { messageOf, type ProofReport } from './proof-json.ts';
import { difference, sampleLines } from './run-text.ts';

const words: Readonly<Record<UnitProof['verdict']['kind'], string>> = {
  'no-difference': 'no difference found',
  different: 'a second run leaves other rows',
  'not-clean': 'one clean run leaves other rows',
  outside: 'writes outside of its slice',
  failed: 'failed',
  cancelled: 'cancelled',
};

/** For people: each unit's verdict with the rows that prove it, what was varied, and what became of its findings. */
export function proofText(report: ProofReport, colors: Colors): string {
  const { proofs, findings, text, stays = [], notLookedAt = [] } = report;
  const ranges = rangeFinder(text);
  const lines = proofs.flatMap((proof) => unitLines(proof, ranges, colors));
  const varied = [...new Set(proofs.flatMap((proof) => proof.varied))];
  const notCovered = [...new Set(proofs.flatMap((proof) => [...proof.notCovered, ...proof.notEmptied]))];
  if (varied.length > 0) lines.push('', `varied: ${varied.join('; ')}`);
  if (notCovered.length > 0) lines.push(`${colors.yellow('not covered')}: ${notCovered.join('; ')}`);
  lines.push(...[...new Set(proofs.flatMap(({ leftOut }) => leftOut))].map((line) => colors.dim(line)));
  for (const { finding, verdict } of findings) {
    const { line, column } = ranges.range(finding.at).start;
    const mark = verdict === 'confirmed' ? colors.red('confirmed') : colors.green('cleared for these intervals');
    lines.push(`${mark} ${finding.rule} ${colors.dim(`${finding.at.file}:${line}:${column}`)}`);
  }
  const kept = [
    stays.length + notLookedAt.length === 0 ? 'nothing was kept' : 'no row was kept',
    ...(stays.length === 0 ? [] : [`what ${stays.join(', ')} did beside stays`]),
    ...notLookedAt,
  ].join('; ');
  lines.push('', `${cameTo(report, colors)}; ${kept}`);
  return `${lines.join('\n')}\n`;
}

/** Units that broke off before there were two runs to compare are no part of those that were run twice. */
function cameTo({ proofs, target }: ProofReport, colors: Colors): string {
  const count = (...kinds: readonly UnitProof['verdict']['kind'][]): number =>
    proofs.filter(({ verdict }) => kinds.includes(verdict.kind)).length;
  const compared = count('no-difference', 'different', 'not-clean');
  const [outside, failed, cancelled] = [count('outside'), count('failed'), count('cancelled')];
  const brokeOff = [
    ...(outside > 0 ? [`${outside} wrote outside of ${outside === 1 ? 'its slice' : 'their slices'}`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cancelled > 0 ? [`${cancelled} cancelled`] : []),
  ];
  const parts = [
    compared === 0
      ? `${colors.bold('no unit')} run twice on ${target}`
      : `${colors.bold(plural(compared, 'unit'))} run twice on ${target}: ${count('no-difference')} without a difference`,
    ...(brokeOff.length === 0
      ? []
      : [`${colors.bold(plural(outside + failed + cancelled, 'unit'))} not compared: ${brokeOff.join(', ')}`]),
  ];
  return parts.join('; ');
}

function unitLines(
  { unit, task, verdict }: UnitProof,
  ranges: ReturnType<typeof rangeFinder>,
  colors: Colors,
): readonly string[] {
  const paint =
    verdict.kind === 'no-difference' ? colors.green : verdict.kind === 'cancelled' ? colors.dim : colors.red;
  const message = messageOf(verdict);
  const lines = [`${colors.bold(unit)}  ${paint(words[verdict.kind])}${message === undefined ? '' : `: ${message}`}`];
  if (verdict.kind === 'failed' && verdict.error.remedy !== undefined) {
    lines.push(`  ${colors.green('help')} ${verdict.error.remedy}`);
  }
  if (verdict.kind === 'different') lines.push(`  ${underInWords(verdict)}`);
  else if (verdict.kind === 'not-clean') lines.push('  as runs leave them → as one run from empty slices does');
  else return lines;
  for (const { at } of verdict.statements) {
    if (at === undefined) continue;
    const { line, column } = ranges.range(at).start;
    lines.push(`  written by ${at.file}:${line}:${column}`);
  }
  for (const slice of verdict.slices) {
    lines.push(`  ${slice.table} ${difference(slice, colors)}`);
    lines.push(...sampleLines(slice, 3, colors).map((line) => `  ${line}`));
  }
  if (verdict.kind === 'different') {
    const cures = verdict.inTurn === true ? [inTurnAdvice(verdict.slices)] : volatileAdvice(task, verdict.slices);
    for (const advice of cures) lines.push(`  ${colors.green('help')} ${advice}`);
  }
  if (verdict.kind === 'not-clean') {
    const cures = verdict.advice === undefined ? notCleanAdvice(task, verdict.slices) : [verdict.advice];
    for (const advice of cures) lines.push(`  ${colors.green('help')} ${advice}`);
  }
  return lines;
}
