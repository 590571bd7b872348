"""Every day: clean the orders, add up revenue, and the seven days that end with the day."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.sensors.external_task import ExternalTaskSensor
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG(
    dag_id="shop_daily",
    schedule=CronDataIntervalTimetable("@daily", timezone="UTC"),
    start_date=datetime(2026, 9, 9),
    catchup=True,
    max_active_runs=2,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=5), "conn_id": "warehouse"},
    tags=["shop"],
):
    orders_in = ExternalTaskSensor(
        task_id="orders_in",
        external_dag_id="shop_ingest",
        external_task_id="load_orders",
        # The last hour of the day that this run works on.
        execution_delta=timedelta(hours=-23),
        mode="reschedule",
    )

    orders_clean = SQLExecuteQueryOperator(
        task_id="orders_clean",
        sql="sql/orders_clean.sql",
    )

    revenue_daily = SQLExecuteQueryOperator(
        task_id="revenue_daily",
        sql="""
            DELETE FROM mart.revenue_daily WHERE day = '{{ ds }}';

            INSERT INTO mart.revenue_daily (day, shop_id, category, orders, net_amount, tax)
            SELECT day, shop_id, category, count(*), sum(net_amount), sum(tax)
            FROM mart.orders_clean
            WHERE day = '{{ ds }}'
            GROUP BY day, shop_id, category;
        """,
    )

    revenue_rolling7 = SQLExecuteQueryOperator(
        task_id="revenue_rolling7",
        sql="sql/revenue_rolling7.sql",
    )

    customer_latest = SQLExecuteQueryOperator(
        task_id="customer_latest",
        sql="sql/customer_latest.sql",
    )

    orders_in >> orders_clean >> [revenue_daily, customer_latest]
    revenue_daily >> revenue_rolling7
