"""Prints the arguments of real operator classes with their defaults, as a fixture: {class: {release: {argument: default}}}.

Arguments: folders into which providers were installed, each as label=folder, oldest first. The classes are read from
their source, so that no provider needs the packages that it depends on. An argument without a default is "required", a
default that is no literal is "computed". Releases with equal arguments are shown once, as the newest one.
"""

from __future__ import annotations

import ast
import json
import pathlib
import sys

# Where classes stand whose arguments name tables or hold SQL.
PLACES = (
    "/transfers/",
    "operators/bigquery.py",
    "operators/databricks_sql.py",
    "operators/snowflake.py",
    "operators/sql.py",
    "generic_transfer.py",
    "sensors/bigquery.py",
    "sensors/databricks_partition.py",
    "sensors/databricks_sql.py",
    "sensors/glue_catalog_partition.py",
    "sensors/hive_partition.py",
    "sensors/metastore_partition.py",
    "sensors/named_hive_partition.py",
    "sensors/sql.py",
)
KINDS = ("Operator", "Transfer", "Sensor")


def default(node):
    try:
        value = ast.literal_eval(node)
    except ValueError:
        return "computed"
    return value if value is None or isinstance(value, (bool, int, str)) else "computed"


def own_arguments(cls: ast.ClassDef):
    for member in cls.body:
        if isinstance(member, ast.FunctionDef) and member.name == "__init__":
            args = member.args
            named = args.args[1:]
            found = {arg.arg: "required" for arg in named[: len(named) - len(args.defaults)]}
            given = named[len(named) - len(args.defaults) :]
            found.update({arg.arg: default(value) for arg, value in zip(given, args.defaults)})
            for arg, value in zip(args.kwonlyargs, args.kw_defaults):
                found[arg.arg] = "required" if value is None else default(value)
            return found
    return {}


def classes(folder: str):
    sources = {}
    for path in sorted(pathlib.Path(folder, "airflow", "providers").rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                sources.setdefault(node.name, (str(path), node))
    return sources


def arguments(name: str, sources, seen=()):
    if name not in sources or name in seen:
        return {}
    node = sources[name][1]
    found = {}
    for base in reversed(node.bases):
        found.update(arguments(ast.unparse(base).rsplit(".", 1)[-1], sources, (*seen, name)))
    return {**found, **own_arguments(node)}


signatures: dict[str, dict[str, dict]] = {}
for label, folder in (argument.split("=", 1) for argument in sys.argv[1:]):
    sources = classes(folder)
    for name, (path, _) in sources.items():
        if name.startswith("_") or not name.endswith(KINDS) or not any(place in path for place in PLACES):
            continue
        found = arguments(name, sources)
        known = signatures.setdefault(name, {})
        same = next((other for other, told in known.items() if told == found), None)
        if same is not None:
            del known[same]
        known[label] = found
lines = [f"{json.dumps(name)}:{json.dumps(told, separators=(',', ':'))}" for name, told in sorted(signatures.items())]
print("{\n" + ",\n".join(lines) + "\n}")
