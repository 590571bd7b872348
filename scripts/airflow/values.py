"""Prints what the installed Airflow gives a template for some runs, as a fixture.

It is a DAG file too, because Airflow 3 finds the DAGs of a test run in its DAGs folder: each DAG has one task, which
writes what the names are for its run.
"""

from __future__ import annotations

import datetime
import json
import os
import tempfile
from importlib.metadata import version

import pendulum

AIRFLOW_3 = version("apache-airflow").startswith("3.")

if AIRFLOW_3:
    from airflow.providers.standard.operators.python import PythonOperator
    from airflow.sdk import DAG
else:
    # Airflow's own tables refer to these, and a script like this one would not have loaded them.
    import airflow.providers.fab.auth_manager.models  # noqa: F401
    from airflow.models.dag import DAG
    from airflow.operators.python import PythonOperator

RUNS = [
    # zone, schedule, local time of the logical date
    ("UTC", "@daily", (2026, 11, 28, 0, 0)),
    ("Europe/Berlin", "@daily", (2026, 3, 29, 0, 0)),
    ("America/New_York", "@hourly", (2024, 11, 3, 1, 0)),
    ("Asia/Kolkata", "30 5 * * *", (2026, 6, 1, 5, 30)),
    ("Pacific/Auckland", "@monthly", (2024, 4, 1, 0, 0)),
]
NAMES = [
    "ds", "ds_nodash", "ts", "ts_nodash", "ts_nodash_with_tz", "logical_date", "data_interval_start",
    "data_interval_end", "data_interval_start | ds", "data_interval_end | ts_nodash", "macros.ds_add(ds, -1)",
    "macros.ds_format(ds, '%Y-%m-%d', '%d/%m/%Y')", "logical_date.strftime('%Y-%m-%dT%H')", "data_interval_start.timezone.name",
    "(data_interval_end - macros.timedelta(days=1)) | ds",
]



def write(values):
    with open(os.environ["VALUES_FILE"], "w") as file:
        json.dump(values, file)


DAGS = []
for zone, schedule, fields in RUNS:
    tz = pendulum.timezone(zone)
    dag_id = "values_" + zone.replace("/", "_")
    with DAG(dag_id, schedule=schedule, start_date=pendulum.datetime(2020, 1, 1, tz=tz), catchup=False) as dag:
        PythonOperator(
            task_id="write", python_callable=write, op_kwargs={"values": {name: "{{ " + name + " }}" for name in NAMES}}
        )
    globals()[dag_id] = dag
    logical_date = pendulum.instance(datetime.datetime(*fields, fold=1, tzinfo=tz)).in_timezone("UTC")
    DAGS.append((dag, zone, schedule, logical_date))


def run(dag, logical_date):
    if AIRFLOW_3:
        dag.test(logical_date=logical_date)
        return
    # A test run counts as started by hand, and would get the interval before; a scheduled one gets this.
    interval = type(dag.timetable.infer_manual_data_interval(run_after=logical_date))
    dag.timetable.infer_manual_data_interval = lambda *, run_after: interval(run_after, dag.timetable._get_next(run_after))
    dag.test(execution_date=logical_date)


if __name__ == "__main__":
    # Airflow writes its log to standard output; the fixture alone must go there.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    rows = []
    for dag, zone, schedule, logical_date in DAGS:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["VALUES_FILE"] = os.path.join(folder, "values.json")
            run(dag, logical_date)
            with open(os.environ["VALUES_FILE"]) as file:
                values = json.load(file)
        rows.append({"zone": zone, "schedule": schedule, "logicalDate": logical_date.isoformat(), "values": values})
    json.dump({"airflow": version("apache-airflow"), "runs": rows}, out, indent=1)
    out.write("\n")
