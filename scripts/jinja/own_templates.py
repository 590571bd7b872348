"""Templates that need what their DAG adds to Jinja: the names of own_names.py, and the modules below."""

MODULES = {
    "macros/dates.sql": """{# Dates that many queries need. #}
{% macro days_before(day, days=1) %}{{ day }}::date - {{ days }}{% endmacro %}
{% macro between(column, start, end) -%}
  {{ column }} >= '{{ start }}' and {{ column }} < '{{ end }}'
{%- endmacro %}
{% macro list(values) %}{% for value in values %}'{{ value }}'{{ ', ' if not loop.last }}{% endfor %}{% endmacro %}
{% set schema = 'mart' %}
{% set keys = {'orders': 'id', 'items': 'order_id'} %}
{% macro _hidden() %}hidden{% endmacro %}
""",
    "macros/context.sql": "{% macro day() %}{{ ds }}{% endmacro %}{% macro own() %}{{ own_schema }}{% endmacro %}{% set start = data_interval_start | ds %}",
    "macros/chain.sql": "{% from 'macros/dates.sql' import between %}{% macro window(column) %}{{ between(column, 1, 2) }}{% endmacro %}",
    "macros/loop.sql": "{% import 'macros/loop.sql' as again %}",
    "macros/broken.sql": "{% macro x( %}",
    "macros/windows.sql": "{% macro a(x) %}\r\n  {{ x }}\r\n{% endmacro %}\r\n",
    "parts/where.sql": "where day = '{{ ds }}'",
}

# must be rendered exactly
OWN_COMMON = [
    "{{ own_schema }}.orders", "{{ own_days }}", "{{ own_days * 2 + 1 }}", "{{ own_ratio }} {{ own_half }} {{ own_small }} {{ 7 / own_ratio }} {{ own_ratio * own_days }}", "{{ own_tables | join(', ') }}", "{{ own_tables[0] }}",
    "{% for t in own_tables %}{{ own_schema }}.{{ t }};{% endfor %}", "{{ own_settings.schema }}", "{{ own_settings['keys'].orders }}",
    "{{ own_settings.on }} {{ own_settings.none }}", "{{ macros.ds_add(ds, -own_settings.days) }}", "{{ own_day_before(ds) }}",
    "{{ own_day_before(own_day_before(ds)) }}", "{{ own_days_back(ds) }}", "{{ own_days_back(ds, 3) }}", "{{ own_days_back(ds, days=own_days) }}",
    "{{ own_days_back(days=1, ds=ds) }}", "{{ own_partition('orders', ds) }}", "{{ own_partition(params.table, ds) | upper }}",
    "{{ own_previous_month(logical_date) }}", "{{ own_hour(data_interval_start) }}", "{{ own_first_of_month(logical_date) }}", "{{ own_pair(1, ds) }}",
    "{{ own_twice('a') }}", "{{ own_twice(own_twice(own_twice('ab'))) }}", "{{ own_either(1) }} {{ own_either(1, 2) }} {{ own_either(1, b='x') }}",
    "{{ own_year(ds) }}", "{{ own_head(ds, 7) }}", "{{ own_sum(3, 8) }}", "{{ own_length(ds) }}", "{{ own_local(data_interval_end) }}",
    "{% if own_is_first(logical_date) %}first{% else %}other{% endif %}", "{{ own_not(1, 2) }} {{ own_not(0, 2) }}", "{{ own_item('items') }}",
    "{{ ds | own_quoted }}", "{{ ds | own_quoted('\"') }}", "{{ \"it's\" | own_quoted }}", "{{ ds | own_plus(2) }}", "{{ ds | own_plus(days=-2) | own_quoted }}",
    "{{ (logical_date - timedelta(days=1)) | ds }}", "{{ datetime.strptime(ds, '%Y-%m-%d').strftime('%d.%m.%Y') }}", "{{ (logical_date + dt.timedelta(hours=3)).isoformat() }}",
    "{{ dt.datetime.strptime(ds, '%Y-%m-%d') + timedelta(1) }}", "{{ 'a' | upper }}", "{{ ds }} by {{ range(3) }}",
    "{% set day = own_day_before(ds) %}{{ day }} {{ day[:4] }}", "{% macro q(x) %}{{ x | own_quoted }}{% endmacro %}{{ q(own_day_before(ds)) }}",
    "{% from 'macros/dates.sql' import between %}where {{ between('day', ds, macros.ds_add(ds, 1)) }}",
    "{% from 'macros/dates.sql' import days_before, list as quoted_list %}{{ days_before(ds) }}, {{ days_before(ds, days=3) }}, {{ quoted_list(params.columns) }}",
    "{% import 'macros/dates.sql' as dates %}select * from {{ dates.schema }}.orders where {{ dates.between('day', ds, next_ds) }} and {{ dates.keys.orders }} > 0",
    "{% import 'macros/dates.sql' as dates without context %}{{ dates.days_before(ds, 7) }}", "{%- import \"macros/dates.sql\" as d -%}\n{{ d.days_before(own_day_before(ds)) }}",
    "{% import 'macros/context.sql' as c with context %}{{ c.day() }} {{ c.start }} {{ c.own() }}", "{% from 'macros/context.sql' import day with context %}{{ day() }}",
    "{% from 'macros/chain.sql' import window %}{{ window('x') }}", "{% from 'macros/windows.sql' import a %}[{{ a(1) }}]",
    "{{ macros.ds_format(ts, '%Y-%m-%dT%H:%M:%S%z', '%Y-%m-%d %H:%M:%S') }} of {{ own_schema }}", "{{ macros.datetime.strptime(ts, '%Y-%m-%dT%H:%M:%S%z') }} of {{ own_schema }}",
    "{% for t in own_tables %}{% from 'macros/dates.sql' import days_before %}{{ t }} {{ days_before(ds) }}\n{% endfor %}",
]

# rendered exactly or refused by name
OWN_OTHER = [
    "{{ macros.datetime.strptime('2024-01-01 +0530', '%Y-%m-%d %z') }} {{ own_days }}", "{{ macros.datetime.strptime('2024-01-01Z', '%Y-%m-%d%z') }} {{ own_days }}",
    "{{ macros.datetime.strptime('2024-01-01z', '%Y-%m-%d%z') }} {{ own_days }}", "{{ macros.datetime.strptime(ds ~ '-00:00:00', '%Y-%m-%d%z').isoformat() }} {{ own_days }}",
    "{{ macros.datetime.strptime(ts, '%Y-%m-%dT%H:%M:%S%z').strftime('%z') }} {{ own_days }}", "{{ (logical_date - macros.datetime.strptime(ts, '%Y-%m-%dT%H:%M:%S%z')).days }} {{ own_days }}",
    "{{ own_looped(3) }}", "{{ 3 | own_loop }}", "{{ own_now() }}", "{{ own_dumps([1, 'a']) }}", "{{ own_schema() }}", "{{ own_day_before }}", "{{ own_day_before() }}",
    "{{ own_day_before(ds, 1) }}", "{{ own_day_before(day=ds) }}", "{{ own_day_before(ts) }}", "{{ own_hour(ds) }}", "{{ own_settings.missing }}", "{{ own_settings.keys() }}",
    "{{ own_settings.items() | length }}", "{{ own_pair(1) }}", "{{ own_item('nothing') }}", "{{ own_missing }}", "{{ 'x' | own_missing }}", "{{ own_tables.append('x') }}{{ own_tables }}",
    "{% set own_days = 3 %}{{ own_days }}", "{% for own_days in [1] %}{{ own_days }}{% endfor %}{{ own_days }}", "{% macro own_year(ds) %}mine{% endmacro %}{{ own_year(ds) }}",
    "{% set macros = 1 %}{{ own_day_before(ds) }}", "{% with own_days = 4 %}{{ own_days }}{% endwith %}", "{% macro m(own_days) %}{{ own_days }}{% endmacro %}{{ m(5) }}",
    "{{ own_year(own_settings) }}", "{{ own_local(ds) }}", "{{ dt }}", "{{ datetime }}", "{{ timedelta }}", "{{ datetime.now() }}", "{{ dt.date }}", "{{ own_twice(1) }}", "{{ own_twice([1]) }}",
    "{{ ''.join([own_schema]) }}", "{% import 'macros/dates.sql' as d %}{{ d._hidden() }}", "{% import 'macros/dates.sql' as d %}{{ d.missing() }}", "{% import 'macros/dates.sql' as d %}{{ d }}",
    "{% from 'macros/dates.sql' import _hidden %}{{ _hidden() }}", "{% from 'macros/dates.sql' import missing %}{{ missing }}", "{% from 'macros/dates.sql' import missing %}fine",
    "{% import 'macros/nowhere.sql' as n %}", "{% import 'macros/loop.sql' as l %}x", "{% import 'macros/broken.sql' as b %}x", "{% import 'macros/context.sql' as c %}{{ c.day() }}",
    "{% import 'macros/context.sql' as c %}{{ c.own() }}", "{% from 'macros/context.sql' import day %}{{ day() }}", "{% set x = 1 %}{% from 'macros/context.sql' import day with context %}{{ day() }}",
    "{% import params.table as p %}", "{% include 'parts/where.sql' %}", "select 1 {% include 'parts/where.sql' ignore missing %}", "{% extends 'parts/where.sql' %}",
    "{% from 'macros/dates.sql' import between as ds %}{{ ds }}", "{% from 'macros/dates.sql' import between, list, %}{{ list([1]) }}", "{% import 'macros/dates.sql' as d %}{{ d['schema'] }}",
]
