import { describe, expect, test } from 'vitest';
import { accessInWords, readBody, statementsInWords } from '../../support/read-tasks.ts';

const imports = [
  'import awswrangler as wr',
  'import clickhouse_connect',
  'import pandas as pd',
  'import pandahouse',
  'import pandas_gbq',
  'import sqlalchemy as sa',
  'from airflow.providers.google.cloud.hooks.bigquery import BigQueryHook',
  'from airflow.providers.mysql.hooks.mysql import MySqlHook',
  'from airflow.providers.postgres.hooks.postgres import PostgresHook',
  'from google.cloud import bigquery',
  'from pyspark.sql import SparkSession',
  'from snowflake.connector.pandas_tools import write_pandas',
  'from sqlalchemy.dialects.postgresql import insert',
  'hook = PostgresHook("dw")',
  'client = bigquery.Client()',
  'table = sa.Table("orders", sa.MetaData(schema="shop"))',
  'spark = SparkSession.builder.getOrCreate()',
].join('\n');

const accesses = (lines: string): readonly string[] => readBody(lines, imports).accesses.map(accessInWords);

describe('what a call does to a table', () => {
  test.each([
    // hooks and cursors
    ['hook.insert_rows("Shop.Orders", rows)', 'write shop.orders append (default) by insert_rows'],
    [
      'hook.insert_rows(table="shop.orders", rows=rows, replace=True, replace_index=["id"])',
      'write shop.orders merge by insert_rows key id',
    ],
    [
      'hook.insert_rows("shop.orders", rows, None, 100, True, replace_index="id")',
      'write shop.orders merge by insert_rows key id',
    ],
    ['hook.insert_rows("shop.orders", rows, **options)', 'write shop.orders unknown by insert_rows'],
    ['hook.bulk_load("shop.orders", path)', 'write shop.orders append (default) by bulk_load'],
    ['hook.bulk_dump("shop.orders", path)', 'read shop.orders by bulk_dump'],
    ['hook.get_conn().cursor().copy_from(file, "shop.orders")', 'write shop.orders append (default) by copy_from'],
    ['hook.get_conn().cursor().copy_to(file, "shop.orders")', 'read shop.orders by copy_to'],
    // data frames
    ['frame.to_sql("orders", hook.get_sqlalchemy_engine())', 'write orders create (default) by to_sql'],
    ['frame.to_sql("orders", con=engine, schema="shop", if_exists="append")', 'write shop.orders append by to_sql'],
    // SQLAlchemy puts quotes around capitals
    ['frame.to_sql("Orders", engine, "Shop", "replace")', 'write Shop.Orders full_replace by to_sql'],
    ['frame.to_sql("orders", engine, "shop", "replace")', 'write shop.orders full_replace by to_sql'],
    ['frame.to_sql("orders", engine, if_exists="fail")', 'write orders create by to_sql'],
    ['frame.to_sql("orders", engine, if_exists=ds)', 'write orders unknown by to_sql'],
    ['frame.to_gbq("shop.orders")', 'write shop.orders create (default) by to_gbq'],
    ['pandahouse.to_clickhouse(frame, "shop.orders")', 'write shop.orders append (default) by to_clickhouse'],
    [
      'clickhouse_connect.get_client(host="h").insert("orders", rows, database="shop")',
      'write shop.orders append (default) by insert',
    ],
    ['clickhouse_connect.get_client().insert_df("orders", frame)', 'write orders append (default) by insert_df'],
    ['pandas_gbq.to_gbq(frame, "shop.orders", if_exists="replace")', 'write shop.orders full_replace by to_gbq'],
    [
      'frame.write_database("shop.orders", uri, if_table_exists="append")',
      'write shop.orders append by write_database',
    ],
    ['pd.read_sql_table("orders", engine, "shop")', 'read shop.orders by read_sql_table'],
    ['pd.read_sql("orders", engine)', 'read orders by read_sql'],
    ['pd.read_gbq("shop.orders")', 'read shop.orders by read_gbq'],
    ['write_pandas(conn, frame, "ORDERS", schema="SHOP")', 'write shop.orders append (default) by write_pandas'],
    ['write_pandas(conn, frame, "ORDERS", overwrite=True)', 'write orders full_replace by write_pandas'],
    // BigQuery
    ['client.load_table_from_uri(uri, "p.shop.orders")', 'write p.shop.orders append (default) by load_table_from_uri'],
    [
      'client.load_table_from_dataframe(frame, "shop.orders", job_config=bigquery.LoadJobConfig(write_disposition="WRITE_TRUNCATE"))',
      'write shop.orders full_replace by load_table_from_dataframe',
    ],
    ['client.insert_rows_json("shop.orders", rows)', 'write shop.orders append (default) by insert_rows_json'],
    [
      'client.load_table_from_json(rows, client.dataset("shop").table("orders"))',
      'write shop.orders append (default) by load_table_from_json',
    ],
    [
      'client.load_table_from_json(rows, bigquery.DatasetReference("p", "shop").table("orders"))',
      'write shop.orders append (default) by load_table_from_json',
    ],
    [
      'client.load_table_from_json(rows, client.dataset(context["params"]["d"]).table("orders"))',
      'write unknown append (default) by load_table_from_json',
    ],
    [
      `client.load_table_from_json(rows, client.dataset("shop").table(f"orders$\{ds}"))`,
      'write shop.orders append (default) by load_table_from_json partition time',
    ],
    [
      'client.load_table_from_json(rows, "shop.orders$20261128")',
      'write shop.orders append (default) by load_table_from_json partition 20261128',
    ],
    ['BigQueryHook().insert_all("p", "shop", "orders", rows)', 'write p.shop.orders append (default) by insert_all'],
    [
      'BigQueryHook().run_load("shop.orders", uris, write_disposition="WRITE_APPEND")',
      'write shop.orders append by run_load',
    ],
    ['BigQueryHook().run_load("shop.orders", uris)', 'write shop.orders create (default) by run_load'],
    [
      'BigQueryHook().insert_job(configuration={"load": {"destinationTable": {"datasetId": "shop", "tableId": "orders"}}})',
      'write shop.orders append (default) by insert_job',
    ],
    // awswrangler
    [
      'wr.postgresql.to_sql(frame, con, "orders", "shop", mode="upsert", upsert_conflict_columns=["id"])',
      'write shop.orders merge by to_sql key id',
    ],
    ['wr.redshift.to_sql(frame, con, "orders", "shop")', 'write shop.orders append (default) by to_sql'],
    [
      'wr.redshift.copy(frame, path, con, "orders", "shop", mode="overwrite")',
      'write shop.orders full_replace by copy',
    ],
    [
      'wr.s3.to_parquet(frame, path, dataset=True, mode="overwrite_partitions", database="shop", table="orders")',
      'write shop.orders insert_overwrite by to_parquet',
    ],
    // SQLAlchemy
    ['engine.execute(table.insert(), rows)', 'write shop.orders append by insert'],
    ['engine.execute(sa.insert(table).values(rows))', 'write shop.orders append by insert'],
    [
      'engine.execute(insert(table).values(rows).on_conflict_do_update(index_elements=["id"], set_={}))',
      'write shop.orders merge by insert key id',
    ],
    ['engine.execute(insert(table).values(rows).on_conflict_do_nothing())', 'write shop.orders unknown by insert'],
    ['engine.execute(table.delete().where(table.c.day == ds))', 'write shop.orders unknown by delete'],
    ['engine.execute(sa.select(table))', 'read shop.orders by select'],
  ])('%s', (call, expected) => {
    expect(accesses(call)).toEqual([expected]);
  });

  // Frames that came from somewhere else: what is done to the table is known all the same.
  test.each([
    ['frame.write.mode("overwrite").saveAsTable("shop.orders")', 'create_table_as shop.orders'],
    ['frame.write.saveAsTable("shop.orders")', 'create_table_as shop.orders'],
    ['frame.write.insertInto("shop.orders")', 'insert shop.orders'],
    ['frame.write.insertInto("shop.orders", overwrite=True)', 'insert_overwrite shop.orders'],
    ['frame.writeTo("shop.orders").overwritePartitions()', 'insert_overwrite shop.orders'],
    ['frame.write.format("jdbc").option("dbtable", "shop.orders").mode("append").save()', 'insert shop.orders'],
    ['spark.table("shop.orders").collect()', 'select < shop.orders'],
  ])('%s', (call, expected) => {
    expect(statementsInWords(readBody(call, imports))).toEqual([expected]);
  });

  test.each([
    // Files without a table, names that others use too, frames that are asked in a language of their own.
    'wr.s3.to_parquet(frame, "s3://b/k")',
    'shutil.copy_from(file, "a")',
    'frame.query("from_id > 3")',
    'frame.query("load == 1 and call in @calls")',
    'service.files().list().execute()',
    'frame.merge(other)',
    'requests.get(url)',
    'print("delete from orders")',
  ])('%s touches no table', (call) => {
    const task = readBody(call, imports);
    expect([task.accesses, task.sql, task.unread]).toEqual([[], [], []]);
  });

  test('settings that are assigned to a job afterwards count', () => {
    const lines = [
      'config = bigquery.LoadJobConfig()',
      'config.write_disposition = bigquery.WriteDisposition.WRITE_TRUNCATE',
      'client.load_table_from_uri(uri, "shop.orders", job_config=config)',
    ];
    expect(accesses(lines.join('\n'))).toEqual(['write shop.orders full_replace by load_table_from_uri']);
  });

  test('a query job writes its destination as well', () => {
    const task = readBody(
      'client.query("select * from raw.orders", job_config=bigquery.QueryJobConfig(destination="shop.orders"))',
      imports,
    );
    expect(task.accesses.map(accessInWords)).toEqual(['write shop.orders create (default) by query']);
    expect(statementsInWords(task)).toEqual(['select < raw.orders']);
  });

  test('mapped classes are known by their tables', () => {
    const models = [
      'from sqlalchemy.orm import declarative_base',
      'Base = declarative_base(metadata=sa.MetaData(schema="shop"))',
      'class Order(Base):',
      '    __tablename__ = "orders"',
      'class Event(Base):',
      '    __tablename__ = "events"',
      '    __table_args__ = {"schema": "log"}',
    ].join('\n');
    const lines = [
      'session.bulk_insert_mappings(Order, rows)',
      'session.query(Event).filter(Event.day == ds).delete()',
      'session.add(Event(day=ds))',
    ];
    expect(readBody(lines.join('\n'), `${imports}\n${models}`).accesses.map(accessInWords)).toEqual([
      'write shop.orders append by bulk_insert_mappings',
      'read log.events by select',
      'write log.events unknown by delete',
      'write log.events append by add',
    ]);
  });
});

describe('what is SQL', () => {
  test.each([
    ['create or replace table a as select 1', 'create_table_as a'],
    ['SELECT *\\nFROM a', 'select < a'],
    ['(select 1 from a)', 'select < a'],
    ['-- why\\ndelete from a', 'delete a'],
    ['/* why */ INSERT INTO a SELECT 1', 'insert a'],
    ['with b as (select 1 from a) select 1 from b', 'select < a'],
    ['begin;', 'begin'],
    ['TRUNCATE a', 'truncate a'],
    ['merge into a using b on a.id = b.id when matched then delete', 'merge a < b'],
  ])('%s', (text, expected) => {
    expect(statementsInWords(readBody(`hook.run("${text}")`, imports))).toEqual([expected]);
  });

  test.each(['put file:///a @stage', 'show tables', 'describe a', 'pragma x', 'savepoint a', 'list @stage'])(
    '%s says nothing about tables',
    (text) => {
      const task = readBody(`hook.run("${text}")\nhook.run(f"${text} {ds}")`, imports);
      expect([task.sql, task.unread]).toEqual([[], []]);
    },
  );
});

describe('a first chunk that replaces and others that append', () => {
  test.each([
    'for i, chunk in enumerate(pd.read_csv(path, chunksize=9)):\n    chunk.to_sql("t", engine, if_exists="replace" if i == 0 else "append")',
    'first = True\nfor chunk in chunks:\n    chunk.to_sql("t", engine, if_exists="replace" if first else "append")\n    first = False',
  ])('has a mode that is not known: %s', (lines) => {
    expect(accesses(lines)).toEqual(['write t unknown by to_sql']);
  });

  test('has it in two calls too', () => {
    const lines =
      'first = True\nfor chunk in chunks:\n    if first:\n        chunk.to_sql("t", engine, if_exists="replace")\n    else:\n        chunk.to_sql("t", engine, if_exists="append")\n    first = False';
    expect(accesses(lines)).toEqual(['write t unknown by to_sql', 'write t unknown by to_sql']);
  });

  test('one after the other both hold', () => {
    const lines = 'head.to_sql("t", engine, if_exists="replace")\nrest.to_sql("t", engine, if_exists="append")';
    expect(accesses(lines)).toEqual(['write t full_replace by to_sql', 'write t append by to_sql']);
  });
});
