import { expect, test } from 'vitest';
import { startHeartbeat } from '../../../src/core/run/claim/heartbeat.ts';
import type { ResultSet, Session, Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { fakeClock } from '../../support/fake-run.ts';

const leaseMs = 30_000;
const own = 99;
const result = (rows: ResultSet['rows']): ResultSet => ({ columns: [], rows, rowCount: rows.length });

/** What the server says of its processes, look by look, and what the heartbeat does to a unit on process 7. */
async function beats(...looks: readonly (ResultSet['rows'] | 'silence')[]) {
  const clock = fakeClock();
  let [asked, connected, givenUp] = [0, 0, 0];
  const connect = async (): Promise<Session> => {
    connected++;
    return {
      backend: { process: own, giveUp: () => {} },
      query: (text) => {
        expect(text).toContain('pg_stat_activity');
        const said = looks[asked++] ?? [];
        return said === 'silence' ? new Promise(() => {}) : Promise.resolve(result(said));
      },
      cancel: async () => ({ confirmed: true }),
      close: async () => {},
    };
  };
  const warehouse = { leases: 'server', connect } as unknown as Warehouse;
  const backend = { process: 7, giveUp: () => givenUp++ };
  const leave = startHeartbeat(warehouse, clock).attend({ backend } as unknown as Session, leaseMs);
  await clock.passUntil(
    (async () => {
      while (givenUp === 0 && asked < looks.length) await clock.sleep(1000);
      await clock.sleep(leaseMs * 1.5);
    })(),
  );
  leave();
  return { givenUp, connected };
}

const there = (process: number, at: string): ResultSet['rows'][number] => [String(process), at];

test('a session whose process is gone is given up once', async () => {
  expect(await beats([there(own, '1'), there(7, '1')], [there(own, '1')])).toMatchObject({ givenUp: 1 });
});

test('so is one whose number another process has got', async () => {
  expect(await beats([there(own, '1'), there(7, '1')], [there(own, '1'), there(7, '2')])).toMatchObject({ givenUp: 1 });
});

test('one that is there is not, nor any where the server shows none', async () => {
  const all = [there(own, '1'), there(7, '1')];
  expect(await beats(all, all, [], [], all, all, all, all, all, all)).toMatchObject({ givenUp: 0 });
});

test('a heartbeat that has no answer connects anew', async () => {
  const all = [there(own, '1'), there(7, '1')];
  expect(await beats('silence', all, [there(own, '1')])).toEqual({ givenUp: 1, connected: 2 });
});
