import { afterAll, beforeAll, expect, test } from 'vitest';
import { playCase } from '../support/faults/play-case.ts';
import { caseOf, faultKinds } from '../support/faults/scenario.ts';
import { openTheatre, type Theatre } from '../support/faults/theatre.ts';

/** Each seed is one pipeline with its faults; so many in a row meet every kind of fault first once. */
const seed = Number(process.env.FAULTS_SEED ?? 20_240_310);
const pipelines = Number(process.env.FAULTS_PIPELINES ?? faultKinds.length);

/** Ledger and catalog grow with every case, and the server's disk is a small one. */
const casesOfOneServer = 150;

let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre();
  if (theatre.disk === undefined) tell('no disk is filled here: mounting a small one needs root on Linux');
});
afterAll(() => theatre?.close());

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

test('a disk that is full is one to the server, and has room again afterwards', async ({ skip }) => {
  if (theatre.disk === undefined) return skip('mounting a small disk needs root on Linux');
  const fills = 'create table many as select n from generate_series(1, 100000) n';
  theatre.disk.fill();
  await expect(theatre.session.query(fills)).rejects.toMatchObject({ kind: 'storage', retryable: false });
  theatre.disk.empty();
  await theatre.session.query(fills);
  await theatre.session.query('drop table many');
});

test('whatever goes wrong, the tables end as one clean run leaves them, and no unit takes effect twice', async () => {
  const struck = new Map<string, number>();
  const failed: string[] = [];
  let units = 0;
  for (let current = seed; current < seed + pipelines; current++) {
    if (current > seed && (current - seed) % casesOfOneServer === 0) {
      await theatre.close();
      theatre = await openTheatre();
    }
    try {
      const played = await playCase(theatre, current);
      units += played.units;
      for (const kind of played.struck) struck.set(kind, (struck.get(kind) ?? 0) + 1);
    } catch (error) {
      const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
      const { scenario } = caseOf(current);
      failed.push(`FAULTS_SEED=${current} FAULTS_PIPELINES=1 npm run test:faults\n${why}\n${JSON.stringify(scenario)}`);
      tell(failed.at(-1) as string);
      // What it left behind is not the next one's.
      await theatre.close();
      theatre = await openTheatre();
    }
    if ((current - seed + 1) % 20 === 0 || current === seed + pipelines - 1) {
      const times = [...struck].map(([kind, count]) => `${kind} ${count}`).join(', ');
      tell(`faults: seeds ${seed} to ${current}, ${failed.length} failed; ${units} planned units, struck: ${times}`);
    }
  }
  expect(failed).toEqual([]);
});
