"""Renders the corpus with the real Airflow 2 and 3 and writes what they give to test/fixtures/template/rendered.json.

    scripts/setup-airflow.sh && python3 scripts/jinja/corpus.py

Each entry is [template, 1 if it must be rendered exactly, results of Airflow 2, results of Airflow 3 or 0 when they
are the same, 1 if the DAG has the names of own_names.py and the modules]. Results are one text per case, a single text when all are the same, and null where Airflow itself fails
or gives something that only this process has (the clock, an address in memory, a path).
"""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from templates import CASES, JSON_VARIABLES, MODULES, PARAMS, VARIABLES, corpus

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "test" / "fixtures" / "template" / "rendered.json"
DAG_ID, TASK_ID = "shop_daily", "load_orders"


def parse(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


def make_dag(case, index, environment):
    import pendulum
    from airflow import DAG
    from airflow.models.baseoperator import BaseOperator

    start = pendulum.instance(parse(case["start"])).in_timezone(case["zone"])
    schedule = case["schedule"] or timedelta(days=1)
    dag = DAG(dag_id=DAG_ID, start_date=start, schedule=schedule, params=copy.deepcopy(PARAMS), **environment)
    return dag, BaseOperator(task_id=TASK_ID, dag=dag)


def contexts_of_airflow_2(environment):
    from airflow.utils.db import initdb

    initdb()
    from airflow.models import DagRun, TaskInstance
    from airflow.utils.session import create_session
    from airflow.utils.state import DagRunState
    from airflow.utils.types import DagRunType

    for index, case in enumerate(CASES):
        dag, task = make_dag(case, index, environment)
        with create_session() as session:
            session.query(TaskInstance).delete()
            session.query(DagRun).delete()
            dag.sync_to_db(session=session)
            run = dag.create_dagrun(
                run_id="scheduled__" + case["start"],
                run_type=DagRunType.SCHEDULED,
                state=DagRunState.RUNNING,
                execution_date=parse(case["start"]),
                data_interval=(parse(case["start"]), parse(case["end"])),
                session=session,
            )
            session.commit()
            session.expire_all()
            instance = session.query(TaskInstance).filter_by(dag_id=DAG_ID, task_id=TASK_ID).one()
            instance.task = task
            yield dag, instance.get_template_context(session=session)


def contexts_of_airflow_3(environment):
    import uuid

    from airflow.sdk.api.datamodels._generated import DagRun, TaskInstance, TIRunContext
    from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

    for index, case in enumerate(CASES):
        dag, task = make_dag(case, index, environment)
        run_id = "scheduled__" + case["start"]
        run = {
            "dag_id": DAG_ID, "run_id": run_id, "logical_date": case["start"], "data_interval_start": case["start"],
            "data_interval_end": case["end"], "run_after": case["end"], "start_date": case["end"], "end_date": None,
            "run_type": "scheduled", "state": "running", "conf": {}, "consumed_asset_events": [], "partition_key": None,
        }
        server = TIRunContext.model_validate_json(json.dumps({"dag_run": run, "max_tries": 0}))
        instance = RuntimeTaskInstance.model_construct(
            id=uuid.uuid4(), task=task, dag_id=DAG_ID, task_id=TASK_ID, run_id=run_id, try_number=1, map_index=-1,
            _ti_context_from_server=server, start_date=parse(case["end"]),
        )
        instance._cached_template_context = None
        instance._ti_context_from_server = server
        yield dag, instance.get_template_context()


def render_templates(templates, environment):
    """One list of results per template, run inside an Airflow."""
    import airflow
    from own_names import MACROS

    tables = list(MACROS["own_tables"])
    major = int(airflow.__version__.split(".")[0])
    results = [[] for _ in templates]
    contexts = contexts_of_airflow_2 if major == 2 else contexts_of_airflow_3
    for dag, context in contexts(environment):
        params = copy.deepcopy(dict(context["params"]))
        for index, template in enumerate(templates):
            context["params"] = copy.deepcopy(params)
            MACROS["own_tables"][:] = tables
            try:
                results[index].append(str(dag.task_dict[TASK_ID].render_template(template, context)))
            except Exception:
                results[index].append(None)
    return results


def render_all():
    """Results of the corpus, those that need what the DAG adds to Jinja with a DAG that adds it."""
    from own_names import FILTERS, MACROS

    with tempfile.TemporaryDirectory() as folder:
        for path, text in MODULES.items():
            target = Path(folder) / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")
        own = {"user_defined_macros": MACROS, "user_defined_filters": FILTERS, "template_searchpath": [folder]}
        parts = [([t for t, _, with_own in corpus() if with_own == flag], own if flag else {}) for flag in (False, True)]
        found = {}
        for templates, environment in parts:
            found.update(zip(templates, render_templates(templates, environment)))
    return [found[template] for template, _, _ in corpus()]


def ask(venv):
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "AIRFLOW_HOME": home, "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
                       "AIRFLOW__CORE__UNIT_TEST_MODE": "False", "TZ": "UTC", "PYTHONWARNINGS": "ignore"}
        for name, value in VARIABLES.items():
            environment["AIRFLOW_VAR_" + name.upper()] = value
        for name, value in JSON_VARIABLES.items():
            environment["AIRFLOW_VAR_" + name.upper()] = json.dumps(value)
        output = Path(home) / "results.json"
        command = [str(ROOT / venv / "bin" / "python"), __file__, "--render", str(output)]
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        return json.loads(output.read_text())


PROCESS = re.compile(r" at 0x|/\.venv-|UUID\(|" + re.escape(tempfile.gettempdir()))
CLOCK = ("macros.random", "macros.uuid", "macros.time.time", ".now()", ".utcnow()", ".today()", "lipsum", "diff_for_humans")


def stable(template, results):
    volatile = any(part in template for part in CLOCK)
    return [None if text is None or volatile or PROCESS.search(text) else text for text in results]


def compact(results):
    return results[0] if len(set(results)) == 1 else results


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--render":
        Path(sys.argv[2]).write_text(json.dumps(render_all()))
        return
    two, three = ask(".venv-airflow2"), ask(".venv-airflow3")
    entries = [
        [template, int(must), compact(a), 0 if a == b else compact(b), *([1] if own else [])]
        for (template, must, own), a, b in (
            (entry, stable(entry[0], a), stable(entry[0], b)) for entry, a, b in zip(corpus(), two, three)
        )
    ]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    head = {"dagId": DAG_ID, "taskId": TASK_ID, "cases": CASES, "params": PARAMS,
            "variables": {**VARIABLES, **JSON_VARIABLES}, "modules": MODULES}
    text = json.dumps(head, ensure_ascii=False)[:-1] + ', "entries": [\n' + lines + "\n]}\n"
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(text, encoding="utf-8")


main()
