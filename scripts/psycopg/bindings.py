"""Writes what psycopg2 makes of random statements and values, for the unit suite to match.

    python scripts/psycopg/bindings.py > test/fixtures/psycopg/bindings.json

Needs psycopg2 and the PG* environment of any PostgreSQL server. `None` for a statement that the driver refuses.
"""

import datetime
import json
import math
import random

import psycopg2

random.seed(20261130)

TEXTS = ["", "a", "it's", "a\\b", "100%", "%s", "%(day)s", "é ñ 日", "line\nline", '"quoted"', "2026-11-28", "--", "NUL\0"]


def scalar():
    kind = random.randrange(11)
    if kind == 0:
        return None
    if kind == 1:
        return random.choice([True, False])
    if kind == 2:
        return random.choice([0, 1, -1, 7, -42, 2**31, -(2**63), 2**70])
    if kind == 3:
        return random.choice([0.0, -0.0, 1.5, -1.5, 1e16, 1e-5, 123456.789, 1e22, 0.1, math.nan, math.inf, -math.inf])
    if kind == 4:
        return random.uniform(-1, 1) * 10 ** random.randrange(-8, 20)
    if kind == 5:
        return datetime.date(random.randrange(1, 9999), random.randrange(1, 13), random.randrange(1, 29))
    if kind == 6:
        offset = random.choice([None, 0, 60, -300, 330])
        zone = None if offset is None else datetime.timezone(datetime.timedelta(minutes=offset))
        micro = random.choice([0, 0, 123000, 7])
        return datetime.datetime(2026, random.randrange(1, 13), 3, 4, 5, 6, micro, tzinfo=zone)
    if kind == 7:
        return datetime.timedelta(days=random.randrange(-3, 9), seconds=random.randrange(90000), microseconds=random.choice([0, 5]))
    return random.choice(TEXTS)


def value(depth=0):
    kind = random.randrange(6)
    if depth < 2 and kind == 0:
        return [value(depth + 1) for _ in range(random.randrange(4))]
    if depth < 2 and kind == 1:
        return tuple(value(depth + 1) for _ in range(random.randrange(4)))
    if depth < 2 and kind == 2 and random.random() < 0.2:
        return {"a": scalar()}
    return scalar()


PIECES = ["select 1", " where a = ", " like '50%%'", "%%", " -- a note\n", "'x'", " and ", "(", ")", "::date", " :name ", "?"]
ODD = ["%", "%d", "%(a", "% s", "%(a)d", " 5% of ", "%5s", "%(a%b)s"]


def statement(named):
    pieces = []
    for _ in range(random.randrange(1, 8)):
        roll = random.random()
        if roll < 0.45:
            pieces.append(random.choice(PIECES))
        elif roll < 0.48:
            pieces.append(random.choice(ODD))
        elif roll < 0.5:
            pieces.append("%s" if named else "%(a)s")
        else:
            pieces.append(random.choice(["%(a)s", "%(day)s", "%(a b)s"]) if named else "%s")
    return "".join(pieces)


def tagged(v):
    if v is None:
        return {"none": True}
    if isinstance(v, bool):
        return {"bool": v}
    if isinstance(v, int):
        return {"int": str(v)}
    if isinstance(v, float):
        return {"float": repr(v)}
    if isinstance(v, str):
        return {"text": v}
    if isinstance(v, list):
        return {"list": [tagged(item) for item in v]}
    if isinstance(v, tuple):
        return {"tuple": [tagged(item) for item in v]}
    if isinstance(v, dict):
        return {"dict": [[key, tagged(item)] for key, item in v.items()]}
    if isinstance(v, datetime.datetime):
        offset = v.utcoffset()
        return {
            "datetime": v.replace(tzinfo=None).isoformat(timespec="microseconds"),
            "offset": None if offset is None else int(offset.total_seconds() // 60),
        }
    if isinstance(v, datetime.date):
        return {"date": v.isoformat()}
    return {"timedelta": str(v // datetime.timedelta(microseconds=1))}


def main():
    cursor = psycopg2.connect("").cursor()
    cases = []
    for index in range(1500):
        named = index % 2 == 0
        sql = statement(named)
        if named:
            given = {key: value() for key in random.sample(["a", "day", "a b", "more"], random.choice([2, 3, 4, 4]))}
        else:
            count = sql.count("%s") + (random.choice([-1, 1]) if random.random() < 0.1 else 0)
            items = [value() for _ in range(max(1, count))]
            given = items if random.random() < 0.5 else tuple(items)
        try:
            bound = cursor.mogrify(sql, given).decode()
        except Exception:
            bound = None
        cases.append([sql, tagged(given), bound])
    rows = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    print(f"[\n{rows}\n]")


main()
