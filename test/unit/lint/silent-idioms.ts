import { dagWith, type Files } from '../../support/check-files.ts';

const py = `from datetime import datetime, timedelta
from airflow import DAG
from airflow.operators.python import PythonOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
`;

const dag = `with DAG("one", schedule="@daily", start_date=datetime(2024, 1, 1), catchup=False, default_args={"retries": 2}):`;

/** Code that people write and that is safe to run twice, by what makes it safe. */
export const silentIdioms: Readonly<Record<string, Files>> = {
  'delete and insert by ds': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';`),
  'rows that the same transaction has stamped': dagWith(`
    BEGIN; UPDATE mart.a SET n = 1, updated_at = now() WHERE day = '{{ ds }}';
    UPDATE mart.a SET m = 2 WHERE updated_at = transaction_timestamp(); COMMIT;`),
  'the time of the clock for rows that have none': dagWith(`
    INSERT INTO mart.a (id, log_date) SELECT id, coalesce(made_at, sent_at, now()) FROM raw.a WHERE day = '{{ ds }}'
    ON CONFLICT (id) DO UPDATE SET log_date = excluded.log_date;`),
  'a table that drops itself some day': dagWith(`CREATE OR REPLACE TABLE mart.a_{{ ds_nodash }}
    OPTIONS (expiration_timestamp = TIMESTAMP_ADD(CURRENT_TIMESTAMP(), INTERVAL 72 HOUR))
    AS SELECT id FROM raw.a WHERE day = '{{ ds }}';`),
  'a file whose name the time of the run makes unique': {
    'dags/one.py': `${py}
from datetime import timezone
def stamp():
    return datetime.now(timezone.utc).replace(tzinfo=None).isoformat(sep=" ")
def work():
    open(f"/data/{stamp()}.csv")
${dag}
    PythonOperator(task_id="work", python_callable=work)
`,
  },
  'half-open timestamps':
    dagWith(`DELETE FROM mart.a WHERE ts >= '{{ data_interval_start }}' AND ts < '{{ data_interval_end }}';
    INSERT INTO mart.a SELECT id, ts FROM raw.a WHERE ts >= '{{ data_interval_start }}' AND ts < '{{ data_interval_end }}';`),
  'old and new names of one bound': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a SELECT day, x FROM raw.a WHERE day = '{{ data_interval_start | ds }}'::date;`),
  'delete by day, insert by timestamp of that day': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a (day, n) SELECT ts::date, count(*) FROM raw.a
    WHERE ts >= '{{ ds }}' AND ts < '{{ macros.ds_add(ds, 1) }}' GROUP BY 1;`),
  'delete by date function': dagWith(`DELETE FROM mart.a WHERE date(ts) = '{{ ds }}';
    INSERT INTO mart.a SELECT * FROM raw.a WHERE date(ts) = '{{ ds }}';`),
  'delete and insert by the day of another clock': dagWith(`
    DELETE FROM mart.a WHERE (ts AT TIME ZONE 'Europe/Berlin')::date = '{{ data_interval_start.in_timezone("Europe/Berlin").to_date_string() }}';
    INSERT INTO mart.a SELECT ts, n FROM raw.a
    WHERE (ts AT TIME ZONE 'Europe/Berlin')::date = '{{ data_interval_start.in_timezone("Europe/Berlin").to_date_string() }}';`),
  'constant slice column of a rolling sum': dagWith(`DELETE FROM mart.a WHERE as_of = '{{ ds }}';
    INSERT INTO mart.a (as_of, n) SELECT DATE '{{ ds }}', count(*) FROM raw.a
    WHERE day > '{{ macros.ds_add(ds, -30) }}' AND day <= '{{ ds }}';`),
  'a snapshot whose day stands unnamed beside a star': dagWith(`DELETE FROM mart.snap WHERE snapshot_date = '{{ ds }}';
    INSERT INTO mart.snap SELECT *, '{{ ds }}'::date FROM raw.customers;`),
  'a snapshot whose day has another name beside a star':
    dagWith(`DELETE FROM mart.snap WHERE snapshot_date = '{{ ds }}';
    INSERT INTO mart.snap SELECT c.*, DATE '{{ ds }}' AS as_of FROM raw.customers c;`),
  'a rolling extract whose day stands unnamed beside a star': dagWith(`DELETE FROM mart.roll WHERE day = '{{ ds }}';
    INSERT INTO mart.roll SELECT *, '{{ ds }}'::date FROM raw.a
    WHERE day > '{{ macros.ds_add(ds, -7) }}' AND day <= '{{ ds }}';`),
  'monthly label of daily rows': dagWith(
    `DELETE FROM mart.m WHERE month = date_trunc('month', DATE '{{ ds }}');
    INSERT INTO mart.m (month, n) SELECT date_trunc('month', day), sum(n) FROM raw.d
    WHERE day >= date_trunc('month', DATE '{{ ds }}') AND day < date_trunc('month', DATE '{{ ds }}') + interval '1 month'
    GROUP BY 1;`,
  ),
  'weekly bounds of a weekly DAG': dagWith(
    `DELETE FROM mart.w WHERE day >= '{{ data_interval_start | ds }}' AND day < '{{ data_interval_end | ds }}';
    INSERT INTO mart.w SELECT * FROM raw.w WHERE day BETWEEN '{{ data_interval_start | ds }}' AND '{{ macros.ds_add(data_interval_end | ds, -1) }}';`,
    { schedule: '"@weekly"' },
  ),
  'between on one date': dagWith(`DELETE FROM mart.a WHERE day BETWEEN '{{ ds }}' AND '{{ ds }}';
    INSERT INTO mart.a SELECT * FROM raw.a WHERE day BETWEEN '{{ ds }}' AND '{{ ds }}';`),
  'start excluded, end included':
    dagWith(`DELETE FROM mart.a WHERE ts > '{{ data_interval_start }}' AND ts <= '{{ data_interval_end }}';
    INSERT INTO mart.a SELECT * FROM raw.a WHERE ts > '{{ data_interval_start }}' AND ts <= '{{ data_interval_end }}';`),
  'last second of the day': dagWith(`DELETE FROM mart.a WHERE ts BETWEEN '{{ ds }} 00:00:00' AND '{{ ds }} 23:59:59';
    INSERT INTO mart.a SELECT * FROM raw.a WHERE ts BETWEEN '{{ ds }} 00:00:00' AND '{{ ds }} 23:59:59';`),
  'rolling window of dates up to the day': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a (day, n) SELECT '{{ ds }}', count(*) FROM raw.a WHERE day BETWEEN '{{ macros.ds_add(ds, -6) }}' AND '{{ ds }}';`),
  'cumulative up to the end': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a (day, n) SELECT '{{ ds }}', count(*) FROM raw.a WHERE ts <= '{{ data_interval_end }}';`),
  'truncate and reload': dagWith(`TRUNCATE mart.a; INSERT INTO mart.a SELECT * FROM raw.a;`),
  'delete all and reload': dagWith(`DELETE FROM mart.a; INSERT INTO mart.a SELECT * FROM raw.a;`),
  'drop, create, insert': dagWith(`DROP TABLE IF EXISTS mart.a; CREATE TABLE mart.a (id int);
    INSERT INTO mart.a SELECT id FROM raw.a;`),
  'create table as': dagWith(`CREATE OR REPLACE TABLE mart.a AS SELECT * FROM raw.a;`),
  'new and rename': dagWith(`CREATE TABLE mart.a_new (LIKE mart.a); INSERT INTO mart.a_new SELECT * FROM raw.a;
    DROP TABLE mart.a; ALTER TABLE mart.a_new RENAME TO a;`),
  'swap tables': dagWith(`INSERT INTO mart.a_next SELECT * FROM raw.a; ALTER TABLE mart.a_next RENAME TO a;`),
  'temporary table':
    dagWith(`CREATE TEMP TABLE batch (id int); INSERT INTO batch SELECT id FROM raw.a WHERE day = '{{ ds }}';
    DELETE FROM mart.a USING batch WHERE mart.a.id = batch.id; INSERT INTO mart.a SELECT * FROM batch;`),
  'temporary table if not exists': dagWith(`CREATE TEMPORARY TABLE IF NOT EXISTS picked (id int);
    INSERT INTO picked SELECT id FROM raw.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a SELECT id FROM picked ON CONFLICT (id) DO UPDATE SET id = EXCLUDED.id;`),
  upsert: dagWith(
    `INSERT INTO dim.a (id, name) SELECT id, name FROM raw.a ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name;`,
  ),
  'upsert on constraint': dagWith(`INSERT INTO dim.a (id, name) SELECT id, name FROM raw.a
    ON CONFLICT ON CONSTRAINT a_pk DO UPDATE SET name = EXCLUDED.name;`),
  'not exists': dagWith(`INSERT INTO mart.a SELECT * FROM raw.a r WHERE day = '{{ ds }}'
    AND NOT EXISTS (SELECT 1 FROM mart.a t WHERE t.id = r.id);`),
  'not in': dagWith(`INSERT INTO mart.a SELECT * FROM raw.a WHERE id NOT IN (SELECT id FROM mart.a);`),
  'left join is null': dagWith(
    `INSERT INTO mart.a SELECT r.* FROM raw.a r LEFT JOIN mart.a t ON t.id = r.id WHERE t.id IS NULL;`,
  ),
  except: dagWith(`INSERT INTO mart.a SELECT id FROM raw.a EXCEPT SELECT id FROM mart.a;`),
  'anti-join through a CTE': dagWith(`WITH known AS (SELECT id FROM mart.a), fresh AS (SELECT id FROM raw.a)
    INSERT INTO mart.a SELECT f.id FROM fresh f LEFT JOIN known k ON k.id = f.id WHERE k.id IS NULL;`),
  'delete in a CTE': dagWith(`WITH gone AS (DELETE FROM mart.a WHERE day = '{{ ds }}' RETURNING id)
    INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';`),
  'update or insert by hand':
    dagWith(`WITH upd AS (UPDATE mart.a t SET n = s.n FROM raw.a s WHERE s.id = t.id RETURNING t.id)
    INSERT INTO mart.a (id, n) SELECT id, n FROM raw.a WHERE id NOT IN (SELECT id FROM upd);`),
  'delete by key of the batch': dagWith(`DELETE FROM mart.a WHERE id IN (SELECT id FROM stage.a);
    INSERT INTO mart.a SELECT * FROM stage.a;`),
  'staging holds the interval': dagWith(
    `DELETE FROM mart.a WHERE day = '{{ ds }}'; INSERT INTO mart.a SELECT day, id FROM stg_a;`,
  ),
  'table of the interval by name': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a SELECT day, id FROM raw.a_{{ ds_nodash }};`),
  'snapshot of a whole table': dagWith(`DELETE FROM mart.accounts_daily WHERE snapshot_date = '{{ ds }}';
    INSERT INTO mart.accounts_daily SELECT '{{ ds }}'::date AS snapshot_date, a.* FROM app.accounts a;`),
  'filter on a joined table': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a SELECT d.day, x.id FROM raw.x x JOIN raw.days d ON d.id = x.day_id WHERE d.day = '{{ ds }}';`),
  'filter in a CTE': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a WITH x AS (SELECT day, id FROM raw.a WHERE day = '{{ ds }}') SELECT day, id FROM x;`),
  'bound parameter of the driver': dagWith(
    `DELETE FROM mart.a WHERE day = %(day)s; INSERT INTO mart.a SELECT * FROM raw.a WHERE day = %(day)s;`,
    { task: ', parameters={"day": "{{ ds }}"}' },
  ),
  merge: dagWith(`MERGE INTO dim.a t USING raw.a s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET name = s.name WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name);`),
  'merge on false replaces a day': {
    'sql/m.sql': `MERGE chain.logs t USING tmp.logs s ON FALSE
WHEN NOT MATCHED AND DATE(s.t) = '{{ ds }}' THEN INSERT (id, t) VALUES (s.id, s.t)
WHEN NOT MATCHED BY SOURCE AND DATE(t.t) = '{{ ds }}' THEN DELETE`,
  },
  'merge that only inserts, on false': {
    'sql/m.sql': `MERGE INTO a t USING b s ON 1 = 0 WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)`,
  },
  'job log': dagWith(`INSERT INTO etl.job_log (job, day, at) VALUES ('load', '{{ ds }}', now());`),
  'audit row with a count': dagWith(
    `INSERT INTO ops.load_audit SELECT 'orders', '{{ ds }}', count(*), now() FROM mart.orders WHERE day = '{{ ds }}';`,
  ),
  'row about the run': dagWith(`INSERT INTO ops.marks (run, at) VALUES ('{{ run_id }}', now());`),
  'watermark table': dagWith(`INSERT INTO meta.watermarks VALUES ('orders', '{{ data_interval_end }}');`),
  'audit column in an upsert': dagWith(`INSERT INTO dim.a (id, name, updated_at) SELECT id, name, now() FROM raw.a
    ON CONFLICT (id) DO UPDATE SET name = EXCLUDED.name, updated_at = now();`),
  'retention by the clock': dagWith(`DELETE FROM mart.events WHERE created_at < now() - interval '90 days';`),
  'retention by age': dagWith(`DELETE FROM mart.events WHERE now() - created_at > interval '90 days';`),
  'retention by date': dagWith(`DELETE FROM mart.events WHERE day < current_date - 30 AND kind = 'debug';`),
  'soft retention': dagWith(`UPDATE app.sessions SET expired = true WHERE last_seen < now() - interval '30 days';`),
  'default in DDL': dagWith(`CREATE TABLE IF NOT EXISTS mart.a (id int, at timestamptz DEFAULT now());`),
  'view over the clock': dagWith(
    `CREATE OR REPLACE VIEW mart.recent AS SELECT * FROM mart.a WHERE day >= current_date - 7;`,
  ),
  'plain select': dagWith(`SELECT count(*) FROM mart.a WHERE day = current_date;`),
  'version counter': dagWith(
    `UPDATE app.a SET version = version + 1, name = s.name FROM raw.a s WHERE s.id = app.a.id;`,
  ),
  'retry counter': dagWith(`UPDATE ops.queue SET attempts = attempts + 1 WHERE day = '{{ ds }}';`),
  'sum of other columns': dagWith(`UPDATE mart.a SET total = net + tax WHERE day = '{{ ds }}';`),
  'value of the other table': dagWith(`UPDATE mart.a t SET n = s.n + s.extra FROM raw.a s WHERE s.id = t.id;`),
  'reset, then added up': dagWith(`UPDATE mart.a SET n = 0 WHERE day = '{{ ds }}';
    UPDATE mart.a t SET n = t.n + s.n FROM raw.s s WHERE s.id = t.id AND t.day = '{{ ds }}';`),
  'added up in a fresh table': dagWith(`TRUNCATE mart.a; INSERT INTO mart.a SELECT id, 0 AS n FROM raw.ids;
    UPDATE mart.a t SET n = t.n + s.n FROM raw.s s WHERE s.id = t.id;`),
  'do nothing after the delete of the slice': dagWith(`DELETE FROM mart.a WHERE day = '{{ ds }}';
    INSERT INTO mart.a (day, id, n) SELECT day, id, n FROM raw.a WHERE day = '{{ ds }}' ON CONFLICT DO NOTHING;`),
  'do nothing for keys only': dagWith(
    `INSERT INTO dim.users (user_id) SELECT DISTINCT user_id FROM raw.a WHERE day = '{{ ds }}' ON CONFLICT (user_id) DO NOTHING;`,
  ),
  'do nothing for constants': dagWith(
    `INSERT INTO dim.kinds (id, name) VALUES (1, 'a'), (2, 'b') ON CONFLICT (id) DO NOTHING;`,
  ),
  'a block of its own': dagWith(
    `DO $$ BEGIN DELETE FROM mart.a WHERE day = current_date; INSERT INTO mart.a SELECT * FROM raw.a; END $$;`,
  ),
  'words in comments and strings': dagWith(`-- INSERT INTO mart.a SELECT now()
    DELETE FROM mart.a WHERE note = 'INSERT INTO mart.a SELECT now()' AND day = '{{ ds }}';
    /* UPDATE mart.a SET n = n + 1 */`),
  'one transaction in a stand-alone file': {
    'sql/a.sql': `BEGIN;
DELETE FROM mart.a WHERE day = '{{ ds }}';
INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';
COMMIT;`,
  },
  'start transaction': {
    'sql/a.sql': `START TRANSACTION;
DELETE FROM mart.a WHERE day = '{{ ds }}';
INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';
COMMIT;`,
  },
  'migration with constant rows': {
    'migrations/001.sql': `CREATE TABLE IF NOT EXISTS kinds (id int); INSERT INTO kinds VALUES (1), (2);`,
  },
  'seed rows of a stand-alone file': { 'sql/seed.sql': `INSERT INTO kinds VALUES (1, 'a'), (2, 'b');` },
  'append behind a view that deduplicates': {
    'sql/view.sql': `CREATE OR REPLACE VIEW clean.a AS SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY id ORDER BY loaded_at DESC) AS rn FROM feed.a) x WHERE rn = 1;`,
    ...dagWith(`INSERT INTO feed.a SELECT * FROM raw.a WHERE day = '{{ ds }}';`),
  },
  'emptied by an earlier task': {
    'dags/two.py': `${py}
${dag.replace('catchup=True', 'catchup=True, max_active_runs=1')}
    clear = SQLExecuteQueryOperator(task_id="clear", conn_id="dw", sql="TRUNCATE stage.a")
    fill = SQLExecuteQueryOperator(task_id="fill", conn_id="dw", sql="INSERT INTO stage.a SELECT * FROM raw.a WHERE day = '{{ ds }}'")
    use = SQLExecuteQueryOperator(task_id="use", conn_id="dw", sql="INSERT INTO mart.a (id, n) SELECT id, n FROM stage.a ON CONFLICT (id) DO UPDATE SET n = EXCLUDED.n")
    clear >> fill >> use
`,
  },
  'dropped by a later task': {
    'dags/two.py': `${py}
${dag}
    fill = SQLExecuteQueryOperator(task_id="fill", conn_id="dw", sql="INSERT INTO work_a SELECT * FROM raw.a WHERE day = '{{ ds }}'")
    drop = SQLExecuteQueryOperator(task_id="drop", conn_id="dw", sql="DROP TABLE work_a")
    fill >> drop
`,
  },
  'emptied by an operator of another kind': {
    'dags/two.py': `${py}
from airflow.providers.google.cloud.operators.bigquery import BigQueryDeleteTableOperator
from airflow.operators.bash import BashOperator
${dag}
    clear = BigQueryDeleteTableOperator(task_id="clear", deletion_dataset_table="lake.a")
    wipe = BashOperator(task_id="wipe", bash_command='psql -c "TRUNCATE TABLE lake.b" >> wipe.log')
    fill = SQLExecuteQueryOperator(task_id="fill", conn_id="dw", sql="INSERT INTO lake.a SELECT * FROM raw.a WHERE day = '{{ ds }}'; INSERT INTO lake.b SELECT * FROM raw.b")
    [clear, wipe] >> fill
`,
  },
  'whole rebuild in a stand-alone file': {
    'sql/a.sql': `TRUNCATE mart.a;
INSERT INTO mart.a SELECT * FROM raw.a;`,
  },
  'replaced up to the day': dagWith(`DELETE FROM mart.a WHERE day < '{{ ds }}';
    INSERT INTO mart.a SELECT * FROM raw.a r WHERE r.day < '{{ ds }}';`),
  'retention by the interval beside an upsert': dagWith(`DELETE FROM mart.a WHERE day < '{{ ds }}'::date - 90;
    INSERT INTO mart.a (day, n) SELECT day, n FROM raw.a WHERE day = '{{ ds }}' ON CONFLICT (day) DO UPDATE SET n = EXCLUDED.n;`),
  'what is known is taken out of the working table':
    dagWith(`CREATE TEMP TABLE fresh AS SELECT * FROM raw.a WHERE day = '{{ ds }}';
    DELETE FROM fresh f USING mart.a t WHERE t.id = f.id;
    INSERT INTO mart.a SELECT * FROM fresh;`),
  'a clock that names a file of its own or a fallback': {
    'dags/names.py': `${py}
def load(ds=None, **context):
    day = context.get("ds") or datetime.now().strftime("%Y-%m-%d")
    hook = PostgresHook("dw")
    hook.run(f"DELETE FROM mart.a WHERE day = '{day}'")
    open(f"/tmp/marker_{datetime.now().strftime('%Y%m%d%H%M%S')}", "w").close()

${dag}
    PythonOperator(task_id="load", python_callable=load)
`,
  },
  'pair in one hook call': {
    'dags/hook.py': `${py}
def load(ds):
    hook = PostgresHook("dw")
    hook.run(["DELETE FROM mart.a WHERE day = %(d)s", "INSERT INTO mart.a SELECT * FROM raw.a WHERE day = %(d)s"], parameters={"d": ds})

${dag}
    PythonOperator(task_id="load", python_callable=load)
`,
  },
  'autocommit without splitting': dagWith(
    `DELETE FROM mart.a WHERE day = '{{ ds }}'; INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';`,
    { task: ', autocommit=True' },
  ),
  'splitting without autocommit': dagWith(
    `DELETE FROM mart.a WHERE day = '{{ ds }}'; INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}';`,
    { task: ', split_statements=True' },
  ),
  'autocommit around an explicit transaction': dagWith(
    `BEGIN; DELETE FROM mart.a WHERE day = '{{ ds }}'; INSERT INTO mart.a SELECT * FROM raw.a WHERE day = '{{ ds }}'; COMMIT;`,
    { task: ', autocommit=True, split_statements=True' },
  ),
  'staging of a split autocommit task': dagWith(
    `DELETE FROM stage.a; INSERT INTO stage.a SELECT * FROM raw.a WHERE day = '{{ ds }}';`,
    {
      task: ', autocommit=True, split_statements=True',
    },
  ),
  'clock that only measures and logs': {
    'dags/log.py': `${py}import logging

def load(ds):
    started = datetime.now()
    PostgresHook("dw").run("DELETE FROM mart.a WHERE day = %s", parameters=(ds,))
    logging.info("took %s", datetime.now() - started)

${dag}
    PythonOperator(task_id="load", python_callable=load)
`,
  },
  'what is old is moved to an archive':
    dagWith(`WITH old AS (DELETE FROM raw.events WHERE at < DATE '{{ ds }}' - interval '90 days' RETURNING *)
    INSERT INTO archive.events SELECT * FROM old;`),
  'a mark that the same transaction moves on': {
    'dags/mark.py': `${py}
def load():
    with PostgresHook("dw").get_conn() as con, con.cursor() as cur:
        cur.execute("select last_id from etl.mark where name = 'a'")
        last = cur.fetchone()[0]
        cur.execute("insert into stg.a select * from raw.a where id > %s", (last,))
        cur.execute("update etl.mark set last_id = (select max(id) from stg.a) where name = 'a'")

${dag}
    PythonOperator(task_id="load", python_callable=load)
`,
  },
  'plain start dates': {
    'dags/start.py': `${py}import pendulum

with DAG("a", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1, tz="Europe/Berlin"), catchup=False):
    pass
with DAG("b", schedule=timedelta(hours=6), start_date=datetime(2024, 1, 1), catchup=False):
    pass
`,
  },
  'a MERGE that takes away what is gone of its own day, and one of everything': dagWith(`
    MERGE INTO mart.a AS t USING (SELECT day, id, x FROM raw.a WHERE day = '{{ ds }}') AS s ON t.day = s.day AND t.id = s.id
    WHEN MATCHED THEN UPDATE SET x = s.x
    WHEN NOT MATCHED THEN INSERT (day, id, x) VALUES (s.day, s.id, s.x)
    WHEN NOT MATCHED BY SOURCE AND t.day = (SELECT max(day) FROM raw.a WHERE day = '{{ ds }}') THEN DELETE;
    MERGE INTO mart.b AS t USING (SELECT id, x FROM raw.b) AS s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET x = s.x
    WHEN NOT MATCHED THEN INSERT (id, x) VALUES (s.id, s.x)
    WHEN NOT MATCHED BY SOURCE THEN DELETE;`),
};
