"""Prints what the installed Airflow makes of the DAG files that it is given, as a fixture: {dag_id: facts}.

Facts: the class of the timetable, catchup, and the first runs that the scheduler would make with catchup: `first` is the
first logical date in minutes since the epoch, `steps` the distances to the next ones and `lengths` those of the data
intervals, both as [minutes, how many times] pairs. Per task the arguments that defaults decide, and the logical dates that
a sensor waits for. Files are run as Python, so nothing is read from a DAG folder.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from importlib.metadata import version

import pendulum

from airflow.timetables.base import TimeRestriction

AIRFLOW_3 = version("apache-airflow").startswith("3.")
RUNS = 30


def scheduled(dag):
    """The DAG as the scheduler sees it."""
    if not AIRFLOW_3:
        return dag
    from airflow.serialization.serialized_objects import DagSerialization

    return DagSerialization.from_dict(DagSerialization.to_dict(dag))


def minutes(at):
    value = at.timestamp() / 60
    return int(value) if value == int(value) else value


def runs(dag):
    restriction = TimeRestriction(*dag._time_restriction[:2], catchup=True)
    found = []
    if restriction.earliest is None:
        return found
    last = None
    while len(found) < RUNS:
        info = dag.timetable.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
        if info is None or (last is not None and info.data_interval == last):
            break
        last = info.data_interval
        found.append([minutes(info.logical_date), minutes(last.end)])
    return found


def repeated(values):
    pairs = []
    for value in values:
        if pairs and pairs[-1][0] == value:
            pairs[-1][1] += 1
        else:
            pairs.append([value, 1])
    return pairs


def series(dag):
    found = runs(dag)
    if not found:
        return {}
    starts = [start for start, _ in found]
    return {
        "first": starts[0],
        "steps": repeated(after - before for before, after in zip(starts, starts[1:])),
        "lengths": repeated(end - start for start, end in found),
    }


NOON = pendulum.datetime(2024, 5, 15, 12)


def waits(task):
    """Of a sensor: how many minutes before or after its own logical date the dates are that it looks for."""
    if not hasattr(task, "_get_dttm_filter"):
        return {}
    dates = task._get_dttm_filter({"logical_date": NOON, "execution_date": NOON})
    return {"waitsFor": [minutes(date) - minutes(NOON) for date in dates]}


def facts(dag):
    told = {"timetable": type(dag.timetable).__name__, "catchup": dag.catchup, **series(scheduled(dag))}
    tasks = {
        task.task_id: {
            "retries": task.retries,
            "triggerRule": str(getattr(task.trigger_rule, "value", task.trigger_rule)),
            "dependsOnPast": task.depends_on_past,
            "params": dict(task.params),
            **waits(task),
        }
        for task in dag.tasks
    }
    return {**told, "tasks": tasks} if tasks else told


if __name__ == "__main__":
    # Airflow writes its log to standard output; the fixture alone must go there.
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from airflow import DAG

    made = {}
    for path in sys.argv[1:]:
        found = {}

        own = DAG.__init__

        def note(self, *args, **kwargs):
            own(self, *args, **kwargs)
            found[self.dag_id] = self

        DAG.__init__ = note
        runpy.run_path(path)
        DAG.__init__ = own
        made[os.path.basename(path)] = {name: facts(dag) for name, dag in found.items()}
    print("{", file=out)
    blocks = []
    for path, dags in made.items():
        lines = [f"{json.dumps(name)}:{json.dumps(told, separators=(',', ':'))}" for name, told in dags.items()]
        blocks.append(f"{json.dumps(path)}:{{\n" + ",\n".join(lines) + "\n}")
    print(",\n".join(blocks) + "\n}", file=out)
