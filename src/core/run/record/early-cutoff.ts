import { sameContent } from '../../diff/change-cause.ts';
import { counterpart, type RecordedInput, sameInput } from '../../ledger/recorded-input.ts';
import { withoutLeadingComments } from '../../sql/lex/leading-comments.ts';
import { instant } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';
import type { TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import type { Session, WarehouseDescription } from '../../warehouse/port/ports.ts';
import { unitSavepoint } from '../../warehouse/port/transaction-control.ts';
import type { UnseenReads } from '../hidden-inputs/unseen-reads.ts';
import { stateBefore } from '../tables/slice-state.ts';
import { ledgerSlice, type Target } from '../tables/target.ts';
import { sessionSettings, type UnitJob } from '../unit/unit-job.ts';
import { type ContentUse, inputContents } from './input-content.ts';
import type { Marker } from './marker.ts';
import { type PreviousVersion, sameSettings } from './previous-version.ts';

/** What a unit's transaction needs to look at its inputs. */
export interface CutoffUnit {
  readonly session: Session;
  readonly job: UnitJob;
  readonly targets: readonly Target[];
  readonly server: WarehouseDescription;
  readonly types: TypeCache;
  readonly unseen: UnseenReads;
}

/** What for the contents of a unit's inputs are kept; `undefined`: they are not. */
export function contentUse({ options, cutsOff, carried, restores }: UnitJob): ContentUse | undefined {
  if (!options.earlyCutoff || carried !== undefined || restores !== undefined) return undefined;
  return cutsOff ? 'decide' : 'tell';
}

/**
 * The inputs, and what they hold now; a unit that was asked for runs anyway, and a pass over its inputs may cost as much
 * as its task, so that only small ones are told of it. Read before the task: what is committed meanwhile makes the record stale,
 * never wrong.
 */
export const readInputs = async (unit: CutoffUnit, marker: Marker): Promise<readonly RecordedInput[]> =>
  (await readInputsOf([{ cutoff: unit, marker }]))[0] as readonly RecordedInput[];

/** The same of several units in one transaction: a table that all of them read is looked at once. */
export async function readInputsOf(
  units: readonly { readonly cutoff: CutoffUnit; readonly marker: Marker }[],
): Promise<readonly (readonly RecordedInput[])[]> {
  const [first] = units;
  if (first === undefined) return [];
  const { session, server, types } = first.cutoff;
  const asked = units.map(({ cutoff: { job } }) => ({ use: contentUse(job), inputs: job.inputs }));
  const [{ use }] = asked as [(typeof asked)[number]];
  if (use === undefined || asked.some((one) => one.use !== use)) return units.map(({ marker }) => marker.inputs);
  const targets = units.flatMap(({ cutoff }) => cutoff.targets);
  const contents = await inputContents(
    session,
    asked.flatMap(({ inputs }) => inputs),
    server,
    types,
    use,
    targets,
  );
  let at = 0;
  return units.map(({ cutoff, marker }) => {
    const own = contents.slice(at, at + cutoff.job.inputs.length);
    at += cutoff.job.inputs.length;
    return marker.inputs.map((input, index) => {
      const content = own[index];
      return content === undefined ? input : { ...input, content };
    });
  });
}

const isView = ({ definition }: RecordedInput): boolean => definition !== undefined;

/** Statements after which the same names and bounds may mean other rows than those that were looked at. */
const readsElsewhere = /^[\s;(]*(?:set|reset|do|call|execute)\b|\bset_config\s*\(/i;

/** Why a unit has nothing to do, in words, and the versions that this was found of. */
export interface UpToDate {
  readonly reason: string;
  readonly versions: readonly PreviousVersion[];
}

/**
 * Why running the unit would give what is there: its code, SQL, schema and settings are those of its last run,
 * every input holds what that run saw, and its own rows are what that run left. `undefined`: it may give something else.
 * Content is compared, not only what the ledger says: somebody else may have written a table since. Leaves the
 * transaction as it was; the unit's savepoint is set.
 */
export async function whyUpToDate(
  unit: CutoffUnit,
  { previous, definitionsHash }: Marker,
  inputs: readonly RecordedInput[],
): Promise<UpToDate | undefined> {
  const { session, job, targets } = unit;
  if (!job.options.earlyCutoff || !job.cutsOff || inputs.every(isView) || targets.length === 0) return undefined;
  if (unit.unseen.open !== undefined) return undefined;
  if (job.statements.some(({ text }) => readsElsewhere.test(withoutLeadingComments(text)))) return undefined;
  const versions: PreviousVersion[] = [];
  for (const target of targets) {
    const version = previous.find(({ slice }) => slice === ledgerSlice(target).slice);
    if (version === undefined || version.codeHash !== job.codeHash || version.sameStatements !== true) return undefined;
    if (version.definitionsHash !== definitionsHash) return undefined;
    if (!version.sameSchema || !sameSettings(version.settings, sessionSettings(job))) return undefined;
    const { inputs: seen } = version;
    if (seen?.length !== inputs.length) return undefined;
    const same = inputs.every((input) => {
      const then = counterpart(input, seen);
      const known = isView(input) || (input.content !== undefined && then?.content !== undefined);
      return known && sameInput(input, then) === true;
    });
    if (!same) return undefined;
    versions.push(version);
  }
  for (const [index, { relation }] of targets.entries()) {
    const version = versions[index];
    if (relation === undefined || version === undefined) return undefined;
    const { figures } = await stateBefore(session, relation, index, { ...job.options, compare: 'checksums' });
    await session.query(`rollback to savepoint ${unitSavepoint}`);
    if (sameContent(figures, version) !== true) return undefined;
  }
  const newest = versions.reduce((a, b) => (b.madeAt > a.madeAt ? b : a));
  const reason = `inputs unchanged since ${toIso(instant(newest.madeAt))}, when run ${newest.run} made what is there`;
  return { reason, versions };
}
