import type { Finding } from '../../lint/model/finding.ts';
import type { Span } from '../../text/span.ts';
import type { ProblemView, UnknownView } from './document-view.ts';

/**
 * What is marked, each cause once. What is not known where something is wrong follows from it, or is settled with it: a
 * finding says more, and so does what could not be read. Of what several tasks have in common at one place, as those of a
 * loop, one speaks; what one place leaves open of several tables is one mark that says all of it.
 */
export function onePerCause(
  findings: readonly Finding[],
  problems: readonly ProblemView[],
  unknowns: readonly UnknownView[],
): { readonly problems: readonly ProblemView[]; readonly unknowns: readonly UnknownView[] } {
  const wrong = problems.filter(({ severity }) => severity !== 'info');
  const isSettled = ({ at }: { readonly at: Span }): boolean =>
    [...findings, ...wrong].some((other) => overlap(at, other.at));
  const isOfWrong = ({ at }: ProblemView): boolean => wrong.some((other) => overlap(at, other.at));
  return {
    problems: problems.filter(
      (problem) =>
        problem.severity !== 'info' ||
        !(isOfWrong(problem) || unknowns.some((unknown) => isSame(unknown.at, problem.at))),
    ),
    unknowns: joined(unknowns.filter((unknown) => !isSettled(unknown))),
  };
}

function joined(unknowns: readonly UnknownView[]): readonly UnknownView[] {
  const byPlace = new Map<string, UnknownView>();
  for (const unknown of unknowns) {
    const { about, at, message } = unknown;
    const key = `${about} ${at.start} ${at.end}`;
    const known = byPlace.get(key);
    if (known === undefined) byPlace.set(key, unknown);
    else if (!known.message.split('\n').includes(message))
      byPlace.set(key, { ...known, message: `${known.message}\n${message}` });
  }
  return [...byPlace.values()];
}

const overlap = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

const isSame = (a: Span, b: Span): boolean => a.start === b.start && a.end === b.end;
