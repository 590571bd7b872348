import type { SliceRelation } from '../../diff/slice-relation.ts';
import { algorithmOf, type KnownFigures } from '../../diff/take-figures.ts';
import { ledgerSlice, type Target } from '../tables/target.ts';
import type { PreviousVersion } from './previous-version.ts';

/**
 * Types whose values are what a row holds and nothing else: the labels of an enum, say, stand elsewhere and can be altered. As
 * `format_type` shows those of the server; it names the schema of any other.
 */
const heldByRow =
  /^(?:boolean|smallint|integer|bigint|real|double precision|numeric|text|character varying|character|date|time|timestamp|interval|uuid|bytea|jsonb?)\b[^[\]".]*$/;

/**
 * What the last version of each slice says of its rows, by target, where the figures are those that would be taken now. They hold as
 * long as the slice has the same versions of rows.
 */
export const knownFigures = (
  previous: readonly PreviousVersion[],
  targets: readonly Target[],
): readonly (KnownFigures | undefined)[] =>
  targets.map((target) => {
    const version = previous.find(({ slice }) => slice === ledgerSlice(target).slice);
    return version && target.relation && figuresOf(version, target.relation);
  });

function figuresOf(version: PreviousVersion, relation: SliceRelation): KnownFigures | undefined {
  const { rows, keyChecksum, rowChecksum, algorithm, rowVersions, key, sameSchema } = version;
  if (!rowVersions || !keyChecksum || !sameSchema || algorithm !== algorithmOf(relation)) return undefined;
  if (!relation.keyGuaranteed || JSON.stringify(key) !== JSON.stringify(relation.key)) return undefined;
  if (!relation.table.columns.every(({ type }) => heldByRow.test(type))) return undefined;
  const { sum, files, at } = rowVersions;
  return {
    figures: { rows, keyChecksum, rowChecksum, algorithm, duplicateKeys: 0 },
    versions: sum,
    place: { files, at },
  };
}
