"""Prints the data intervals that the installed Airflow makes of many schedules, one series a line.

Run by generate.sh under each version; merge-schedules.py makes the fixture of both. In a series, `kind` is the
timetable: "interval" (…DataIntervalTimetable) or "trigger" (…TriggerTimetable, Airflow 3's default). Times are
minutes since the epoch. `steps` are the distances from start to start as [distance, how many times] pairs; `ends`
lists [index, minutes from start to end] of each interval whose end is not the next one's start (for triggers: not its
own start). `stopped` says that Airflow itself could not go on after the last interval, `cut` that this script did not.
"""

from __future__ import annotations

import datetime
import json
import sys
from zoneinfo import ZoneInfo

import pendulum
from dateutil.relativedelta import relativedelta

from airflow.timetables import interval as interval_module
from airflow.timetables import trigger as trigger_module
from airflow.timetables.base import DataInterval, TimeRestriction

MAX_INTERVALS = 400

ZONES = {
    # zone: the years whose clock changes are windows
    "UTC": [],
    "+09:00": [],
    "America/New_York": [2024],
    "America/Los_Angeles": [2020],
    "America/St_Johns": [2024],
    "America/Havana": [2024],
    "America/Sao_Paulo": [2018],
    "Europe/Brussels": [2026],
    "Europe/Dublin": [2024],
    "Atlantic/Azores": [2024],
    "Africa/Casablanca": [2024],
    "Asia/Kolkata": [],
    "Australia/Sydney": [2024],
    "Australia/Lord_Howe": [2024],
    "Pacific/Apia": [2011],
}

FINE = [
    "@hourly", "0 * * * *", "30 * * * *", "*/30 * * * *", "*/15 * * * *", "7,37 * * * *",
    "0 */2 * * *", "0 1/4 * * *", "20 */4 * * *", "30 */6 * * *", "0 0-23 * * *", "0 */1 * * *", "0 0/1 * * *",
    "0 7-8 * * *", "0 1-3 * * *", "0 0-22 * * *", "15 1,2,3 * * *", "0,30 2 * * *", "0,30 1 * * *", "*/10 2 * * *",
    "0 * * * 1-5", "0 22-2 * * *", "59 23 * * *", "0 9-17 * * mon-fri",
]
DAILY = [
    "@daily", "@midnight", "0 0 * * *", "30 0 * * *", "0 1 * * *", "30 1 * * *", "0 2 * * *", "30 2 * * *",
    "0 3 * * *", "30 3 * * *", "15 23 * * *", "0 6 * * 1-5", "0 0 * * 0,3", "0 0 */2 * *", "0 5 * * sat,sun",
]
COARSE = [
    "@weekly", "0 0 * * 1", "0 0 * * mon", "0 0 * * 7", "30 2 * * 0", "@monthly", "0 0 1 * *", "0 6 1,15 * *",
    "@quarterly", "@yearly", "@annually", "0 0 1 1 *", "0 0 L * *", "0 0 31 * *", "0 0 30 * *", "0 0 29 2 *",
    "0 0 13 * 5", "0 0 * * 5#2", "0 0 * * fri#1,fri#3", "0 0 * * L5", "0 0 1-7 * mon", "0 0 15,L * *",
    "0 0 * 3,11 0", "0 2 * oct-feb sun", "0 0 1 */3 *", "0 0 * feb mon-fri",
]

DELTAS = {
    "minutes=15": datetime.timedelta(minutes=15),
    "minutes=90": datetime.timedelta(minutes=90),
    "hours=1": datetime.timedelta(hours=1),
    "hours=5": datetime.timedelta(hours=5),
    "hours=6": datetime.timedelta(hours=6),
    "days=1": datetime.timedelta(days=1),
    "days=2,hours=3": datetime.timedelta(days=2, hours=3),
    "weeks=1": datetime.timedelta(weeks=1),
    "seconds=45": datetime.timedelta(seconds=45),
    "relative days=1": relativedelta(days=1),
    "relative weeks=2": relativedelta(weeks=2),
    "relative months=1": relativedelta(months=1),
    "relative months=1,days=1": relativedelta(months=1, days=1),
    "relative years=1": relativedelta(years=1),
}

UTC = datetime.timezone.utc


def tzinfo_of(zone: str):
    """As a DAG gets it: a pendulum zone; a fixed offset comes from a start date with such an offset."""
    if zone[0] in "+-":
        sign = -1 if zone[0] == "-" else 1
        return pendulum.FixedTimezone(sign * (int(zone[1:3]) * 3600 + int(zone[4:6]) * 60))
    return pendulum.timezone(zone)


def changes(zone: str, year: int) -> list[datetime.datetime]:
    """The instants in the year at which the zone's offset changes."""
    info = ZoneInfo(zone)
    found = []
    at = datetime.datetime(year, 1, 1, tzinfo=UTC)
    while at < datetime.datetime(year + 1, 1, 1, tzinfo=UTC):
        later = at + datetime.timedelta(hours=1)
        if at.astimezone(info).utcoffset() != later.astimezone(info).utcoffset():
            minute = at
            while minute.astimezone(info).utcoffset() == at.astimezone(info).utcoffset():
                minute += datetime.timedelta(minutes=1)
            found.append(minute)
        at = later
    return found


def minutes(at) -> float:
    value = at.timestamp() / 60
    return int(value) if value == int(value) else value


def series(timetable, start, until, now):
    """Asks the timetable for one run after the other, as the scheduler does; with `now` set, without catchup."""
    if now is not None:
        interval_module.utcnow = trigger_module.utcnow = lambda: pendulum.instance(now)
    restriction = TimeRestriction(
        earliest=pendulum.instance(start), latest=pendulum.instance(until), catchup=now is None
    )
    found: list[DataInterval] = []
    last = None
    stopped = False
    while len(found) < MAX_INTERVALS:
        try:
            info = timetable.next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
        except Exception as error:  # noqa: BLE001 - whatever stops the scheduler is what is recorded
            print(f"{timetable.summary} {start}: {error!r}", file=sys.stderr)
            stopped = True
            break
        if info is None:
            break
        if last is not None and info.data_interval.start <= last.start:
            print(f"{timetable.summary} {start}: does not advance after {last.start}", file=sys.stderr)
            stopped = True
            break
        last = info.data_interval
        found.append(last)
    return found, stopped


def record(schedule, zone, kind, timetable, start, until, now=None):
    found, stopped = series(timetable, start, until, now)
    steps: list[list[int]] = []
    ends = []
    for index, current in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        if following is not None:
            step = minutes(following.start) - minutes(current.start)
            if steps and steps[-1][0] == step:
                steps[-1][1] += 1
            else:
                steps.append([step, 1])
        expected = current.start if kind == "trigger" else None if following is None else following.start
        if current.end != expected:
            ends.append([index, minutes(current.end) - minutes(current.start)])
    line = {"schedule": schedule, "zone": zone, "kind": kind, "start": minutes(start), "until": minutes(until)}
    if now is not None:
        line["now"] = minutes(now)
    if found:
        line["first"] = minutes(found[0].start)
    if steps:
        line["steps"] = steps
    if ends:
        line["ends"] = ends
    if stopped:
        line["stopped"] = True
    if len(found) == MAX_INTERVALS:
        line["cut"] = True
    return line


def cron_timetables(schedule, zone):
    zone_info = tzinfo_of(zone)
    yield "interval", interval_module.CronDataIntervalTimetable(schedule, zone_info)
    if AIRFLOW_3:
        yield "trigger", trigger_module.CronTriggerTimetable(schedule, timezone=zone_info)


def delta_timetables(delta):
    yield "interval", interval_module.DeltaDataIntervalTimetable(delta)
    if AIRFLOW_3:
        yield "trigger", trigger_module.DeltaTriggerTimetable(delta)


def local(zone, *fields):
    return datetime.datetime(*fields, tzinfo=tzinfo_of(zone)).astimezone(UTC)


def windows(zone):
    """(start, until, fine): fine windows are days around a clock change, the others years."""
    minute = datetime.timedelta(minutes=1)
    day = datetime.timedelta(days=1)
    for year in ZONES[zone]:
        for change in changes(zone, year):
            yield change - 1.5 * day - 17 * minute, change + 1.5 * day, True
            # Start dates right at the change: inside the repeated hour, and where the skipped hour would be.
            for minutes in (-30, 0, 15, 60):
                yield change + minutes * minute, change + day / 2, "edge"
    if not ZONES[zone]:
        yield local(zone, 2024, 3, 1, 0, 0), local(zone, 2024, 3, 3, 12, 0), True
    year = (ZONES[zone] or [2024])[0]
    yield local(zone, year - 1, 11, 30, 5, 17), local(zone, year + 1, 2, 1), False


def cron_lines():
    edge = ["0 * * * *", "*/30 * * * *", "0 0 * * *", "30 1 * * *", "30 2 * * *", "0,30 2 * * *", "20 */4 * * *"]
    for zone in ZONES:
        for start, until, fine in windows(zone):
            schedules = edge if fine == "edge" else FINE + DAILY if fine else COARSE
            for schedule in schedules:
                for kind, timetable in cron_timetables(schedule, zone):
                    yield record(schedule, zone, kind, timetable, start, until)
    for zone in ("UTC", "America/New_York", "Australia/Lord_Howe"):
        start = local(zone, 2024, 1, 15, 10, 5)
        for now in (local(zone, 2024, 3, 10, 12, 0), local(zone, 2024, 11, 4, 0, 0)):
            for schedule in ("@hourly", "@daily", "30 2 * * *", "0 0 * * 1", "*/30 * * * *"):
                for kind, timetable in cron_timetables(schedule, zone):
                    until = now + datetime.timedelta(days=2)
                    yield record(schedule, zone, kind, timetable, start, until, now=now)


def delta_lines():
    for zone in ("UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"):
        starts = [local(zone, 2024, 3, 9, 0, 0), local(zone, 2024, 10, 31, 5, 17), local(zone, 2023, 12, 31, 23, 59)]
        for start in starts:
            for name, delta in DELTAS.items():
                length = 400 if name.startswith("relative") else 6
                until = start + datetime.timedelta(days=length)
                for kind, timetable in delta_timetables(delta):
                    yield record(name, zone, kind, timetable, start, until)
                    now = start + datetime.timedelta(days=100, hours=3, minutes=18)
                    until_later = now + datetime.timedelta(days=length)
                    yield record(name, zone, kind, timetable, start, until_later, now=now)


if __name__ == "__main__":
    from importlib.metadata import version

    AIRFLOW_3 = version("apache-airflow").startswith("3.")
    print(json.dumps({"airflow": version("apache-airflow"), "croniter": version("croniter")}))
    for lines in (cron_lines(), delta_lines()):
        for line in lines:
            print(json.dumps(line))
