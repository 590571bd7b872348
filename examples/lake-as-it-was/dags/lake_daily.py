"""The same pipeline before anybody asked what a second run would do."""

from datetime import datetime

from airflow import DAG
from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator

with DAG(
    dag_id="lake_daily",
    schedule="@daily",
    start_date=datetime(2026, 11, 1),
    catchup=True,
    default_args={"conn_id": "spark_lake"},
):
    visits = SparkSqlOperator(
        task_id="visits",
        sql="""
            INSERT INTO lake.visits PARTITION (day = '{{ ds }}')
            SELECT event_id, user_id, page, country, seconds FROM raw.events WHERE day = '{{ ds }}'
        """,
    )

    pages_daily = SparkSqlOperator(
        task_id="pages_daily",
        sql="""
            INSERT OVERWRITE TABLE lake.pages_daily
            SELECT page, count(*) AS visits, count(DISTINCT user_id) AS users, sum(seconds) AS seconds, day, country
            FROM lake.visits
            WHERE day = '{{ ds }}'
            GROUP BY page, day, country
        """,
    )

    active_users = SparkSqlOperator(
        task_id="active_users",
        sql="""
            SET spark.sql.sources.partitionOverwriteMode = dynamic;
            INSERT OVERWRITE TABLE lake.active_users PARTITION (day)
            SELECT country, count(DISTINCT user_id) AS users, current_date() AS day
            FROM lake.visits
            WHERE day > date_sub('{{ ds }}', 7) AND day <= '{{ ds }}'
            GROUP BY country
        """,
    )

    visits >> [pages_daily, active_users]
