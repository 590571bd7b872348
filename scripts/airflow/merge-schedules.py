"""Merges what schedules.py printed under several Airflows into one fixture: equal series once, with who made them.

A window is a zone and a start date; in its series `by` lists Airflow's major version and timetable (`2 interval`),
and times are minutes from the window's start.
"""

from __future__ import annotations

import json
import sys

versions = {}
windows: dict[tuple, dict[str, dict]] = {}
for path in sys.argv[1:]:
    with open(path) as file:
        header = json.loads(file.readline())
        major = header["airflow"].split(".")[0]
        versions[major] = header
        for line in map(json.loads, file):
            window = windows.setdefault((line["zone"], line["start"], line["until"], line.get("now")), {})
            told = {key: line[key] for key in ("steps", "stopped", "cut") if key in line}
            if "first" in line:
                told["first"] = line["first"] - line["start"]
            # A trigger's intervals are empty, so only a series that says otherwise keeps its ends.
            same = window.setdefault(json.dumps([line["schedule"], told]), {"by": []})
            if line["kind"] == "interval":
                assert same.setdefault("ends", line.get("ends", [])) == line.get("ends", []), line
            else:
                assert "ends" not in line, line
            same["by"].append(f"{major} {line['kind']}")

compact = {"separators": (",", ":")}
print("{" + f'"versions":{json.dumps(versions)},"windows":[')
blocks = []
for (zone, start, until, now), series in windows.items():
    head = {"zone": zone, "start": start, "until": until, **({} if now is None else {"now": now})}
    rows = []
    for key, same in series.items():
        schedule, told = json.loads(key)
        row = {"schedule": schedule, "by": same["by"], **told}
        if same.get("ends"):
            row["ends"] = same["ends"]
        rows.append(json.dumps(row, **compact))
    blocks.append(json.dumps(head, **compact)[:-1] + ',"series":[\n' + ",\n".join(rows) + "\n]}")
print(",\n".join(blocks))
print("]}")
