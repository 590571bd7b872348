DELETE FROM mart.revenue_monthly WHERE month = '{{ data_interval_start | ds }}';

INSERT INTO mart.revenue_monthly (month, shop_id, best_week_end, best_week_net)
SELECT DISTINCT ON (shop_id) DATE '{{ data_interval_start | ds }}', shop_id, day, net_amount_7d
FROM mart.revenue_rolling7
WHERE day >= '{{ data_interval_start | ds }}' AND day < '{{ data_interval_end | ds }}'
ORDER BY shop_id, net_amount_7d DESC, day;
