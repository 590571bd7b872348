"""Prints what Airflow's cron library makes of random expressions on the naive wall clock, as a fixture.

`after` and `before` are minutes from the base; `null` where croniter refuses the expression or finds no tick.
"""

from __future__ import annotations

import datetime
import json
import random
from importlib.metadata import version

from croniter import croniter

BASE = datetime.datetime(2024, 2, 27, 13, 37)
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
SPECIAL = {
    2: ["l", "L", "?", "15w", "l,1", "10-l", "0", "32", "1-31", "*/1", "31", "30,31", "l-3"],
    4: ["?", "7", "5-7", "0-7", "1-7", "7/2", "6/2", "l5", "L0", "5l", "5#1", "fri#5", "1#6", "1#1,3#2", "1,2#1", "mon-fri#1",
        "fri-mon", "sat-sun", "sun-sat", "*/1", "0-6", "1-7/2", "*#1", "l7", "7#1"],
    0: ["60", "5-5", "50-10", "h", "r", "*,5", "5,*", "-1", "1-", "", "1--2", "59/15", "0-59", "*/0", "*/100", "1,1", "05"],
    1: ["24", "22-2", "0-23", "*/1", "0/1", "23/2", "22-4/2", "?", "0,1-23"],
    3: ["oct-feb", "13", "0", "jan,feb", "11-2", "dec/3", "foo", "janx", "feb", "2"],
}


def item(rng, index):
    low, high = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 6)][index]

    def value(lowest=low):
        number = rng.randint(lowest, high)
        if index == 3 and rng.random() < 0.3:
            return number, rng.choice([MONTHS[number - 1], MONTHS[number - 1].upper()])
        if index == 4 and rng.random() < 0.3:
            return number, WEEKDAYS[number]
        return number, str(number)

    kind = rng.random()
    if kind < 0.35:
        return value()[1]
    if kind < 0.55:
        return f"*/{rng.randint(1, high)}"
    if kind < 0.65:
        return f"{value()[1]}/{rng.randint(1, high)}"
    first = value()
    last = value(first[0])
    if first[0] == last[0]:
        return first[1]
    step = f"/{rng.randint(1, 6)}" if kind > 0.85 else ""
    return f"{first[1]}-{last[1]}{step}"


def field(rng, index):
    kind = rng.random()
    if kind < (0.2 if index < 2 else 0.55):
        return "*"
    if kind > 0.93:
        return rng.choice(SPECIAL[index])
    return ",".join(item(rng, index) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def ticks(expression):
    try:
        following, preceding = croniter(expression, BASE), croniter(expression, BASE)
        after = [following.get_next(datetime.datetime) for _ in range(6)]
        before = [preceding.get_prev(datetime.datetime) for _ in range(4)]
    except Exception:  # noqa: BLE001 - whatever it raises, Airflow has no ticks
        return None
    return [[int((tick - BASE).total_seconds()) // 60 for tick in found] for found in (after, before)]


if __name__ == "__main__":
    rng = random.Random(20240227)
    expressions = [" ".join(field(rng, index) for index in range(5)) for _ in range(700)]
    for index, specials in SPECIAL.items():
        expressions += [" ".join(special if i == index else "0" if i < 2 else "*" for i in range(5)) for special in specials]
    expressions += ["0 0 31 2 *", "0 0 31 2 1", "0 0 30,31 2,4 *", "0 0 29 2 *", "0 0 13 * 5#2", "0 0 * * * 0", "0 0 * *", "@reboot"]
    rows = [json.dumps([expression, *(ticks(expression) or [None])], separators=(",", ":")) for expression in dict.fromkeys(expressions)]
    print(json.dumps({"croniter": version("croniter"), "base": BASE.isoformat()})[:-1] + ',"expressions":[')
    print(",\n".join(rows))
    print("]}")
