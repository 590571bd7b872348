"""Names that the DAG of the corpus gives to its templates: constants, and functions that are one expression."""

import datetime as dt
import json
from datetime import datetime, timedelta

from dateutil.relativedelta import relativedelta

SCHEMA = "mart"
DAYS = 7
RATIO = 2.0


def day_before(ds):
    """The date before."""
    return (datetime.strptime(ds, "%Y-%m-%d") - timedelta(days=1)).strftime("%Y-%m-%d")


def days_back(ds, days=DAYS):
    moved = datetime.strptime(ds, "%Y-%m-%d") - timedelta(days=days)
    return moved.strftime("%Y-%m-%d")


def partition(table, ds):
    return f"{SCHEMA}.{table}${ds.replace('-', '')}"


def quoted(value, mark="'"):
    return mark + str(value).replace(mark, mark + mark) + mark


def previous_month(at):
    return (at - relativedelta(months=1)).replace(day=1).strftime("%Y-%m-%d")


def looped(days):
    result = []
    for day in range(days):
        result.append(day)
    return result


MACROS = {
    "own_schema": SCHEMA,
    "own_days": DAYS,
    "own_ratio": RATIO,
    "own_half": DAYS / 7,
    "own_small": 0.25,
    "own_tables": ["orders", "items"],
    "own_settings": {"schema": "mart", "keys": {"orders": "id"}, "days": 3, "on": True, "none": None},
    "own_day_before": day_before,
    "own_days_back": days_back,
    "own_partition": partition,
    "own_previous_month": previous_month,
    "own_looped": looped,
    "own_hour": lambda at: f"{at:%Y-%m-%d %H}:00",
    "own_pair": lambda a, b: (a, b),
    "own_first_of_month": lambda at: at.replace(day=1).strftime("%Y-%m-%d"),
    "own_twice": lambda text: text + text,
    "own_either": lambda a, b=None: a if b == None else b,  # noqa: E711
    "own_year": lambda ds: ds[:4],
    "own_head": lambda ds, n: ds[:n],
    "own_sum": lambda a, b: a * 2 + b % 3 - -1,
    "own_length": lambda text: len(text),
    "own_local": lambda at: at.in_timezone("Europe/Berlin").strftime("%Y-%m-%d %H:%M"),
    "own_is_first": lambda at: at.day == 1,
    "own_not": lambda a, b: not a and b or "neither",
    "own_dumps": lambda value: json.dumps(value),
    "own_now": lambda: datetime.now(),
    "own_item": lambda table: SETTINGS["keys"][table],
    "timedelta": timedelta,
    "datetime": datetime,
    "dt": dt,
    "ds": "shadowed by the context",
    "range": lambda n: f"range of {n}",
}
SETTINGS = {"keys": {"orders": "id", "items": "order_id"}}

FILTERS = {
    "own_quoted": quoted,
    "own_plus": lambda ds, days: days_back(ds, -days),
    "own_loop": looped,
    "upper": lambda text: "<" + text + ">",
}
