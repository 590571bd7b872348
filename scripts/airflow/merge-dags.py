"""Merges what dags.py printed under several Airflows and settings: {file: {dag_id: [{"by": [label], …facts}]}}."""

from __future__ import annotations

import json
import sys

merged: dict[str, dict[str, list[dict]]] = {}
for label, path in (argument.split("=", 1) for argument in sys.argv[1:]):
    with open(path) as file:
        for name, dags in json.load(file).items():
            for dag, facts in dags.items():
                known = merged.setdefault(name, {}).setdefault(dag, [])
                same = next((one for one in known if {**one, "by": None} == {**facts, "by": None}), None)
                if same is None:
                    known.append({"by": [label], **facts})
                else:
                    same["by"].append(label)
blocks = []
for name, dags in merged.items():
    lines = [f"{json.dumps(dag)}:{json.dumps(facts, separators=(',', ':'))}" for dag, facts in dags.items()]
    blocks.append(f"{json.dumps(name)}:{{\n" + ",\n".join(lines) + "\n}")
print("{\n" + ",\n".join(blocks) + "\n}")
