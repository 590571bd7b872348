"""Whole SQL files in the kinds that projects hold; each one is rendered exactly or refused by name.

Every body is put into every frame, so that headers, whitespace control, line ends and comments meet every kind of body.
"""

BODIES = [
    # full reload of one day
    "delete from mart.sales where day = '{{ ds }}';\ninsert into mart.sales (day, shop, revenue)\nselect '{{ ds }}'::date, shop, sum(amount)\nfrom raw.sales\nwhere sold_at >= '{{ data_interval_start }}' and sold_at < '{{ data_interval_end }}'\ngroup by 2;",
    # look-back by a parameter
    "with recent as (\n  select * from raw.events where day between '{{ macros.ds_add(ds, -params.days) }}' and '{{ ds }}'\n)\nselect count(*) from recent;",
    # partition paths
    "alter table lake.events add if not exists partition (dt='{{ ds }}', hr='{{ logical_date.strftime('%H') }}')\nlocation 's3://lake/events/{{ logical_date.format('YYYY/MM/DD') }}/{{ '%02d' % logical_date.hour }}/';",
    # suffixed tables
    "create or replace table stage.orders_{{ ds_nodash }} as\nselect * from raw.orders_{{ macros.ds_format(macros.ds_add(ds, -1), '%Y-%m-%d', '%Y%m%d') }};",
    # merge with settings of a Variable
    "merge into {{ var.json.settings.schema }}.orders t\nusing (select * from {{ var.value.target_schema }}.orders_delta where loaded >= '{{ ts }}') s\non t.{{ params.mapping.orders }} = s.{{ params.mapping['orders'] }}\nwhen matched then update set amount = s.amount\nwhen not matched then insert values (s.id, s.amount);",
    # columns from a list
    "select\n{%- for c in params.columns %}\n  coalesce({{ c }}, 0) as {{ c }}{{ \",\" if not loop.last }}\n{%- endfor %}\nfrom raw.t;",
    # pivots
    "select day,\n{% for n in params.ids -%}\n  sum(case when kind = {{ n }} then amount end) as kind_{{ n }}{% if not loop.last %},{% endif %}\n{% endfor -%}\nfrom t group by day;",
    # unions over tables
    "{% for t in var.json.settings.tables %}select '{{ t }}' as source, count(*) as n from raw.{{ t }} where day = '{{ ds }}'\n{% if not loop.last %}union all\n{% endif %}{% endfor %};",
    # branches by weekday and month
    "{% if logical_date.day == 1 %}\ntruncate table mart.month_totals;\n{% elif logical_date.weekday() == 0 %}\ntruncate table mart.week_totals;\n{% else %}\nselect 1;\n{% endif %}",
    "{% if logical_date.month in [1, 4, 7, 10] and logical_date.day == 1 %}call close_quarter('{{ ds }}');{% endif %}\nselect 1;",
    "{%- if params.flag and not params.off -%}\nselect 'on';\n{%- else -%}\nselect 'off';\n{%- endif -%}",
    # set and arithmetic
    "{% set start = data_interval_start.subtract(hours=2) %}\n{% set end = data_interval_end %}\nselect * from raw.t where ts >= '{{ start.strftime('%Y-%m-%d %H:%M:%S') }}' and ts < '{{ end.strftime('%Y-%m-%d %H:%M:%S') }}';",
    "{% set hours = ((data_interval_end - data_interval_start).total_seconds() / 3600) | int %}\nselect {{ hours }} as hours, {{ hours * 60 }} as minutes;",
    "{% set window = params.get('window', 28) %}\nselect avg(x) over (rows {{ window - 1 }} preceding) from t where day > '{{ macros.ds_add(ds, -window) }}';",
    "{% set columns = ['a', 'b'] + params.columns %}\ninsert into t ({{ columns | join(', ') }})\nselect {{ columns | map('upper') | join(', ') }} from s;",
    # macros of the file
    "{% macro cents(column, digits=2) -%}\nround({{ column }} / 100.0, {{ digits }})\n{%- endmacro %}\nselect {{ cents('amount') }}, {{ cents('tax', 4) }}, {{ cents(column='fee', digits=0) }} from t;",
    "{% macro day_filter(alias) %}{{ alias }}.day = '{{ ds }}'{% endmacro %}\nselect * from a join b using (id) where {{ day_filter('a') }} and {{ day_filter('b') }};",
    "{% macro surrogate(columns) %}md5({% for c in columns %}coalesce({{ c }}::text, ''){% if not loop.last %} || '|' || {% endif %}{% endfor %}){% endmacro %}\nselect {{ surrogate(params.columns) }} as key from t;",
    # time zones
    "{% set local = data_interval_start.in_timezone('Europe/Berlin') %}\nselect * from t where local_day = '{{ local | ds }}' and local_hour = {{ local.hour }};",
    "select * from t where ts >= '{{ data_interval_start.in_timezone('America/New_York').start_of('day').isoformat() }}';",
    # comments, quotes and raw
    "-- owner: data {# not for the warehouse #}\n/* {{ dag.dag_id }}.{{ task.task_id }} at {{ ts }} */\nselect 'it''s {{ params.table }}' as \"{{ params.schema }}\";",
    "{% raw %}select '{{ not_a_tag }}', '{% neither %}'{% endraw %}, '{{ ds }}';",
    "select '{{ '{{' }} literal {{ '}}' }}', '{{ \"it's\" | replace(\"'\", \"''\") }}';",
    # epochs and formats
    "select * from t where epoch >= {{ data_interval_start.int_timestamp }} and epoch < {{ data_interval_end.int_timestamp }};",
    "select * from t where ms between {{ data_interval_start.timestamp() * 1000 }} and {{ (data_interval_end.timestamp() * 1000) | int }};",
    "copy t from 's3://b/{{ ds[:4] }}/{{ ds[5:7] }}/{{ ds[8:] }}/' credentials '{{ conn.aws.password }}';",
    "unload ('select * from t where day = \\'{{ ds }}\\'') to 's3://b/{{ ts_nodash }}';",
    # state of other runs and the clock
    "select * from t where id > {{ ti.xcom_pull(task_ids='last_id') }};",
    "select * from t where ts > '{{ prev_data_interval_end_success or '1970-01-01' }}';",
    "insert into log values ('{{ run_id }}', '{{ macros.datetime.now() }}', {{ ti.try_number }});",
    "select '{{ dag_run.conf.get('day', ds) if dag_run.conf else ds }}';",
    "select '{{ params.day | default(ds) }}', '{{ params.get('day', ds) }}', {{ params.missing | default(7, true) }};",
    # tests, filters, loops with conditions
    "select {% for c in params.columns if c != 'id' %}{{ loop.index }}:{{ c | upper | replace('O', '0') }} {% else %}none{% endfor %};",
    "{% for k, v in params.mapping.items() %}comment on column {{ k }}.{{ v }} is '{{ k }}:{{ loop.revindex0 }}';\n{% endfor %}",
    "{% for d in range(0, 7) %}{% set day = macros.ds_add(ds, -d) %}select '{{ day }}'{{ ' union all ' if not loop.last }}{% endfor %};",
    "{% set ns = namespace(n=0) %}{% for i in params.ids %}{% set ns.n = ns.n + i %}{% endfor %}select {{ ns.n }};",
    "{% if params.nothing is none and params.table is defined and params.limit is number %}select top {{ params.limit }} * from {{ params.table }};{% endif %}",
    "{% filter upper %}select '{{ params.table }}'{% endfilter %};\n{% set block %}where day = '{{ ds }}'{% endset %}\nselect * from t {{ block }};",
    "{% with lower = macros.ds_add(ds, -1), upper = ds %}select * from t where day > '{{ lower }}' and day <= '{{ upper }}';{% endwith %}",
    # what Jinja rejects, or a half-written file
    "select {{ ds ;",
    "select {% if %} 1;",
    "select {{ undefined_table }}.x;",
    "{% for c in params.columns %}{{ c }}",
    "{{ config(materialized='incremental') }}\nselect * from {{ ref('orders') }}{% if is_incremental() %} where ts > (select max(ts) from {{ this }}){% endif %};",
]

FRAMES = [
    "{}",
    "-- {{{{ ds }}}}\n\n{}\n",
    "\n{{%- set schema = params.schema -%}}\n{{# for {{{{ schema }}}} #}}\n  {}\n\n",
    "begin;\r\n\t{}\r\ncommit;\r\n",
    "{{% if params.flag -%}}\n{}\n{{%- endif %}} -- größe 🙂\n",
]

MORE_FILES = [frame.format("\x00").replace("\x00", body) for body in BODIES for frame in FRAMES]
