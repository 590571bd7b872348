"""Renders the SQL of a task as the Airflow that runs this would: render-task.py FOLDER DAG TASK DAY RESULT.

The interval is the day in UTC. The result is JSON: what the operator holds after rendering, and the statements that its
hook would send where it is told to split them.
"""

import json
import sys
from datetime import datetime, timedelta, timezone

folder, dag_id, task_id, day, result = sys.argv[1:]
start = datetime.fromisoformat(day).replace(tzinfo=timezone.utc)
end = start + timedelta(days=1)
run_id = "scheduled__" + start.isoformat()

import airflow  # noqa: E402  its settings come from the environment

if airflow.__version__.startswith("2."):
    from airflow.models import DagBag
    from airflow.utils.db import initdb
    from airflow.utils.session import create_session
    from airflow.utils.state import DagRunState
    from airflow.utils.types import DagRunType

    initdb()
    dag = DagBag(folder, include_examples=False, read_dags_from_db=False).dags[dag_id]
    with create_session() as session:
        dag.sync_to_db(session=session)
        run = dag.create_dagrun(
            run_id=run_id, run_type=DagRunType.SCHEDULED, state=DagRunState.RUNNING, execution_date=start,
            data_interval=(start, end), session=session,
        )
        session.commit()
        instance = run.get_task_instance(task_id, session=session)
        instance.task = dag.get_task(task_id)
        instance.try_number = 1
        context = instance.get_template_context(session=session)
else:
    import uuid

    from airflow.dag_processing.dagbag import DagBag
    from airflow.sdk.api.datamodels._generated import TIRunContext
    from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

    dag = DagBag(folder).dags[dag_id]
    bounds = {"logical_date": start, "data_interval_start": start, "data_interval_end": end, "run_after": end}
    run = {
        "dag_id": dag_id, "run_id": run_id, **{name: at.isoformat() for name, at in bounds.items()},
        "start_date": end.isoformat(), "end_date": None, "run_type": "scheduled", "state": "running",
        "consumed_asset_events": [], "partition_key": None,
    }
    server = TIRunContext.model_validate_json(json.dumps({"dag_run": run, "max_tries": 0}))
    instance = RuntimeTaskInstance.model_construct(
        id=uuid.uuid4(), task=dag.task_dict[task_id], dag_id=dag_id, task_id=task_id, run_id=run_id, try_number=1,
        map_index=-1, _ti_context_from_server=server, start_date=end,
    )
    instance._cached_template_context = None
    instance._ti_context_from_server = server
    context = instance.get_template_context()

task = dag.task_dict[task_id]
task.render_template_fields(context)

from airflow.providers.common.sql.hooks.sql import DbApiHook  # noqa: E402

with open(result, "w", encoding="utf-8") as file:
    json.dump({"sql": task.sql, "statements": DbApiHook.split_sql_string(task.sql)}, file)
