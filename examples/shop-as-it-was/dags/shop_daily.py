"""Every day: clean the orders and add up revenue. (As it was: see the findings.)"""

from datetime import datetime, timedelta

from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.timetables.interval import CronDataIntervalTimetable

with DAG(
    dag_id="shop_daily",
    schedule=CronDataIntervalTimetable("@daily", timezone="UTC"),
    start_date=datetime.now() - timedelta(days=90),
    catchup=True,
    default_args={"retries": 2, "conn_id": "warehouse"},
):
    orders_clean = SQLExecuteQueryOperator(
        task_id="orders_clean",
        sql="sql/orders_clean.sql",
    )

    revenue_daily = SQLExecuteQueryOperator(
        task_id="revenue_daily",
        sql="""
            INSERT INTO mart.revenue_daily (day, shop_id, category, orders, net_amount, tax)
            SELECT day, shop_id, category, count(*), sum(net_amount), sum(tax)
            FROM mart.orders_clean
            WHERE day = CURRENT_DATE - 1
            GROUP BY day, shop_id, category;
        """,
    )

    revenue_rolling7 = SQLExecuteQueryOperator(
        task_id="revenue_rolling7",
        sql="""
            DELETE FROM mart.revenue_rolling7 WHERE day = '{{ ds }}';

            INSERT INTO mart.revenue_rolling7 (day, shop_id, orders_7d, net_amount_7d)
            SELECT day, shop_id, sum(orders), sum(net_amount)
            FROM mart.revenue_daily
            WHERE day >= DATE '{{ ds }}' - INTERVAL '6 days' AND day < DATE '{{ ds }}' + INTERVAL '1 day'
            GROUP BY day, shop_id;
        """,
    )

    shop_totals = SQLExecuteQueryOperator(
        task_id="shop_totals",
        sql="""
            UPDATE mart.shop_totals AS t
            SET net_amount = t.net_amount + d.net_amount
            FROM (
                SELECT shop_id, sum(net_amount) AS net_amount
                FROM mart.revenue_daily
                WHERE day = '{{ ds }}'
                GROUP BY shop_id
            ) AS d
            WHERE t.shop_id = d.shop_id;
        """,
    )

    orders_clean >> revenue_daily >> [revenue_rolling7, shop_totals]
