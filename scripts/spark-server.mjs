// A Spark Connect server on this machine, of what scripts/setup-spark.sh has installed: one process, two cores, a small heap, its
// catalog and its files in one folder. For tests and the demo.
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const venv = fileURLToPath(new URL('../.venv-spark', import.meta.url));

/** Resolves with its address and `stop` once it takes calls; rejects with the end of what it said where it does not come up. */
export async function startSpark(folder) {
  const home = sparkHome();
  const port = await freePort();
  const set = {
    'spark.ui.enabled': 'false',
    'spark.sql.shuffle.partitions': '1',
    // Of a few rows: to compile a query, or to plan it anew on its way, takes longer than to run it.
    'spark.sql.codegen.wholeStage': 'false',
    'spark.sql.codegen.factoryMode': 'NO_CODEGEN',
    'spark.sql.adaptive.enabled': 'false',
    'spark.connect.grpc.binding.address': '127.0.0.1',
    'spark.connect.grpc.binding.port': port,
    'spark.driver.bindAddress': '127.0.0.1',
    'spark.driver.host': '127.0.0.1',
    'spark.sql.catalogImplementation': 'hive',
    'spark.sql.warehouse.dir': join(folder, 'warehouse'),
    'spark.hadoop.javax.jdo.option.ConnectionURL': `jdbc:derby:;databaseName=${join(folder, 'metastore')};create=true`,
    'spark.driver.extraJavaOptions': `-Dderby.system.home=${folder} -XX:+UseSerialGC -XX:TieredStopAtLevel=1`,
    'spark.local.dir': join(folder, 'tmp'),
    'spark.sql.extensions': [
      'io.delta.sql.DeltaSparkSessionExtension',
      'org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions',
    ].join(','),
    'spark.sql.catalog.spark_catalog': 'org.apache.spark.sql.delta.catalog.DeltaCatalog',
    'spark.databricks.delta.snapshotPartitions': '1',
    'spark.sql.catalog.ice': 'org.apache.iceberg.spark.SparkCatalog',
    'spark.sql.catalog.ice.type': 'hadoop',
    'spark.sql.catalog.ice.warehouse': join(folder, 'iceberg'),
  };
  const server = spawn(
    join(home, 'bin/spark-submit'),
    [
      ...['--class', 'org.apache.spark.sql.connect.service.SparkConnectServer', '--master', 'local[2]'],
      ...['--driver-memory', '900m', '--name', 'backfill', '--jars', jars().join(',')],
      ...Object.entries(set).flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
      'spark-internal',
    ],
    {
      cwd: folder,
      env: { ...process.env, SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1', SPARK_LOCAL_HOSTNAME: 'localhost' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const url = `sc://127.0.0.1:${port}`;
  let said = '';
  await new Promise((resolve, reject) => {
    const hear = (text) => {
      said = `${said}${text}`.slice(-4000);
      if (said.includes('Spark Connect server started')) resolve();
    };
    server.stdout.on('data', hear);
    server.stderr.on('data', hear);
    server.on('exit', (code) => reject(new Error(`Spark ended with ${code}:\n${said}`)));
  });
  const gone = new Promise((resolve) => server.on('exit', resolve));
  return {
    url,
    pid: server.pid,
    async stop() {
      server.kill();
      const late = setTimeout(() => server.kill('SIGKILL'), 10_000);
      await gone;
      clearTimeout(late);
    },
  };
}

function sparkHome() {
  const libraries = join(venv, 'lib');
  const python = existsSync(libraries) ? readdirSync(libraries).find((name) => name.startsWith('python')) : undefined;
  const home = python && join(libraries, python, 'site-packages/pyspark');
  if (home === undefined || !existsSync(home)) throw new Error('There is no Spark yet: npm run setup:spark');
  return home;
}

/** Delta, Iceberg and the driver of PostgreSQL. */
const jars = () =>
  readdirSync(join(venv, 'jars'))
    .filter((name) => name.endsWith('.jar'))
    .map((name) => join(venv, 'jars', name));

const freePort = () =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(String(port)));
    });
  });
