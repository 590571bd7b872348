import type { Provenance } from '../../lineage/facts/facts.ts';
import type { Task } from '../../pipeline/model/model.ts';
import type { SourceSpan } from '../../text/span.ts';

interface Fact {
  readonly provenance: Provenance;
  readonly at: SourceSpan | undefined;
  readonly snapshot?: { readonly source: string };
}

/** Where a fact came from, without its place: `SQL`, `argument write_disposition of …`, `declared in backfill.yaml`. */
export const originInWords = (fact: Fact, task: Task): string => words[fact.provenance](fact, task);

const words: Readonly<Record<Provenance, (fact: Fact, task: Task) => string>> = {
  sql: () => 'SQL',
  argument: argumentInWords,
  outlet: () => 'outlet',
  declared: ({ snapshot }) =>
    snapshot === undefined ? 'declared in backfill.yaml' : `declared in backfill.yaml instead of ${snapshot.source}`,
};

/** The narrowest argument that holds the place; else the call that makes the access. */
function argumentInWords({ at }: Fact, { arguments: all, accesses, operator }: Task): string {
  const [narrowest] = all
    .filter((argument) => isInside(at, argument.at))
    .toSorted((a, b) => a.at.end - a.at.start - (b.at.end - b.at.start));
  if (narrowest !== undefined) return `argument ${narrowest.name} of ${operator}`;
  return accesses.find((access) => isInside(at, access.at))?.by ?? `arguments of ${operator}`;
}

const isInside = (inner: SourceSpan | undefined, outer: SourceSpan): boolean =>
  inner !== undefined && inner.file === outer.file && outer.start <= inner.start && inner.end <= outer.end;
