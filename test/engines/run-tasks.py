"""Runs what the schedule of each DAG makes from one time to another, as the Airflow that runs this would:
run-tasks.py FOLDER FIRST LAST RESULT.

Runs are ordered by the end of their interval, the tasks of a run by its edges. The result is JSON: for each task of a run
its interval and its SQL as it was sent.
"""

import copy
import json
import sys
from datetime import datetime

sys.dont_write_bytecode = True

from task_context import load_dags, scheduled_runs, start_run  # noqa: E402

folder, first, last, result = sys.argv[1:]
first, last = datetime.fromisoformat(first), datetime.fromisoformat(last)

runs = [
    (end, dag_id, dag, logical_date, start)
    for dag_id, dag in load_dags(folder).items()
    for logical_date, start, end in scheduled_runs(dag, first, last)
]
done = []
for end, dag_id, dag, logical_date, start in sorted(runs, key=lambda run: run[:2]):
    context_of = start_run(dag, logical_date, start, end)
    for ordered in dag.topological_sort():
        task = copy.copy(ordered)
        context = context_of(task.task_id)
        task.render_template_fields(context)
        task.do_xcom_push = False
        task.execute(context)
        times = {"logicalDate": logical_date, "start": start, "end": end}
        sent = task.sql if isinstance(task.sql, list) else [task.sql]
        done.append({"task": f"{dag_id}.{task.task_id}", **{name: at.isoformat() for name, at in times.items()}, "sql": sent})

with open(result, "w", encoding="utf-8") as file:
    json.dump(done, file)
