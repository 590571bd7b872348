"""Renders the SQL of a task as the Airflow that runs this would: render-task.py FOLDER DAG TASK DAY RESULT.

The interval is the day in UTC. The result is JSON: what the operator holds after rendering, and the statements that its
hook would send where it is told to split them.
"""

import json
import sys
from datetime import datetime, timedelta, timezone

sys.dont_write_bytecode = True

from task_context import load_dags, start_run  # noqa: E402

folder, dag_id, task_id, day, result = sys.argv[1:]
start = datetime.fromisoformat(day).replace(tzinfo=timezone.utc)

dag = load_dags(folder)[dag_id]
context = start_run(dag, start, start, start + timedelta(days=1))(task_id)
task = dag.task_dict[task_id]
task.render_template_fields(context)

from airflow.providers.common.sql.hooks.sql import DbApiHook  # noqa: E402

with open(result, "w", encoding="utf-8") as file:
    json.dump({"sql": task.sql, "statements": DbApiHook.split_sql_string(task.sql)}, file)
