"""The templates of the corpus: the kinds of expression and SQL file that Airflow projects hold.

COMMON must be rendered exactly; of OTHER, each one must be rendered exactly or refused by name.
"""

from files import MORE_FILES
from own_templates import MODULES, OWN_COMMON, OWN_OTHER  # noqa: F401

PARAMS = {
    "table": "orders",
    "schema": "mart",
    "days": 7,
    "limit": 1000,
    "ratio": 0.5,
    "flag": True,
    "off": False,
    "nothing": None,
    "columns": ["id", "amount", "note"],
    "ids": [1, 2, 3],
    "mapping": {"orders": "id", "items": "order_id"},
    "quoted": "it's",
    "empty": "",
    "pattern": "100%",
    "nested": {"a": {"b": ["x", {"c": 1}]}},
    "umlaut": "Größe",
}

VARIABLES = {"target_schema": "mart", "lookback": "3", "percent": "50%"}
JSON_VARIABLES = {"settings": {"schema": "mart", "tables": ["orders", "items"], "days": 3, "on": True}}

# data interval, zone and schedule of the DAG: the schedule gives this interval
CASES = [
    {"start": "2024-03-04T00:00:00Z", "end": "2024-03-05T00:00:00Z", "zone": "UTC", "schedule": "0 0 * * *"},
    {"start": "2024-02-28T23:00:00Z", "end": "2024-02-29T23:00:00Z", "zone": "Europe/Berlin", "schedule": "0 0 * * *"},
    {"start": "2024-03-10T07:30:00Z", "end": "2024-03-11T06:30:00Z", "zone": "America/New_York", "schedule": "30 2 * * *"},
    {"start": "2023-12-31T13:05:09Z", "end": "2024-01-01T13:05:09Z", "zone": "UTC", "schedule": None},
    {"start": "2024-10-27T00:30:00Z", "end": "2024-10-27T01:30:00Z", "zone": "Europe/Berlin", "schedule": "30 * * * *"},
    {"start": "2024-12-30T00:00:00Z", "end": "2025-01-06T00:00:00Z", "zone": "Asia/Kolkata", "schedule": "30 5 * * 1"},
]

DATETIMES = ["logical_date", "data_interval_start", "data_interval_end"]
OLD_DATETIMES = ["execution_date", "next_execution_date"]

COMMON_EXPRESSIONS = [
    "ds", "ds_nodash", "ts", "ts_nodash", "ts_nodash_with_tz",
    *DATETIMES, *OLD_DATETIMES,
    "next_ds", "next_ds_nodash", "yesterday_ds", "yesterday_ds_nodash", "tomorrow_ds", "tomorrow_ds_nodash",
    "macros.ds_add(ds, 1)", "macros.ds_add(ds, -1)", "macros.ds_add(ds, -7)", "macros.ds_add(ds, 0)",
    "macros.ds_add(ds, days=-30)", "macros.ds_add(ds, params.days)", "macros.ds_add(ds, -params.days)",
    "macros.ds_add(yesterday_ds, -1)", "macros.ds_add(next_ds, -1)",
    "macros.ds_format(ds, '%Y-%m-%d', '%Y%m%d')", "macros.ds_format(ds, '%Y-%m-%d', '%d/%m/%Y')",
    "macros.ds_format(ds, '%Y-%m-%d', '%Y-%m-01')", "macros.ds_format(ds, '%Y-%m-%d', '%Y')",
    "macros.ds_format(ds_nodash, '%Y%m%d', '%Y-%m-%d')", 'macros.ds_format(ds, "%Y-%m-%d", "%B %d, %Y")',
    "macros.ds_format(macros.ds_add(ds, -1), '%Y-%m-%d', '%Y%m%d')",
    "macros.ds_format(ts_nodash, '%Y%m%dT%H%M%S', '%H:%M')",
    "params.table", "params.schema", "params.days", "params['table']", "params.get('table')",
    "params.get('missing', 'orders')", "params.limit", "params.flag", "params.columns[0]", "params.mapping.orders",
    "var.value.target_schema", "var.value.lookback", "var.json.settings.schema", "var.json.settings['tables'][0]",
    "var.value.get('target_schema')", "var.value.get('missing', 'public')", "var.json.settings.days",
    "data_interval_start | ds", "data_interval_end | ds", "data_interval_start | ds_nodash",
    "logical_date.naive()", "data_interval_start.naive()", "data_interval_end.naive()", "data_interval_end.naive().isoformat()",
    "data_interval_start.naive().strftime('%Y-%m-%d %H:%M:%S')", "data_interval_start.naive() | ds", "data_interval_end.naive() | ts",
    "data_interval_start.naive().date()", "data_interval_start.naive() - macros.timedelta(days=1)", "data_interval_end.subtract(hours=1).naive()",
    "logical_date.in_timezone('Europe/Berlin').naive()", "data_interval_start.in_timezone('America/New_York').naive().isoformat()", "'{}'.format(data_interval_start.naive())",
    "data_interval_end | ts", "data_interval_start | ts_nodash", "data_interval_end | ts_nodash_with_tz",
    "logical_date | ds", "logical_date | ts", "execution_date | ds",
    "logical_date.strftime('%Y-%m-%d')", "logical_date.strftime('%Y%m%d%H')", "logical_date.strftime('%Y-%m-%d %H:%M:%S')",
    "data_interval_start.strftime('%Y-%m-%dT%H:%M:%SZ')", "data_interval_end.strftime('%Y/%m/%d')",
    "execution_date.strftime('%Y-%m-%d')", "logical_date.isoformat()", "data_interval_start.isoformat()",
    "logical_date.subtract(days=1)", "logical_date.subtract(days=1) | ds", "logical_date.subtract(days=7).strftime('%Y-%m-%d')",
    "data_interval_start.subtract(hours=1)", "data_interval_end.add(days=1) | ds", "data_interval_start.add(months=1) | ds",
    "data_interval_start.subtract(months=1) | ds", "data_interval_end.subtract(weeks=1) | ts",
    "execution_date.subtract(days=1).strftime('%Y-%m-%d')",
    "logical_date + macros.timedelta(days=1)", "(logical_date + macros.timedelta(days=1)) | ds",
    "(logical_date - macros.timedelta(days=7)).strftime('%Y-%m-%d')", "(execution_date - macros.timedelta(days=1)) | ds",
    "(data_interval_end - macros.timedelta(hours=3)).isoformat()", "logical_date + macros.timedelta(1)",
    "(data_interval_end - macros.timedelta(seconds=1)).strftime('%Y-%m-%d %H:%M:%S')",
    "logical_date.date()", "logical_date.to_date_string()", "data_interval_start.to_datetime_string()",
    "logical_date.start_of('month') | ds", "data_interval_start.start_of('day')", "logical_date.end_of('month') | ds",
    "logical_date.start_of('week') | ds", "logical_date.start_of('year') | ds",
    "logical_date.replace(day=1) | ds", "logical_date.replace(day=1).strftime('%Y-%m-%d')",
    "logical_date.replace(hour=0, minute=0, second=0)", "execution_date.replace(day=1).date()",
    "data_interval_start.int_timestamp", "data_interval_end.timestamp()", "data_interval_end.timestamp() | int",
    "data_interval_start.in_timezone('Europe/Berlin') | ds", "data_interval_start.in_timezone('America/New_York')",
    "logical_date.in_timezone('Asia/Tokyo').strftime('%Y-%m-%d %H:%M')", "data_interval_end.in_tz('Europe/Berlin').isoformat()",
    "logical_date.format('YYYY-MM-DD')", "logical_date.format('YYYYMMDD')", "data_interval_start.format('YYYY-MM-DD HH:mm:ss')",
    "logical_date.year", "logical_date.month", "logical_date.day", "logical_date.hour",
    "ds[:4]", "ds[:7]", "ds[5:7]", "ds[8:]", "ds[-2:]", "ts[:19]", "ts[:10]", "ds_nodash[:6]", "ds_nodash[0:4]",
    "ds.replace('-', '')", "ds.replace('-', '/')", "ds | replace('-', '')", "ts | replace('T', ' ')", "ts.replace('T', ' ')",
    "ds ~ ' 00:00:00'", "ds + 'T00:00:00'", "'dt=' ~ ds", "ds.split('-')[0]", "ds.split('-') | join('/')",
    "dag.dag_id", "task.task_id", "ti.task_id", "task_instance_key_str", "dag_run.logical_date", "dag_run.logical_date | ds",
    "macros.datetime.strptime(ds, '%Y-%m-%d')", "macros.datetime.strptime(ds, '%Y-%m-%d').strftime('%d.%m.%Y')",
    "(macros.datetime.strptime(ds, '%Y-%m-%d') - macros.timedelta(days=1)).strftime('%Y-%m-%d')",
    "(macros.datetime.strptime(ds, '%Y-%m-%d') + macros.timedelta(days=1)).date()",
    "params.columns | join(', ')", "params.ids | join(',')", "params.table | upper", "params.get('missing', 3) + 1",
    "params.days * 2", "'yes' if params.flag else 'no'", "params.table if params.off else 'none'",
    "params.missing | default('x')", "params.ids | length", "[1, 2, 3] | join('-')",
]

OTHER_EXPRESSIONS = [
    "prev_ds", "prev_ds_nodash", "prev_execution_date", "prev_data_interval_start_success", "prev_start_date_success",
    "run_id", "dag_run.run_id", "dag_run.conf", "dag_run.conf.get('x', 'y')", "ti.xcom_pull(task_ids='a')", "ti.try_number",
    "dag_run.execution_date", "dag_run.data_interval_start", "dag_run.data_interval_end | ds", "dag_run.logical_date.isoformat()",
    "dag_run.logical_date.subtract(days=1)", "dag_run.logical_date.strftime('%Y-%m-%d')", "dag_run.logical_date + macros.timedelta(days=1)",
    "dag_run.logical_date.replace(day=1)", "dag_run.logical_date.date()", "dag_run.data_interval_start.timestamp()",
    "undefined_name", "params.missing", "params['missing']", "var.value.missing", "var.json.missing", "conn.warehouse.host",
    "macros.random()", "macros.uuid.uuid4()", "macros.time.time()", "macros.datetime.now()", "macros.datetime.utcnow()",
    "macros.datetime.today()", "macros.missing(ds)", "macros.datetime", "macros", "params", "var", "dag", "task", "ti",
    "logical_date.strftime('%Z')", "logical_date.strftime('%c')", "logical_date.strftime('%s')", "logical_date.strftime('%-d/%-m')",
    "logical_date.strftime('%j %U %W %V %G %u %w')", "logical_date.strftime('%a %A %b %B %p %I %y')", "logical_date.strftime('%z')",
    "logical_date.strftime('%f')", "logical_date.strftime('%F %T %R %D %e %h %C')", "logical_date.strftime('100%%')",
    "logical_date.strftime('%')", "logical_date.strftime('%Q')", "logical_date.strftime('')", "logical_date.strftime(params.pattern)",
    "logical_date.in_timezone('Europe/Berlin').strftime('%z')", "logical_date.in_timezone('Europe/Berlin').strftime('%Z')",
    "logical_date.in_timezone('Nowhere/Land')", "logical_date.in_timezone('+02:00')", "logical_date.in_timezone('UTC') | ts",
    "logical_date.in_timezone('Europe/Berlin').subtract(days=1)", "logical_date.in_timezone('America/New_York').add(days=1)",
    "logical_date.in_timezone('America/New_York').add(hours=24)", "logical_date.in_timezone('America/New_York').add(days=1, hours=1)",
    "logical_date.in_timezone('America/New_York') + macros.timedelta(days=1)", "logical_date.in_timezone('America/New_York').start_of('day')",
    "logical_date.in_timezone('Europe/Berlin').start_of('month')", "logical_date.in_timezone('Europe/Berlin').end_of('day')",
    "logical_date.in_timezone('Europe/Berlin').date()", "logical_date.in_timezone('Europe/Berlin').replace(hour=2, minute=30)",
    "logical_date.in_timezone('America/New_York').replace(hour=1, minute=30)", "data_interval_end.in_timezone('Europe/Berlin').hour",
    "logical_date.in_timezone('America/New_York').subtract(months=4)", "logical_date.in_timezone('Europe/Berlin').set(hour=0)",
    "logical_date.in_timezone('Europe/Berlin').timezone_name", "logical_date.astimezone()", "logical_date.timezone_name", "logical_date.tzinfo",
    "logical_date.in_timezone('Europe/Berlin').int_timestamp", "logical_date.in_timezone('Europe/Berlin') | ts_nodash_with_tz",
    "logical_date.in_timezone('Europe/Berlin').to_iso8601_string()", "logical_date.in_timezone('Asia/Kolkata').format('YYYY-MM-DDTHH:mm:ssZ')",
    "logical_date.add(days=-1)", "logical_date.add(years=1, months=1, days=1, hours=1, minutes=1, seconds=1)", "logical_date.add(1)",
    "logical_date.subtract(seconds=90)", "logical_date.subtract(months=1)", "data_interval_end.subtract(months=1)", "logical_date.add(weeks=2)",
    "logical_date.add(fortnights=1)", "logical_date.add(days=1.5)", "logical_date.add()", "logical_date.subtract(days='1')",
    "logical_date.subtract(days=params.days)", "logical_date.add(months=12).year", "data_interval_end.add(months=-12) | ds",
    "logical_date.start_of('hour')", "logical_date.start_of('minute')", "logical_date.start_of('decade')", "logical_date.start_of('quarter')",
    "logical_date.end_of('day')", "logical_date.end_of('hour').isoformat()", "logical_date.end_of('week') | ds", "logical_date.end_of('year') | ts",
    "logical_date.end_of('month').strftime('%Y-%m-%d %H:%M:%S')", "logical_date.end_of('month').strftime('%f')", "logical_date.end_of('day').add(days=1)",
    "logical_date.first_of('month')", "logical_date.last_of('month')", "logical_date.first_of('quarter') | ds", "logical_date.last_of('year') | ds",
    "logical_date.last_of('quarter') | ds", "logical_date.first_of('month', 0)", "logical_date.first_of('week')",
    "logical_date.replace(month=1, day=1) | ds", "logical_date.replace(day=31)", "logical_date.replace(day=28)", "logical_date.replace(year=2020)",
    "logical_date.replace(microsecond=5)", "logical_date.replace(minute=0, second=0)", "logical_date.replace(day=1, hour=0, minute=0, second=0, microsecond=0)",
    "logical_date.replace(2020)", "logical_date.replace(tzinfo=none)", "logical_date.set(day=1)", "logical_date.at(3, 4, 5)", "logical_date.on(2020, 1, 2)",
    "logical_date.naive().subtract(days=1)", "logical_date.naive().add(months=1, hours=2)", "logical_date.naive().start_of('month')", "logical_date.naive().end_of('day')", "logical_date.naive().format('YYYY-MM-DD HH:mm')", "logical_date.naive().format('YYYY-MM-DD Z')", "logical_date.naive().to_date_string()", "logical_date.naive().to_datetime_string()", "logical_date.naive().to_iso8601_string()", "logical_date.naive().in_timezone('Europe/Berlin')", "logical_date.naive().in_timezone('UTC')",
    "logical_date.naive().naive()", "logical_date.naive(1)", "logical_date.naive", "logical_date.naive().int_timestamp", "logical_date.naive().timestamp()", "logical_date.naive().year", "logical_date.naive().replace(day=1)", "logical_date.naive().strftime('%z')", "logical_date.naive().isoformat(' ')", "logical_date.naive() | ts_nodash", "logical_date.naive() | ts_nodash_with_tz", "[logical_date.naive()]", "logical_date.naive() == logical_date", "logical_date.naive() < data_interval_end", "logical_date.naive() < data_interval_end.naive()",
    "data_interval_end.naive() - data_interval_start.naive()", "(data_interval_end.naive() - data_interval_start.naive()).days", "data_interval_end - data_interval_start.naive()", "data_interval_end.naive().diff(data_interval_start.naive()).in_hours()", "data_interval_end.naive().diff(data_interval_start).in_hours()", "logical_date.naive() + macros.dateutil.relativedelta.relativedelta(months=1)", "logical_date.end_of('day').naive()", "logical_date.in_timezone('America/New_York').naive().add(days=1)", "logical_date.in_timezone('America/New_York').naive().replace(hour=2, minute=30)", "logical_date.naive() | string", "logical_date.naive() ~ 'Z'", "logical_date.naive().tzinfo", "macros.ds_format(logical_date.naive(), '%Y-%m-%d %H:%M:%S', '%d')", "macros.datetime.strptime(ds, '%Y-%m-%d').naive()", "logical_date.date().naive()", "logical_date.naive().set(hour=3)", "logical_date.naive().at(3)", "logical_date.naive().last_of('month')", "logical_date.naive().quarter",
    "logical_date.date().isoformat()", "logical_date.date().strftime('%Y%m%d')", "logical_date.date().replace(day=1)",
    "logical_date.date() - macros.timedelta(days=1)", "logical_date.date().subtract(days=1)", "logical_date.date() | ds", "logical_date.date() | ts", "logical_date.date() | ts_nodash",
    "logical_date.date() | ds_nodash", "logical_date.date().year", "logical_date.date().weekday()", "logical_date.time()",
    "logical_date.weekday()", "logical_date.isoweekday()", "logical_date.day_of_week", "logical_date.day_of_year", "logical_date.week_of_year",
    "logical_date.quarter", "logical_date.days_in_month", "logical_date.is_leap_year()", "logical_date.week_of_month", "logical_date.minute",
    "logical_date.second", "logical_date.microsecond", "logical_date.float_timestamp", "logical_date.timestamp() * 1000", "(logical_date.timestamp() * 1000) | int",
    "logical_date.int_timestamp * 1000", "logical_date.int_timestamp // 86400", "logical_date.int_timestamp % 7", "logical_date.int_timestamp / 2",
    "logical_date.isocalendar()", "logical_date.isocalendar()[1]", "logical_date.isoformat(' ')", "logical_date.isoformat(timespec='minutes')", "logical_date.ctime()",
    "logical_date.to_iso8601_string()", "logical_date.to_time_string()", "logical_date.to_atom_string()", "logical_date.to_rfc3339_string()",
    "logical_date.to_day_datetime_string()", "logical_date.to_formatted_date_string()", "logical_date.to_rfc822_string()", "logical_date.diff_for_humans()",
    "logical_date.format('dddd, MMMM Do YYYY')", "logical_date.format('ddd DD MMM YY')", "logical_date.format('[week] WW')", "logical_date.format('h:mm A')",
    "logical_date.format('D/M/YYYY')", "logical_date.format('HH[h]mm')", "logical_date.format('X')", "logical_date.format('x')", "logical_date.format('Q')",
    "logical_date.format('YYYY-MM-DD[T]HH:mm:ss.SSSSSSZ')", "logical_date.format('YYYY-MM-DD\\\\THH:mm:ssZZ')", "logical_date.format('%Y-%m-%d')", "logical_date.format('LLLL')",
    "logical_date.format('E d DDD DDDD')", "logical_date.format('SSS')", "logical_date.format('z')", "logical_date.format('YYYY-MM-DD', locale='de')", "logical_date.format('H:m:s')",
    "macros.ds_add('2015-01-01', 5)", "macros.ds_add('bad', 5)", "macros.ds_add('bad', 0)", "macros.ds_add(ds, '5')", "macros.ds_add(ds, 1.5)", "macros.ds_add(ds)", "macros.ds_add(ds, none)",
    "macros.ds_add(ts, 1)", "macros.ds_add(logical_date, 0)", "macros.ds_add(logical_date, 1)", "macros.ds_add(ds_nodash, 1)", "macros.ds_add(ds, 365)", "macros.ds_add(ds=ds, days=2)",
    "macros.ds_add(logical_date | ds, 1)", "macros.ds_add(ds, 1) | replace('-', '')", "macros.ds_add(ds, 1).replace('-', '')", "macros.ds_add(ds, days=days)",
    "macros.ds_format('1/5/2015', '%m/%d/%Y', '%Y-%m-%d')", "macros.ds_format(ts, '%Y-%m-%dT%H:%M:%S+00:00', '%H')", "macros.ds_format(ts, '%Y-%m-%dT%H:%M:%S%z', '%H')",
    "macros.ds_format(ds, '%Y%m%d', '%Y')", "macros.ds_format('Jan 5 2015', '%b %d %Y', '%F')", "macros.ds_format('2015-01-01 10:20', '%Y-%m-%d %H:%M', '%I:%M %p')",
    "macros.ds_format('15-1-1', '%y-%m-%d', '%Y-%m-%d')", "macros.ds_format('69-1-1', '%y-%m-%d', '%Y')", "macros.ds_format('2015001', '%Y%j', '%Y-%m-%d')", "macros.ds_format('20150230', '%Y%m%d', '%Y')",
    "macros.ds_format('2015-01-01  x', '%Y-%m-%d x', '%Y')", "macros.ds_format('2015-01-01 x', '%Y-%m-%d  x', '%Y')", "macros.ds_format('1.5', '%S.%f', '%f')", "macros.ds_format('3 PM', '%I %p', '%H')",
    "macros.ds_format('12 am', '%I %p', '%H')", "macros.ds_format('JANUARY 5', '%B %d', '%m-%d')", "macros.ds_format('2024 29 2', '%Y %d %m', '%F')", "macros.ds_format('100', '%H%M', '%H:%M')",
    "macros.ds_format(ds, '%Y-%m-%d', '%A %d %B %Y')", "macros.ds_format(ds, '%Y-%m-%d', 'week %V')", "macros.ds_format(ds, '%Y-%m-%d', '%q')", "macros.ds_format(ds)", "macros.ds_format(ds, '%F', '%Y')",
    "macros.ds_format(logical_date, '%Y-%m-%d %H:%M:%S+00:00', '%d')", "macros.ds_format(ds_nodash, '%Y%m%d', '%s')", "macros.ds_format_locale(ds, '%Y-%m-%d', 'dd/MM/yyyy')",
    "macros.datetime(2024, 1, 2)", "macros.datetime(2024, 1, 2, 3, 4, 5)", "macros.datetime(2024, 1, 2).isoformat()", "macros.datetime(2024, 13, 2)", "macros.datetime(year=2024, month=2, day=29) + macros.timedelta(days=365)",
    "macros.datetime.fromisoformat(ts)", "macros.datetime.fromisoformat(ds)", "macros.datetime.fromisoformat('2024-01-01T10:00')", "macros.datetime.fromisoformat('nope')", "macros.datetime.strptime(ts_nodash, '%Y%m%dT%H%M%S')",
    "macros.datetime.strptime(ts_nodash_with_tz, '%Y%m%dT%H%M%S%z')", "macros.datetime.strptime(ds, '%Y-%m-%d').timestamp()", "macros.datetime.strptime(ds, '%Y-%m-%d').weekday()", "macros.datetime.strptime(ds, '%Y-%m-%d').isoformat()",
    "macros.datetime.strptime(ds, '%Y-%m-%d').replace(day=1).strftime('%F')", "macros.datetime.strptime(ds, '%Y-%m-%d').subtract(days=1)", "macros.datetime.strptime(ds, '%Y-%m-%d') | ds", "macros.datetime.strptime(ds, '%Y-%m-%d') | ts",
    "macros.datetime.strptime('2024-01-01 10:00:00.123456', '%Y-%m-%d %H:%M:%S.%f')", "macros.datetime.fromtimestamp(0)", "macros.datetime.combine(logical_date, logical_date)",
    "macros.timedelta(days=1)", "macros.timedelta(days=2, hours=3)", "macros.timedelta(hours=-1)", "macros.timedelta(days=1).total_seconds()", "macros.timedelta(days=1, hours=2).days", "macros.timedelta(1, 2)", "macros.timedelta(minutes=1.5)",
    "macros.timedelta(days=1) * 3", "-macros.timedelta(hours=30)", "macros.timedelta(days=1) + macros.timedelta(hours=1)", "macros.timedelta(weeks=1)", "macros.timedelta(days='1')", "macros.timedelta(hours=36).seconds", "macros.timedelta(milliseconds=5)",
    "logical_date + 1", "logical_date - macros.timedelta(days=1) * 2", "macros.timedelta(days=1) + logical_date", "logical_date - logical_date", "data_interval_end - data_interval_start", "(data_interval_end - data_interval_start).days",
    "(data_interval_end - data_interval_start).total_seconds()", "(data_interval_end - data_interval_start).total_seconds() // 3600", "(data_interval_end - data_interval_start).in_days()", "(data_interval_end - data_interval_start).in_hours()", "data_interval_end.diff(data_interval_start).in_days()",
    "logical_date < data_interval_end", "logical_date == data_interval_start", "ds == '2024-03-04'", "ds > '2024-03-01'", "ds < tomorrow_ds", "logical_date > ds", "logical_date == 1", "ds in ['2024-03-04', '2024-02-29']", "'2024' in ds", "'03-04' not in ds",
    "logical_date + macros.dateutil.relativedelta.relativedelta(months=1)", "(logical_date - macros.dateutil.relativedelta.relativedelta(months=1, day=1)) | ds", "macros.dateutil.parser.parse(ds)", "logical_date.date() + macros.dateutil.relativedelta.relativedelta(days=1)",
    "macros.json.dumps(params.ids)", "macros.json.dumps(params.mapping)", "macros.json.loads('[1, 2]')[0]", "macros.yaml", "macros.time.strftime('%Y')",
    "ds[0]", "ds[-1]", "ds[::2]", "ds[::-1]", "ds[4]", "ds[100]", "ds[100:]", "ds[2:100]", "ds['x']", "ds[1.5]", "ds[:-3]", "ts[11:13]", "ts[-6:]", "ds_nodash | int", "ds_nodash | int + 1", "(ds_nodash | int) - 1", "'abc' | int", "'abc' | int(5)", "'12.7' | int", "12.7 | int", "'0x1A' | int", "none | int",
    "params.columns[1:]", "params.columns[-1]", "params.columns[9]", "params.columns | first", "params.columns | last", "params.columns | length", "params.columns | count", "params.empty | first", "params.columns", "params.ids", "params.mapping", "params.nested", "params.nested.a.b[1].c", "params['nested']['a']['b'][0]",
    "params.flag", "params.off", "params.nothing", "params.ratio", "params.quoted", "params.empty", "params.pattern", "params.umlaut", "params.umlaut | upper", "params.umlaut | length", "params.quoted | replace(\"'\", \"''\")", "params.columns | list", "[params.quoted]", "[params.umlaut]",
    "params.columns | join", "params.columns | join(\"', '\")", "params.ids | join(', ')", "params.mapping | join(',')", "params.columns | map('upper') | join(',')", "params.columns | sort | join(',')", "params.columns | reverse | join(',')", "params.columns | unique | join(',')", "params.ids | sum", "params.ids | max", "params.ids | min", "params.mapping | tojson", "params.columns | tojson", "params.quoted | tojson", "params.umlaut | tojson", "params.nested | tojson", "params.ratio | tojson",
    "params.mapping.items() | list", "params.mapping.keys() | join(',')", "params.mapping.values() | join(',')", "params.mapping.get('orders')", "params.mapping.get('none')", "params.mapping.get('none', 'd')", "params.mapping['orders']", "params.mapping | length", "params.columns.index('note')", "params.columns.append('x')", "params.columns + ['z']", "params.ids + params.ids", "'id' in params.columns", "'x' not in params.mapping", "params.items", "params.keys() | list",
    "params.table.upper()", "params.table.title()", "params.table.capitalize()", "params.table | capitalize", "params.table | title", "params.table | length", "params.table | trim", "'  x '.strip()", "' x'.lstrip()", "'x '.rstrip()", "'xxaxx'.strip('x')", "'a-b-c'.split('-')", "'a b  c'.split()", "'a-b-c'.split('-', 1)", "'a-b-c'.rsplit('-', 1)[0]", "'-'.join(['a', 'b'])", "'-'.join(params.ids)", "'5'.zfill(3)", "'5'.rjust(3, '0')", "'5'.ljust(3, '0')", "'a'.center(3)", "'abc'.startswith('a')", "'abc'.endswith(('b', 'c'))", "'abc'.find('c')", "'abcabc'.count('b')", "'abc'.index('z')", "'ABC'.lower()", "'aBc'.swapcase()", "'abc'.isdigit()", "'{}-{}'.format(1, 'a')", "'{0}{1}{0}'.format('a', 'b')", "'{x}'.format(x=ds)", "'{:02d}'.format(5)", "'{:>4}'.format('a')", "'{:%Y}'.format(logical_date)", "'{{}}'.format()", "'%s-%s' % ('a', 1)", "'%02d' % 5", "'%s' % ds", "'%d%%' % 5", "'%s' | format(ds)", "'%s_%03d' | format('a', 7)", "'abc'.removeprefix('a')", "'abc'.removesuffix('c')", "'abc'.partition('b')", "'abc'.replace('b', '', 1)", "'aaa'.replace('a', 'b', 2)", "'aaa' | replace('a', 'b', 2)", "'abc'.replace('', '-')", "'abc' | upper | lower", "'a' * 3", "'a' + 1", "'a' ~ 1", "1 ~ 2.0 ~ none ~ true", "'abc'.encode()", "'abc'.__class__", "''.__class__.__mro__",
    "1 + 1", "7 // 2", "-7 // 2", "7 % 3", "-7 % 3", "7 / 2", "6 / 2", "2 ** 10", "2 ** -1", "2 ** 0.5", "1.0", "1.5 + 1", "0.1 + 0.2", "1e16", "1e-5", "123456789012345678901234567890", "1_000", "0x10", "10 // 3.0", "1 / 0", "1 % 0", "-5 | abs", "(-5) | abs", "3.7 | round", "3.14159 | round(2)", "2.5 | round", "3 | float", "'1.5' | float", "'x' | float", "5 | string", "true", "True", "false", "none", "None", "not true", "not 0", "1 if 0", "'a' if 1", "1 if 0 else 2 if 0 else 3", "1 == 1.0", "1 != 2", "1 < 2 < 3", "1 < 2 > 5", "1 in [1, 2]", "1 and 2", "0 and 2", "0 or 2", "'' or 'x'", "none or 'x'", "1 == true", "[1, 'a', none, true, 1.5]", "(1, 2)", "(1,)", "()", "{'a': 1}", "{'a': [1, 'b']}", "{}", "[]", "1, 2", "[[1], (2, 3)]", "\"a'b\"", "['a\\'b']", "['a\"b']", "['\\\\']", "'\\n'", "'\\x41\\u00e9'", "'a' 'b'", "'\\q'", "'tab\\there'",
    "params.missing | d('x')", "params.nothing | default('x')", "params.nothing | default('x', true)", "params.empty | default('x', true)", "missing | default(ds)", "missing is defined", "params.table is defined", "params.missing is defined", "ds is string", "params.days is number", "params.mapping is mapping", "params.columns is iterable", "params.columns is sequence", "params.nothing is none", "params.table is not none", "params.days is odd", "params.days is divisibleby 7", "params.days is divisibleby(3)", "params.table is in ['orders']", "params.days is even", "params.flag is true", "params.off is false", "params.flag is boolean", "params.days is integer", "params.ratio is float", "params.days is eq 7", "params.days is gt 3", "ds is undefined", "logical_date is defined", "1 is foo",
    "range(3) | list", "range(1, 4) | join(',')", "range(0, 10, 5) | list", "range(3)", "dict(a=1)", "namespace(a=1).a", "lipsum()", "cycler('a')", "joiner(',')", "self", "loop", "caller()", "ds | foo", "ds | safe", "ds | e", "'<a>' | e", "ds | upper", "ds | title", "ds | wordcount", "ds | indent", "ds | truncate(4)", "ds | center(20)", "ds | reverse", "ds | list", "ds | batch(2) | list", "ds | ds", "ts | ts", "ds | length", "ds | trim('2')", "ds | string", "logical_date | string", "logical_date | replace('-', '/')", "logical_date | upper", "logical_date | length", "logical_date | int", "logical_date | default('x')", "logical_date ~ ''", "'a' ~ logical_date ~ 'b'", "logical_date | string | replace(' ', 'T')", "(logical_date | string)[:10]", "[logical_date]", "(ds, ts)", "logical_date | tojson", "ds | tojson",
    "ds ~ 'T' ~ '00:00:00'", "\"'\" ~ ds ~ \"'\"", "ds.upper()", "ds.foo", "ds.foo()", "ds()", "foo.bar.baz", "foo()", "ds | replace('-')", "ds | replace", "ds.replace('-')", "logical_date.foo", "logical_date.foo()", "logical_date['year']", "logical_date | attr('year')", "dag.schedule_interval", "dag.timezone", "dag['dag_id']", "ti.dag_id", "task_instance.task_id", "task.owner", "ti.execution_date", "ti.start_date", "conf.get('core', 'dags_folder')", "test_mode", "inlets", "dag_run", "dag_run.dag_id", "dag_run.run_type", "dag_run.external_trigger", "next_execution_date.subtract(days=1) | ds", "next_execution_date | ts", "data_interval_start.date() == data_interval_end.date()", "(logical_date.in_timezone('Europe/Berlin') - logical_date).total_seconds()", "logical_date.in_timezone('Europe/Berlin') == logical_date", "logical_date.diff(data_interval_end).in_hours()", "var.json.settings", "var.json.settings.on", "var.json.get('settings').days", "var.json.get('missing', {'a': 1}).a", "var.value.percent", "var.value.get('missing')", "var.value.lookback | int + 1", "var['value']['target_schema']", "var.value['target_schema']",
    "ds if ds else", "ds |", "| ds", "ds ds", "(ds", "ds)", "ds.", "macros.ds_add(ds, ", "'abc", "{{ ds }}", "1 +", "* 2", "a b c", "", "ds; ts", "@", "ds $ ts", "a.1", "a..b", "not", "x is", "[1, 2", "{'a'}", "ds is not", "ds[", "ds[1:2:3:4]", "f(a=1, 2)", "f(**x)", "f(*x)",
]


def expression(source):
    return "{{ " + source + " }}"


COMMON_TEMPLATES = [
    "delete from {{ params.schema }}.{{ params.table }} where day = '{{ ds }}';\ninsert into mart.sales\nselect * from raw.orders where created_at >= '{{ data_interval_start }}' and created_at < '{{ data_interval_end }}';\n",
    "SELECT * FROM {{ var.value.target_schema }}.t WHERE d BETWEEN '{{ macros.ds_add(ds, -7) }}' AND '{{ ds }}'",
    "{# nightly load #}\nselect 1\n{# it's done #}\n",
    "{% set table = params.schema ~ '.' ~ params.table %}\ndelete from {{ table }} where ds = '{{ ds }}';\n",
    "{%- set lookback = 3 -%}\nselect * from t where d >= '{{ macros.ds_add(ds, -lookback) }}'\n",
    "select\n{% for c in params.columns %}  {{ c }}{% if not loop.last %},{% endif %}\n{% endfor %}from t\n",
    "select {% for c in params.columns -%}\n  {{ c }}{{ ', ' if not loop.last }}\n{%- endfor %} from t",
    "select * from t {% if params.flag %}where x = 1{% else %}where x = 2{% endif %}",
    "select * from t\n{%- if params.off %}\nwhere x = 1\n{%- elif params.days > 3 %}\nwhere x = 2\n{%- else %}\nwhere x = 3\n{%- endif %}\n",
    "{% raw %}select '{{ not a tag }}'{% endraw %} from t where d = '{{ ds }}'\n",
    "select 1\r\nfrom t\r\nwhere d = '{{ ds }}'\r\n",
    "select 1\n\n\n", "select 1", "\n", "", "plain text without tags", "  {{ ds }}  ", "{{ds}}", "{{- ds -}}", "a {{- ds -}} b", "a\n  {{- ds }}\n{{ ds -}}\n  b", "{{\n  ds\n}}",
    "insert into t (day, n) values ('{{ ds }}', {{ params.days }}) on conflict (day) do update set n = excluded.n",
    "{% for d in range(3) %}{{ macros.ds_add(ds, -d) }}{{ ',' if not loop.last }}{% endfor %}",
    "{% for k, v in params.mapping.items() %}{{ k }}={{ v }};{% endfor %}",
    "{% set start = data_interval_start.in_timezone('Europe/Berlin') %}{{ start | ds }} {{ start.strftime('%H:%M') }}",
    "{% if ds >= '2024-03-01' %}new{% else %}old{% endif %}",
    "{% if logical_date.day == 1 %}first{% else %}other{% endif %}",
    "copy t from 's3://bucket/dt={{ ds }}/hour={{ logical_date.strftime('%H') }}/'",
    "{% set cols = ['a', 'b'] %}select {{ cols | join(', ') }}, '{{ ts_nodash }}' as batch",
    "{% set a, b = 1, 2 %}{{ a }}{{ b }}",
    "{% set q %}select 1{% endset %}({{ q }})",
]

OTHER_TEMPLATES = [
    "{% set x = 1 %}{% if true %}{% set x = 2 %}{% endif %}{{ x }}", "{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{{ x }}{% endfor %}{{ x }}", "{% for i in [1, 2] %}{% set y = i %}{% endfor %}{{ y }}",
    "{% set ns = namespace(n=0) %}{% for i in [1, 2, 3] %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "{% for i in [] %}x{% else %}none{% endfor %}", "{% for i in [1, 2, 3] if i > 1 %}{{ i }}{{ loop.index }}{% endfor %}", "{% for i in [1, 2, 3] if i > 5 %}x{% else %}none{% endfor %}",
    "{% for i in [1, 2, 3] %}{{ loop.index }}{{ loop.index0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.revindex }}{{ loop.revindex0 }} {% endfor %}", "{% for i in 'abc' %}{{ i }}.{% endfor %}", "{% for k in params.mapping %}{{ k }},{% endfor %}", "{% for k, v in params.mapping | dictsort %}{{ k }}{{ v }}{% endfor %}",
    "{% for i in [1, 2] %}{% for j in [3, 4] %}{{ i }}{{ j }}{{ loop.index }} {% endfor %}{{ loop.index }}{% endfor %}", "{% for i in [1, 2, 3] %}{{ loop.cycle('a', 'b') }}{% endfor %}", "{% for i in [1, 2, 3] %}{{ loop.previtem }}{% endfor %}", "{% for i in 5 %}{% endfor %}", "{% for a, b in [(1, 2), (3, 4)] %}{{ a + b }} {% endfor %}", "{% for a, b in [(1, 2, 3)] %}{% endfor %}", "{% for i in params.missing %}{% endfor %}", "{% for i in range(3) %}{{ i }}{% endfor %}{{ i }}", "{% for ds in ['x'] %}{{ ds }}{% endfor %}{{ ds }}", "{% set ds = 'x' %}{{ ds }}", "{% for i in [1] recursive %}{{ i }}{% endfor %}", "{% for i in [1, 2] %}{% break %}{% endfor %}",
    "{% macro m(a, b='z') %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=4) }}", "{% macro m() %}{{ ds }}{% endmacro %}{{ m() }}{{ m() | upper }}", "{% macro m() %}{{ x }}{% endmacro %}{% set x = 1 %}{{ m() }}", "{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}", "{% macro m(a) %}{% if a > 0 %}{{ a }}{{ m(a - 1) }}{% endif %}{% endmacro %}{{ m(3) }}", "{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}x{% endcall %}", "{% macro m() %}{{ varargs }}{% endmacro %}{{ m(1) }}", "{% macro m(a) %}{{ a }}{% endmacro %}{{ m(1, 2) }}", "{% macro m() %} {% endmacro %}{{ m }}",
    "{% with a = 1, b = 2 %}{{ a }}{{ b }}{% endwith %}", "{% with %}{% set a = 1 %}{{ a }}{% endwith %}", "{% set a = 1 %}{% with a = 2 %}{{ a }}{% endwith %}{{ a }}", "{% filter upper %}abc {{ ds }}{% endfilter %}", "{% filter replace('a', 'b') %}aaa{% endfilter %}", "{% set x | upper %}abc{% endset %}{{ x }}", "{% do params.columns.append('x') %}{{ params.columns | length }}", "{% set l = [] %}{% do l.append(1) %}{{ l }}", "{% set l = [] %}{% set _ = l.append(1) %}{{ l | length }}", "{% do ds %}", "{% autoescape true %}{{ '<a>' }}{% endautoescape %}", "{% block b %}x{{ ds }}{% endblock %}", "{% include 'a.sql' %}", "{% extends 'a.sql' %}", "{% import 'a.sql' as a %}", "{% from 'a.sql' import a %}", "{% call foo() %}{% endcall %}", "{% trans %}x{% endtrans %}", "{% unknown %}", "{% %}", "{% if %}x{% endif %}", "{% if true %}x", "{% endif %}", "{% if true %}{% endfor %}", "{% for %}{% endfor %}", "{% for x %}{% endfor %}", "{% for x in %}{% endfor %}", "{% else %}", "{% if true %}a{% else %}b{% else %}c{% endif %}", "{% if false %}a{% elif false %}b{% else %}c{% endif %}", "{% if true %}a{% else %}b{% elif true %}c{% endif %}", "{% if false %}{{ undefined_name }}{% endif %}ok", "{% if false %}{{ 1 / 0 }}{% endif %}ok", "{% if undefined_name %}x{% endif %}", "{% if undefined_name is defined %}x{% else %}y{% endif %}", "{% if params.missing %}x{% endif %}", "{% if params.get('missing') %}x{% else %}y{% endif %}", "{% if not params.off %}x{% endif %}", "{% if params.columns %}x{% endif %}", "{% if params.empty %}x{% else %}e{% endif %}", "{% if logical_date %}x{% endif %}", "{% if macros.timedelta(0) %}x{% else %}z{% endif %}", "{% if params.table == 'orders' and params.days >= 7 %}x{% endif %}", "{% if data_interval_end.weekday() in [5, 6] %}weekend{% else %}week{% endif %}", "{% if logical_date.strftime('%H') == '00' %}midnight{% endif %}.",
    "{{ ds", "{{ ds }", "{% if", "{# open", "{% raw %}{{ x", "}} {{ ds }}", "%} {{ ds }}", "#} {{ ds }}", "{ { ds } }", "{{{ ds }}}", "{{ '}}' }}", "{{ '{{' }}", "{{ \"%}\" }}", "{% set x = '%}' %}{{ x }}", "{{ {'a': {'b': 1}}.a.b }}", "{{ {'a': {'b': 1}} }}", "{{ '{# no #}' }}", "{# {{ ds }} #}x", "{# {% if %} #}x", "{#- a -#} x", "a {#- b #} c", "a {# b -#} c", "{#-#}x", "{#--#}x", "{##}x", "a\n{# c #}\nb\n", "a\n{% if true %}\nb\n{% endif %}\nc\n", "a\n{%- if true -%}\nb\n{%- endif -%}\nc\n", "  {%+ if true %}x{% endif %}", "{% if true +%}\nx{% endif %}", "{{+ ds }}", "{{ ds +}}", "{{-1}}", "{{ -1 }}", "{{+1}}", "{%raw%}a{%endraw%}", "{%- raw -%} a {%- endraw -%} b", "{% raw %} {% endraw -%} b", "{% raw -%}\n a{% endraw %}", "a {%- raw %} b{% endraw %}", "{% raw %}{% raw %}{% endraw %}x", "a\u00a0{{- ds }}", "a\ufeff{{- ds }}", "a\u2028{{- ds }}", "a\x1c{{- ds -}}\x85b", "\ufeffselect '{{ ds }}'", "a\rb\r", "a\r\n\r\n", "a\n\r", "{{ ds }}\n", "{{ ds }}\r\n", "{{ ds }}\n\n", "{{ 'a\nb' }}", "{{ 'a\r\nb' }}", "{% set x %}a\n{% endset %}{{ x }}|", "Größe 😀 {{ ds }} 😀", "{{ '😀' | length }}", "{{ 'a😀b'[1] }}", "{{ 'a😀b'[::-1] }}", "{{ '😀' }}", "{{ ['😀'] }}", "-- it's\nselect '{{ ds }}'", "{{ ds }}{{ ds }}", "{% set x = 1 %}{% set x = x + 1 %}{{ x }}", "{% set x = x %}", "{% set true = 1 %}", "{% set 1 = 1 %}", "{% set params.x = 1 %}", "{% set a = b = 1 %}", "{% set x = 1, 2 %}{{ x }}", "{% set x = [1] %}{% for x in x %}{{ x }}{% endfor %}", "{% set x = 1 if params.off %}{{ x }}", "{{ 1 if params.off }}|", "{% set x = none %}{{ x is none }}", "{% if 1 %}{% if 0 %}a{% else %}b{% endif %}{% endif %}", "{% for i in [1,2] -%}\n x{{ i }}\n{%- endfor %}", "{% for i in params.ids %}\n  union all select {{ i }}\n{% endfor %}", "{%- for i in params.ids %}\n  {%- if not loop.first %} union all {% endif %}\n  select {{ i }}\n{%- endfor %}", "{{ macros.ds_add(\n    ds,\n    -1,\n) }}", "{{ [1,\n2,] }}", "{{ 'it''s' }}", "{{ ds }} {{ \"{{ ds }}\" }}", "{% set query = 'select ' ~ params.columns | join(', ') %}{{ query }}", "{{ params.columns | join(', ') | upper }}", "{{ ds | replace('-', '') | int + 1 }}", "{% for i in range(params.days) %}{{ i }}{% endfor %}", "{{ params.columns[loop] }}", "{% for c in params.columns %}{{ c | replace('o', '0') }}{% endfor %}", "{% set d = {'a': 1} %}{{ d.a }}{{ d['a'] }}{{ d.get('b', 2) }}", "{% set d = {'items': 5} %}{{ d['items'] }}", "{% set d = {'items': 5} %}{{ d.items }}",
]


FILES = [
    """-- Daily revenue per customer, rebuilt for one day.
{%- set day = ds -%}
{%- set target = params.schema ~ '.revenue_daily' %}
begin;

delete from {{ target }}
where day = date '{{ day }}';

insert into {{ target }} (day, customer_id, orders, revenue)
select
    date '{{ day }}',
    o.customer_id,
    count(*),
    sum(o.amount)
from {{ var.value.target_schema }}.orders as o  -- it's the raw table
where o.created_at >= timestamptz '{{ data_interval_start }}'
  and o.created_at < timestamptz '{{ data_interval_end }}'
group by 1, 2;

commit;
""",
    """{# One statement per table of the settings. #}
{% for table in var.json.settings.tables -%}
delete from {{ var.json.settings.schema }}.{{ table }}
where loaded_on between '{{ macros.ds_add(ds, -var.json.settings.days) }}' and '{{ ds }}';
insert into {{ var.json.settings.schema }}.{{ table }}
select *, '{{ ts }}' as loaded_at
from raw.{{ table }}_{{ ds_nodash }}
{%- if params.flag %}
where {{ params.mapping[table] }} is not null
{%- endif %};
{% endfor %}
""",
    """{% macro between(column, days) -%}
{{ column }} >= '{{ macros.ds_add(ds, -days + 1) }}' and {{ column }} < '{{ macros.ds_add(ds, 1) }}'
{%- endmacro -%}
select
{%- for days in [1, 7, 30] %}
    count(*) filter (where {{ between('o.day', days) }}) as last_{{ '%02d' % days }}{{ ',' if not loop.last }}
{%- endfor %}
from mart.orders as o
where {{ between(days=30, column='o.day') }}
""",
    """create table if not exists staging.t_{{ ts_nodash | lower }} as
with months as (
{%- for back in range(3) %}
    select '{{ data_interval_start.subtract(months=back).start_of('month') | ds }}'::date as month
    {%- if not loop.last %} union all{% endif %}
{%- endfor %}
)
select m.month, {% for c in params.columns %}max({{ c }}) as {{ c }}{% if not loop.last %}, {% endif %}{% endfor %}
from months as m
join raw.events as e
  on e.at >= m.month and e.at < m.month + interval '1 month'
 and e.note <> '{{ params.quoted | replace("'", "''") }}'
group by m.month
""",
    "merge into mart.prices as t\r\nusing (select * from raw.prices where day = '{{ ds }}') as s\r\non t.id = s.id\r\n{% if params.off %}when matched and s.deleted then delete\r\n{% endif %}when matched then update set price = s.price, updated_at = '{{ logical_date.in_timezone('Europe/Berlin').strftime('%Y-%m-%d %H:%M:%S') }}'\r\nwhen not matched then insert (id, price) values (s.id, s.price);\r\n",
    """{%- set zone = 'America/New_York' -%}
{%- set local = data_interval_end.in_timezone(zone) -%}
copy into lake.events
from 's3://bucket/{{ params.table }}/year={{ local.strftime('%Y') }}/month={{ local.strftime('%m') }}/day={{ local.strftime('%d') }}/'
file_format = (type = 'json')  /* {{ dag.dag_id }}.{{ task.task_id }} */
{% if logical_date.day == 1 or params.off %}force = true{% else %}force = false{% endif %};
""",
    """{% set ns = namespace(total=0, names=[]) %}
{% for name in params.columns if name != 'note' %}
{% set ns.total = ns.total + loop.index %}
{% do ns.names.append(name | upper) %}
{% endfor %}
select {{ ns.names | join(', ') }}, {{ ns.total }} as checks
from t
where d in ({% for d in range(0, params.days, 3) %}'{{ macros.ds_format(macros.ds_add(ds, -d), '%Y-%m-%d', '%d.%m.%Y') }}'{{ ', ' if not loop.last }}{% endfor %})
{% raw %}and note <> '{{ not a tag }}'{% endraw %}
""",
]


def corpus():
    """(template, must be exact, needs own_names.py and the modules), each once."""
    seen = {}
    for text in [expression(e) for e in COMMON_EXPRESSIONS] + COMMON_TEMPLATES + FILES:
        seen[text] = (True, False)
    for text in [expression(e) for e in OTHER_EXPRESSIONS] + OTHER_TEMPLATES + MORE_FILES:
        seen.setdefault(text, (False, False))
    for text in OWN_COMMON:
        seen.setdefault(text, (True, True))
    for text in OWN_OTHER:
        seen.setdefault(text, (False, True))
    return [(text, must, own) for text, (must, own) in seen.items()]
