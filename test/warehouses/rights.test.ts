import { expect, test } from 'vitest';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { freshDatabase, job, neverAborted, realClock, shopTables, sql } from '../support/warehouse-fixture.ts';

/** The rights that the guide lists, of each way to come to a ledger. */
const ways: Readonly<Record<string, (role: string, database: string) => readonly string[]>> = {
  'the role makes the ledger': (role, database) => [`grant create on database ${database} to ${role}`],
  'the schema is there': (role) => [
    'create schema backfill_ledger',
    `grant usage, create on schema backfill_ledger to ${role}`,
  ],
  'another role made the ledger': (role) => [
    `grant usage on schema backfill_ledger to ${role}`,
    `grant select, insert, update, delete on all tables in schema backfill_ledger to ${role}`,
    `grant usage on all sequences in schema backfill_ledger to ${role}`,
  ],
};

test.each(Object.entries(ways))('the listed rights are enough: %s', async (way, grants) => {
  const connection = await freshDatabase();
  const owner = await openWarehouse(connection);
  const role = `etl_${connection.database}`;
  await sql(owner, ...shopTables, 'update orders set amount = amount + 1 where id = 10');
  if (way.startsWith('another')) {
    const first = relationalExecutor(owner, { clock: realClock, owner: 'owner' });
    await first.execute(job({ run: 'of the owner' }), neverAborted);
    await first.close();
    await sql(owner, 'update orders set amount = amount + 1 where id = 10');
  }
  await sql(
    owner,
    `create role ${role} login password 'secret'`,
    `revoke all on database ${connection.database} from public`,
    `grant connect, temporary on database ${connection.database} to ${role}`,
    ...grants(role, connection.database),
    `grant usage on schema public to ${role}`,
    `grant select on orders to ${role}`,
    `grant select, insert, update, delete on sales to ${role}`,
  );
  const limited = await openWarehouse({ ...connection, user: role, password: 'secret' });
  const executor = relationalExecutor(limited, { clock: realClock, owner: 'etl' });
  expect(await executor.execute(job(), neverAborted)).toMatchObject({ state: 'changed', slices: [{ changed: 1 }] });
  await executor.close();
  await limited.close();
  await owner.close();
});
