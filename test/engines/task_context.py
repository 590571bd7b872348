"""What the Airflow that runs this makes of a DAG: its runs, and the template context of a task in one of them."""

import json
import uuid

import airflow  # its settings come from the environment

is_airflow2 = airflow.__version__.startswith("2.")


def load_dags(folder):
    if is_airflow2:
        from airflow.models import DagBag
        from airflow.utils.db import initdb

        initdb()
        bag = DagBag(folder, include_examples=False, read_dags_from_db=False)
    else:
        from airflow.dag_processing.dagbag import DagBag

        bag = DagBag(folder)
    if bag.import_errors:
        raise SystemExit("\n".join(bag.import_errors.values()))
    return bag.dags


def scheduled_runs(dag, first, last):
    """Logical date, start and end of the interval of each run that the schedule makes from `first` to `last`."""
    if is_airflow2:
        infos = dag.iter_dagrun_infos_between(first, last)
    else:
        try:
            from airflow.serialization.serialized_objects import DagSerialization  # since 3.2
        except ImportError:
            from airflow.serialization.serialized_objects import SerializedDAG as DagSerialization
        infos = DagSerialization.deserialize_dag(DagSerialization.serialize_dag(dag)).iter_dagrun_infos_between(first, last)
    return [(info.logical_date, info.data_interval.start, info.data_interval.end) for info in infos]


def start_run(dag, logical_date, start, end):
    """A run of the schedule; gives for each of its tasks the template context."""
    run_id = "scheduled__" + logical_date.isoformat()
    return _run2(dag, run_id, logical_date, start, end) if is_airflow2 else _run3(dag, run_id, logical_date, start, end)


def _run2(dag, run_id, logical_date, start, end):
    from airflow.utils.session import create_session
    from airflow.utils.state import DagRunState
    from airflow.utils.types import DagRunType

    with create_session() as session:
        dag.sync_to_db(session=session)
        run = dag.create_dagrun(
            run_id=run_id, run_type=DagRunType.SCHEDULED, state=DagRunState.RUNNING, execution_date=logical_date,
            data_interval=(start, end), session=session,
        )
        session.commit()

    def context_of(task_id):
        with create_session() as session:
            instance = run.get_task_instance(task_id, session=session)
            instance.task = dag.get_task(task_id)
            instance.try_number = 1
            return instance.get_template_context(session=session)

    return context_of


def _run3(dag, run_id, logical_date, start, end):
    from airflow.sdk.api.datamodels._generated import TIRunContext
    from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

    bounds = {"logical_date": logical_date, "data_interval_start": start, "data_interval_end": end, "run_after": end}
    run = {
        "dag_id": dag.dag_id, "run_id": run_id, **{name: at.isoformat() for name, at in bounds.items()},
        "start_date": end.isoformat(), "end_date": None, "run_type": "scheduled", "state": "running",
        "consumed_asset_events": [], "partition_key": None,
    }

    def context_of(task_id):
        server = TIRunContext.model_validate_json(json.dumps({"dag_run": run, "max_tries": 0}))
        instance = RuntimeTaskInstance.model_construct(
            id=uuid.uuid4(), task=dag.task_dict[task_id], dag_id=dag.dag_id, task_id=task_id, run_id=run_id, try_number=1,
            map_index=-1, _ti_context_from_server=server, start_date=end,
        )
        instance._cached_template_context = None
        instance._ti_context_from_server = server
        return instance.get_template_context()

    return context_of
