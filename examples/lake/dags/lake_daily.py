"""Every day: clean the events of the site, count its pages by country, and its active users of seven days."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.providers.apache.spark.operators.spark_sql import SparkSqlOperator
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG(
    dag_id="lake_daily",
    schedule=CronDataIntervalTimetable("@daily", timezone="UTC"),
    start_date=datetime(2026, 11, 1),
    catchup=True,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=5), "conn_id": "spark_lake"},
    tags=["lake"],
):
    visits = SparkSqlOperator(task_id="visits", sql="sql/visits.sql")

    pages_daily = SparkSqlOperator(
        task_id="pages_daily",
        sql="""
            INSERT OVERWRITE TABLE lake.pages_daily PARTITION (day = '{{ ds }}', country)
            SELECT page, count(*) AS visits, count(DISTINCT user_id) AS users, sum(seconds) AS seconds, country
            FROM lake.visits
            WHERE day = '{{ ds }}'
            GROUP BY page, country
        """,
    )

    active_users = SparkSqlOperator(
        task_id="active_users",
        sql="""
            INSERT OVERWRITE TABLE lake.active_users PARTITION (day = '{{ ds }}')
            SELECT country, count(DISTINCT user_id) AS users
            FROM lake.visits
            WHERE day > date_sub('{{ ds }}', 7) AND day <= '{{ ds }}'
            GROUP BY country
        """,
    )

    visits >> [pages_daily, active_users]
