"""Every hour: take the hour's orders from the shops' event feed into staging."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG(
    dag_id="shop_ingest",
    schedule=CronDataIntervalTimetable("@hourly", timezone="UTC"),
    start_date=datetime(2026, 9, 9),
    catchup=True,
    max_active_runs=4,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=5)},
    tags=["shop"],
):
    SQLExecuteQueryOperator(
        task_id="load_orders",
        conn_id="warehouse",
        sql="sql/load_orders.sql",
    )
