import type { UnitProof } from '../../../core/run/relational/prove/prove.ts';
import { plural } from '../../../core/text/plural.ts';

/** What running units twice came to, in one sentence. `planned`: units that were to run. */
export function proofsInWords(proofs: readonly UnitProof[], planned: number, cancelled: boolean): string {
  const count = (...kinds: readonly UnitProof['verdict']['kind'][]): number =>
    proofs.filter(({ verdict }) => kinds.includes(verdict.kind)).length;
  const [same, differs, notClean, outside, failed] = [
    count('no-difference'),
    count('different'),
    count('not-clean'),
    count('outside'),
    count('failed'),
  ];
  const left = planned - same - differs - notClean - outside - failed;
  const parts = [
    ...(same > 0 ? [`no difference found in ${plural(same, 'slice')}`] : []),
    ...(differs > 0 ? [`a second run leaves other rows in ${plural(differs, 'slice')}`] : []),
    ...(notClean > 0 ? [`one clean run leaves other rows in ${plural(notClean, 'slice')}`] : []),
    ...(outside > 0 ? [`${plural(outside, 'slice')} wrote outside of their slice`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(left > 0 ? [`${left} not run`] : []),
  ];
  const said = `${cancelled ? 'cancelled: ' : ''}${parts.join(', ')}`;
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}. Nothing was kept.`;
}

/** What the later runs did otherwise, and what they could not. */
export function proofNotes(proofs: readonly UnitProof[]): readonly string[] {
  const [varied, notCovered] = [
    new Set(proofs.flatMap((proof) => proof.varied)),
    new Set(proofs.flatMap((proof) => [...proof.notCovered, ...proof.notEmptied])),
  ];
  return [
    ...(varied.size > 0 ? [`Varied: ${[...varied].join('; ')}.`] : []),
    ...new Set(
      proofs.flatMap(({ leftOut }) => leftOut.map((line) => `${line.charAt(0).toUpperCase()}${line.slice(1)}.`)),
    ),
    ...(notCovered.size > 0 ? [`Not covered: ${[...notCovered].join('; ')}.`] : []),
  ];
}
