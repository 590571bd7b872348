import type { UnitProof } from '../../../core/run/relational/prove/prove.ts';
import { type ProofVerdict, proofVerdict } from '../../../core/view/findings/proof-verdict.ts';
import type { JudgedPlace } from '../../host/workspace-api.ts';
import { firstOptions, pageOptions } from '../facts/session-options.ts';
import type { SessionServices } from '../facts/session-services.ts';
import { askOutside } from './ask-outside.ts';
import { askRunThread } from './ask-run-thread.ts';

/** What running a task twice has shown of one interval, and where. */
export interface ProvenTask {
  readonly verdict: ProofVerdict;
  readonly label: string;
  /** The statement that left other rows; `undefined`: none is to blame. */
  readonly at: JudgedPlace['at'];
}

/**
 * Runs the selected interval of a task twice and keeps nothing, without a page. Its findings say what was shown. Throws what
 * keeps it from being run, in words for a person.
 */
export async function proveTask(task: string, services: SessionServices, signal: AbortSignal): Promise<ProvenTask> {
  const { client, settings, createdBy } = services;
  const { names, default: preferred } = await client.call('connections', null);
  const name = preferred ?? names[0];
  if (name === undefined)
    throw new Error('No warehouse is connected: connect one with “Backfill: Connect Warehouse…”.');
  const now = Date.now();
  const range = await client.call('firstRange', { task, now });
  if (range === undefined) throw new Error(`${task} has no interval that has ended yet.`);
  // Its plan must not take the place of the one that the page of the task shows.
  const page = `test of ${task}`;
  const plan = await client.call('plan', { task, page, ...range, without: [], now, purpose: 'proof' });
  const [unit] = plan.units;
  if (unit === undefined || !plan.startable) {
    const [finding] = plan.findings;
    throw new Error(finding?.message ?? `Nothing of ${task} can be run for ${range.from}.`);
  }
  const defaults = await client.call('runDefaults', null);
  const options = pageOptions({ ...firstOptions(defaults, settings), compare: 'rows' }, settings);
  const answer = await askRunThread(
    services,
    name,
    async (api, connection) => {
      const how = { connection: name, settings: connection.settings, options, stopAtFirstFailure: false };
      const { concurrency } = defaults;
      const prepared = await client.call('prepare', { page, stamp: plan.stamp, concurrency, ...how });
      if ('kind' in prepared) return prepared;
      const { document } = prepared;
      return askOutside(services, (irrevocable) => api.call('prove', { connection, createdBy, document, irrevocable }));
    },
    { signal },
  );
  const proof: UnitProof | undefined = answer.proofs[0];
  const judged = await client.call('judge', { page, proofs: answer.proofs });
  client.touch();
  const { label } = unit;
  if (proof === undefined) return { verdict: { kind: 'skipped' }, label, at: undefined };
  return { verdict: proofVerdict(proof, label), label, at: judged.find((one) => one.unit === proof.unit)?.at };
}
