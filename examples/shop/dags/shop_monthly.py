"""Every month: the best week of each shop, for the board's report."""

from datetime import datetime

from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG(
    dag_id="shop_monthly",
    schedule=CronDataIntervalTimetable("@monthly", timezone="UTC"),
    start_date=datetime(2026, 9, 1),
    catchup=True,
    max_active_runs=1,
    default_args={"retries": 1},
    tags=["shop"],
):
    SQLExecuteQueryOperator(
        task_id="revenue_monthly",
        conn_id="warehouse",
        sql="sql/revenue_monthly.sql",
    )
