"""Prints what the installed Airflow gives a template for some runs, by running a task that renders them, as a fixture."""

from __future__ import annotations

import datetime
import json
import os
import tempfile
from importlib.metadata import version

import pendulum

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


def render(zone, schedule, fields, path):
    """Runs one DAG run in this process; its only task writes what the names are."""
    if AIRFLOW_3:
        from airflow.providers.standard.operators.python import PythonOperator
        from airflow.sdk import DAG
    else:
        from airflow.models.dag import DAG
        from airflow.operators.python import PythonOperator

    def write(values):
        with open(path, "w") as file:
            json.dump(values, file)

    tz = pendulum.timezone(zone)
    logical_date = pendulum.instance(datetime.datetime(*fields, fold=1, tzinfo=tz)).in_timezone("UTC")
    with DAG("values_" + zone.replace("/", "_"), schedule=schedule, start_date=pendulum.datetime(2020, 1, 1, tz=zone), catchup=False) as dag:
        PythonOperator(task_id="write", python_callable=write, op_kwargs={"values": {n: "{{ " + n + " }}" for n in NAMES}})
    if AIRFLOW_3:
        dag.test(logical_date=logical_date)
    else:
        # A test run counts as started by hand, and would get the interval before; a scheduled one gets this.
        timetable = type(dag.timetable)
        interval = type(dag.timetable.infer_manual_data_interval(run_after=logical_date))
        timetable.infer_manual_data_interval = lambda self, *, run_after: interval(run_after, self._get_next(run_after))
        dag.test(execution_date=logical_date)
    with open(path) as file:
        return {"zone": zone, "schedule": schedule, "logicalDate": logical_date.isoformat(), "values": json.load(file)}


if __name__ == "__main__":
    AIRFLOW_3 = version("apache-airflow").startswith("3.")
    # Airflow writes its log to standard output; the fixture alone must go there.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        rows = [render(*run, os.path.join(folder, str(index))) for index, run in enumerate(RUNS)]
    json.dump({"airflow": version("apache-airflow"), "runs": rows}, out, indent=1)
    out.write("\n")
