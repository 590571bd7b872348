"""Loads DAG files with the Airflow of this Python and writes what its scheduler would see, as JSON.

Usage: python ask-airflow.py REQUEST ANSWER

REQUEST is a JSON file: {"files": [absolute paths], "pythonPath": [folders that DAG files import from]}.
ANSWER is written whole or not at all: {"airflow": version, "dags": [...], "errors": [...]}, where a file is its place in
the request. Nothing is printed; what the DAG files print is theirs. The caller points Airflow at an empty database in a
temporary folder, so that none of the user's is written to.
"""

import json
import os
import signal
import sys
import threading
import warnings
from importlib.metadata import PackageNotFoundError, version


def end_with_caller():
    """Ends this process, with what the DAG files have started, when the caller's end of the input is closed."""
    watched = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)

    def wait():
        while os.read(watched, 1):
            pass
        if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
            os.killpg(os.getpid(), signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def airflow_version():
    for name in ("apache-airflow", "apache-airflow-core"):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return None


def empty_bag():
    try:
        from airflow.dag_processing.dagbag import DagBag  # since 3.2
    except ImportError:
        from airflow.models.dagbag import DagBag
    try:
        return DagBag(dag_folder=os.devnull, collect_dags=False)
    except TypeError:
        return DagBag(dag_folder=os.devnull, include_examples=False)  # before 2.6


def serializer():
    try:
        from airflow.serialization.serialized_objects import DagSerialization  # since 3.2
    except ImportError:
        from airflow.serialization.serialized_objects import SerializedDAG as DagSerialization
    return DagSerialization


def make_tables():
    """Airflow 2 looks for pools, Variables and datasets while it loads a file: the temporary database gets their tables."""
    from airflow import models, settings
    from airflow.models.base import Base

    if settings.engine is None or not str(settings.engine.url).startswith("sqlite:"):
        return
    if hasattr(models, "import_all_models"):
        models.import_all_models()
    for table in Base.metadata.tables.values():
        try:
            table.create(settings.engine, checkfirst=True)
        except Exception:
            continue  # It refers to a table of a provider that is not installed.


def milliseconds(moment):
    return None if moment is None else round(moment.timestamp() * 1000)


def first_start(dag):
    """Without a start date of its own a DAG begins with the first of its tasks."""
    starts = [task.start_date for task in dag.task_dict.values() if task.start_date]
    return dag.start_date or min(starts, default=None)


def described(dag, file, codec):
    """The DAG as the scheduler has it: serialised, and read back."""
    encoded = codec.to_dict(dag)
    seen = codec.from_dict(encoded)
    kind = type(seen.timetable)
    return {
        "id": seen.dag_id,
        "file": file,
        "timetable": encoded["dag"].get("timetable")
        or {"__type": f"{kind.__module__}.{kind.__qualname__}", "__var": seen.timetable.serialize()},
        "timeZone": encoded["dag"].get("timezone"),
        "startDate": milliseconds(first_start(seen)),
        "endDate": milliseconds(seen.end_date),
        "catchup": bool(seen.catchup),
        "maxActiveRuns": seen.max_active_runs,
        "tasks": [
            {
                "id": task.task_id,
                "operator": task.task_type,
                "mapped": bool(getattr(task, "is_mapped", False)),
                "downstream": sorted(task.downstream_task_ids),
            }
            for task in seen.task_dict.values()
        ],
    }


def answer(request):
    found = airflow_version()
    if found is None:
        return {"airflow": None, "dags": [], "errors": []}
    # An executor that needs another database than the temporary one would be refused.
    os.environ["AIRFLOW__CORE__EXECUTOR"] = "SequentialExecutor" if found.startswith("2.") else "LocalExecutor"
    # Instead of the folder of this script; last, as Airflow adds its folders, so that nothing installed is hidden.
    sys.path[:1] = []
    sys.path.extend(request["pythonPath"])
    warnings.simplefilter("ignore")
    if found.startswith("2."):
        make_tables()
    codec = serializer()
    dags, errors = [], []
    for index, file in enumerate(request["files"]):
        # A bag of its own for each file: a dag_id that is used twice is no reason to lose the second DAG.
        bag = empty_bag()
        try:
            bag.process_file(file, only_if_updated=False, safe_mode=False)
            errors.extend({"file": index, "message": str(message)} for message in bag.import_errors.values())
        except (Exception, SystemExit) as error:
            errors.append({"file": index, "message": f"{type(error).__name__}: {error}"})
        for dag in sorted(bag.dags.values(), key=lambda found: found.dag_id):
            try:
                dags.append(described(dag, index, codec))
            except Exception as error:
                errors.append({"file": index, "message": f"{dag.dag_id}: {type(error).__name__}: {error}"})
    return {"airflow": found, "dags": dags, "errors": errors}


def main(request_file, answer_file):
    end_with_caller()
    with open(request_file, encoding="utf-8") as opened:
        request = json.load(opened)
    text = json.dumps(answer(request))
    partial = answer_file + ".part"
    with open(partial, "w", encoding="utf-8") as opened:
        opened.write(text)
    os.replace(partial, answer_file)


if __name__ == "__main__":
    main(*sys.argv[1:])
