import { describe, expect, test } from 'vitest';
import type { Task } from '../../../src/core/pipeline/model/model.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { parseYaml } from '../../../src/node/parse-yaml.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

function tasksOf(files: Readonly<Record<string, string>>): readonly Task[] {
  const reader = createWorkspaceReader(parser, { ...defaultReaderOptions, parseYaml });
  return reader
    .read(fileSetOf(new Map(Object.entries(files))))
    .files.flatMap(({ pipelines }) => pipelines.flatMap(({ tasks }) => tasks));
}

const head = [
  'import sys',
  'from pyspark.sql import SparkSession, Window, functions as F',
  'from delta.tables import DeltaTable',
  'spark = SparkSession.builder.appName("job").getOrCreate()',
  'ds = sys.argv[1]',
].join('\n');

const job = (lines: string): Task | undefined => tasksOf({ 'jobs/job.py': `${head}\n${lines}\n` })[0];
const statements = (lines: string): readonly string[] => job(lines)?.sql.map(({ source }) => source.text) ?? [];

describe('what calls of Spark come to', () => {
  test.each([
    [
      'spark.table("a.b").filter(F.col("ds") == ds).write.mode("append").saveAsTable("m.t")',
      "INSERT INTO m.t BY NAME SELECT * FROM a.b AS t1 WHERE ds = 'ds'",
    ],
    [
      'spark.table("a.b").where(f"ds = \'{ds}\'").write.insertInto("m.t", overwrite=True)',
      "INSERT OVERWRITE m.t SELECT * FROM a.b AS t1 WHERE (ds = '{ds}')",
    ],
    [
      'spark.read.parquet("s3a://raw/clicks/*").write.mode("overwrite").parquet(f"s3://lake/clicks/ds={ds}/")',
      "INSERT OVERWRITE `s3://lake/clicks` PARTITION (ds = '{ds}') BY NAME SELECT * FROM `s3://raw/clicks`",
    ],
    [
      'spark.read.format("csv").option("header", True).load(f"/in/day={ds}").write.format("delta").mode("overwrite").option("replaceWhere", f"day = \'{ds}\'").save("/out")',
      "INSERT INTO `/out` REPLACE WHERE day = '{ds}' SELECT * FROM `/in` WHERE day = '{ds}'",
    ],
    [
      'spark.table("a").withColumn("ds", F.lit(ds)).select("n", "ds").write.mode("overwrite").option("partitionOverwriteMode", "dynamic").partitionBy("ds").save("/t")',
      "INSERT OVERWRITE `/t` PARTITION (ds) SELECT n, ds FROM (SELECT *, 'ds' AS ds FROM a AS t1) AS t1",
    ],
    [
      'spark.table("a").writeTo("m.t").overwrite(F.col("ds") == ds)',
      "INSERT INTO m.t REPLACE WHERE ds = 'ds' SELECT * FROM a AS t1",
    ],
    ['spark.table("a").writeTo("m.t").overwritePartitions()', 'INSERT OVERWRITE m.t SELECT * FROM a AS t1'],
    ['spark.table("a").writeTo("m.t").createOrReplace()', 'CREATE OR REPLACE TABLE m.t AS SELECT * FROM a AS t1'],
    ['spark.table("a").write.saveAsTable("m.t")', 'CREATE TABLE m.t AS SELECT * FROM a AS t1'],
    [
      'spark.table("a").write.mode("ignore").saveAsTable("m.t")',
      'CREATE TABLE IF NOT EXISTS m.t AS SELECT * FROM a AS t1',
    ],
    [
      'spark.table("a").write.partitionBy("ds").mode("overwrite").saveAsTable("m.t")',
      'CREATE OR REPLACE TABLE m.t PARTITIONED BY (ds) AS SELECT * FROM a AS t1',
    ],
    [
      'spark.table("a").write.jdbc(url, "m.t", mode="append", properties={})',
      'INSERT INTO m.t BY NAME SELECT * FROM a AS t1',
    ],
    [
      'a = spark.table("a")\nb = spark.table("b").filter("ok")\na.join(b, a.id == b.id, "left").groupBy("k").agg(F.sum("n").alias("n")).write.mode("append").saveAsTable("m.t")',
      'INSERT INTO m.t BY NAME SELECT k, sum(n) AS n FROM a AS t1 LEFT JOIN (SELECT * FROM b AS t2 WHERE (ok)) AS t2 ON t1.id = t2.id GROUP BY k',
    ],
    [
      'spark.table("a").union(spark.table("b")).filter((F.col("ds") >= ds) & ~F.col("ds").isin("x", "y")).write.mode("append").saveAsTable("m.t")',
      "INSERT INTO m.t BY NAME SELECT * FROM (SELECT * FROM a AS t1 UNION ALL SELECT * FROM b AS t2) AS t1 WHERE (ds >= 'ds' AND NOT (ds IN ('x', 'y')))",
    ],
    [
      'DeltaTable.forName(spark, "m.t").alias("t").merge(spark.table("a").alias("s"), "t.id = s.id").whenMatchedUpdateAll().whenNotMatchedInsertAll().execute()',
      'MERGE INTO m.t AS t USING (SELECT * FROM (SELECT * FROM a AS t1) AS s) AS s ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *',
    ],
    [
      'spark.table("a").orderBy(F.col("n").desc(), "id").select("id").limit(3).write.insertInto("m.t")',
      'INSERT INTO m.t SELECT * FROM (SELECT id FROM a AS t1) AS t1 ORDER BY n DESC, id LIMIT 3',
    ],
    [
      'spark.table("a").sort(["y", "m"], ascending=[False, True]).limit(3).write.insertInto("m.t")',
      'INSERT INTO m.t SELECT * FROM a AS t1 ORDER BY y DESC, m LIMIT 3',
    ],
    [
      'spark.table("a").orderBy("n").groupBy("k").count().limit(3).write.insertInto("m.t")',
      'INSERT INTO m.t SELECT * FROM (SELECT k, count(*) AS count FROM a AS t1 GROUP BY k) AS t1 LIMIT 3',
    ],
    ['DeltaTable.forPath(spark, "/t").delete(F.col("ds") == ds)', "DELETE FROM `/t` WHERE ds = 'ds'"],
    ['DeltaTable.forName(spark, "m.t").update("id = 1", {"n": "n + 1"})', 'UPDATE m.t SET n = n + 1 WHERE id = 1'],
  ])('%s', (lines, expected) => {
    expect(statements(lines)).toEqual([expected]);
  });

  test('a view of a frame and a query over it', () => {
    expect(
      statements(
        'spark.table("a").createOrReplaceTempView("v")\nspark.sql("SELECT * FROM v").write.mode("append").saveAsTable("m.t")',
      ),
    ).toEqual([
      'CREATE OR REPLACE TEMPORARY VIEW v AS SELECT * FROM a AS t1',
      'INSERT INTO m.t BY NAME SELECT * FROM v',
    ]);
  });

  test.each([
    ['a frame that only the run knows', 'spark.createDataFrame(rows).write.mode("append").saveAsTable("m.t")', 1],
    ['a mode that only the run knows', 'spark.table("a").write.mode(unknown()).saveAsTable("m.t")', 0],
    ['a frame that other code gets', 'import lib\nlib.save(spark.table("a"))', 1],
  ])('%s is said', (_, lines, count) => {
    // A statement beside it makes it a job.
    const task = job(`spark.sql("insert into x select 1")\n${lines}`);
    expect(task?.sql.length).toBe(count + 1);
    const unread = task?.unread.length ?? 0;
    expect(unread + (task?.sql.flatMap(({ pythonHoles }) => pythonHoles).length ?? 0)).toBeGreaterThan(0);
  });

  // In Hudi's mode of appending rows take the place of those of their key.
  test.each([
    ['{"hoodie.datasource.write.recordkey.field": "id"}', 'append', ['merge']],
    [
      '{"hoodie.datasource.write.recordkey.field": "id", "hoodie.datasource.write.operation": "delete"}',
      'append',
      ['merge'],
    ],
    ['{"hoodie.datasource.write.operation": "bulk_insert"}', 'append', ['insert']],
    ['{"hoodie.datasource.write.recordkey.field": "id"}', 'overwrite', ['create_table_as']],
    ['{}', 'append', []],
  ])('Hudi with %s in mode %s', (options, mode, kinds) => {
    const task = job(
      `spark.sql("insert into x select 1")\nspark.table("a").write.format("hudi").options(**${options}).mode("${mode}").save("/t")`,
    );
    const found = task?.sql.slice(1).flatMap(({ reading }) => reading.statements.map(({ kind }) => kind));
    expect(found).toEqual(kinds);
    expect(task?.unread.length).toBe(kinds.length === 0 ? 1 : 0);
  });

  test('a format that keeps rows apart by itself is not taken for one that adds', () => {
    const task = job(
      'spark.sql("insert into x select 1")\nspark.table("a").write.format("org.apache.spark.sql.cassandra").options(table="t", keyspace="k").mode("append").save()',
    );
    expect([task?.sql.length, task?.unread.map(({ reason }) => reason)]).toEqual([
      1,
      ['what the format org.apache.spark.sql.cassandra does with rows that are there is not known'],
    ]);
  });

  test('a slash that stands twice means one', () => {
    expect(statements('spark.read.parquet("hdfs://h:9000//a//b").write.mode("append").save("s3a://l//t/")')).toEqual([
      'INSERT INTO `s3://l/t` BY NAME SELECT * FROM `hdfs://h:9000/a/b`',
    ]);
  });

  test('a stream has no interval, which is said', () => {
    const task = job('spark.readStream.table("a").writeStream.toTable("m.t")');
    expect(task?.unread.map(({ reason }) => reason)).toEqual([
      'it writes a stream, which goes on by itself and has no data interval',
    ]);
  });

  test.each([
    [
      'settings of the builder',
      'SparkSession.builder.config("spark.sql.sources.partitionOverwriteMode", "dynamic").getOrCreate()',
      'dynamic',
    ],
    ['settings of the session', 'spark.conf.set("spark.sql.sources.partitionOverwriteMode", "DYNAMIC")', 'dynamic'],
    ['a SET', 'spark.sql("SET spark.sql.sources.partitionOverwriteMode=dynamic")', 'dynamic'],
    ['a value of the run', 'spark.conf.set("spark.sql.sources.partitionOverwriteMode", ds)', 'unknown'],
    ['nothing', 'pass', 'static'],
  ])('what is overwritten is said by %s', (_, lines, expected) => {
    const task = job(`${lines}\nspark.table("a").write.mode("overwrite").partitionBy("ds").save("/t")`);
    expect(task?.sql.at(-1)?.overwrites).toBe(expected);
  });

  test.each([
    ['a filter', 'rows = rows.filter(F.col("at") > since)', 'SELECT n FROM a AS t1'],
    ['a column', 'rows = rows.withColumn("m", F.lit(1))', 'SELECT n FROM (SELECT *, 1 AS m FROM a AS t1) AS t1'],
    [
      'a table',
      'rows = rows.join(spark.table("b"), "n")',
      'SELECT n FROM (SELECT * FROM a AS t1 JOIN b AS t3 USING (n) UNION SELECT * FROM a AS t1) AS t1',
    ],
    [
      'other rows',
      'rows = spark.table("b")',
      'SELECT n FROM (SELECT * FROM b AS t3 UNION SELECT * FROM a AS t1) AS t3',
    ],
  ])('%s under a condition loses nothing that may be read', (_, line, expected) => {
    const [, written] = statements(
      `rows = spark.table("a")\nsince = spark.sql("select max(at) from w").first()[0]\nif since:\n    ${line}\nrows.select("n").write.mode("append").saveAsTable("m.t")`,
    );
    expect(written).toBe(`INSERT INTO m.t BY NAME ${expected}`);
  });

  test('ways that double with each condition stay short', () => {
    const ifs = Array.from(
      { length: 30 },
      (_, index) => `if flag(${index}):\n    rows = rows.join(spark.table("b${index}"), "n")`,
    );
    const [written] = statements(
      `rows = spark.table("a")\n${ifs.join('\n')}\nrows.write.mode("append").saveAsTable("m.t")`,
    );
    expect(written?.length).toBeLessThan(200_000);
    expect(written).toContain('FROM a AS t1');
  });

  test('Glue', () => {
    const [task] = tasksOf({
      'glue/job.py': [
        'import sys',
        'from awsglue.utils import getResolvedOptions',
        'from awsglue.context import GlueContext',
        'from awsglue.dynamicframe import DynamicFrame',
        'from pyspark.context import SparkContext',
        'args = getResolvedOptions(sys.argv, ["day"])',
        'glue = GlueContext(SparkContext())',
        'raw = glue.create_dynamic_frame.from_catalog(database="raw", table_name="clicks", push_down_predicate=f"day = \'{args[\'day\']}\'")',
        'rows = DynamicFrame.fromDF(raw.toDF().filter("n > 0"), glue, "rows")',
        'glue.write_dynamic_frame.from_options(frame=rows, connection_type="s3", connection_options={"path": "s3://lake/clicks"}, format="parquet")',
      ].join('\n'),
    });
    expect(task?.sql.map(({ source }) => source.text)).toEqual([
      "INSERT INTO `s3://lake/clicks` BY NAME SELECT * FROM (SELECT * FROM raw.clicks WHERE day = '{args['day']}') AS t1 WHERE (n > 0)",
    ]);
  });

  test.each([
    [
      'a module of functions',
      {
        'lib/io.py': `${head.replace('ds = sys.argv[1]', '')}\ndef save(frame):\n    frame.write.mode("append").saveAsTable("t")\n`,
      },
    ],
    ['a script that only asks', { 'ask.py': `${head}\nspark.table("a").write\nspark.table("a").show()\n` }],
    ['a test', { 'tests/test_job.py': `${head}\nspark.table("a").write.saveAsTable("t")\n` }],
    ['a script without Spark', { 'plain.py': 'frame.write.mode("append").save("t")\n' }],
  ])('%s is no job', (_, files) => {
    expect(tasksOf(files)).toEqual([]);
  });
});
