"""Every day: the average basket of each shop, by Python, and a file for the shops that says that it is there."""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.decorators import task
from airflow.operators.bash import BashOperator
from airflow.sensors.external_task import ExternalTaskSensor
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG(
    dag_id="shop_report",
    schedule=CronDataIntervalTimetable("@daily", timezone="UTC"),
    start_date=datetime(2026, 9, 9),
    catchup=True,
    max_active_runs=2,
    default_args={"retries": 1, "retry_delay": timedelta(seconds=5)},
    tags=["shop"],
):
    cleaned = ExternalTaskSensor(
        task_id="cleaned",
        external_dag_id="shop_daily",
        external_task_id="orders_clean",
        mode="reschedule",
    )

    @task
    def basket_daily(ds=None):
        from airflow.providers.postgres.hooks.postgres import PostgresHook

        PostgresHook(postgres_conn_id="warehouse").run(
            [
                "DELETE FROM mart.basket_daily WHERE day = %(day)s",
                """
                INSERT INTO mart.basket_daily (day, shop_id, basket)
                SELECT day, shop_id, round(avg(net_amount), 2) FROM mart.orders_clean
                WHERE day = %(day)s GROUP BY day, shop_id
                """,
            ],
            parameters={"day": ds},
        )

    export = BashOperator(
        task_id="export",
        bash_command='mkdir -p "${EXPORT_FOLDER:-/tmp/shop-export}" && echo {{ ds }} > "${EXPORT_FOLDER:-/tmp/shop-export}/{{ ds }}"',
    )

    cleaned >> basket_daily() >> export
