DELETE FROM mart.revenue_rolling7 WHERE day = '{{ ds }}';

INSERT INTO mart.revenue_rolling7 (day, shop_id, orders_7d, net_amount_7d)
SELECT DATE '{{ ds }}' AS day, shop_id, sum(orders), sum(net_amount)
FROM mart.revenue_daily
WHERE day >= DATE '{{ ds }}' - INTERVAL '6 days' AND day < DATE '{{ ds }}' + INTERVAL '1 day'
GROUP BY shop_id;
