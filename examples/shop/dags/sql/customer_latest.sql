INSERT INTO mart.customer_latest AS c (customer_id, last_order_id, last_order_at, last_net_amount)
SELECT DISTINCT ON (customer_id) customer_id, order_id, ordered_at, net_amount
FROM mart.orders_clean
WHERE day = '{{ ds }}'
ORDER BY customer_id, ordered_at DESC, order_id DESC
ON CONFLICT (customer_id) DO UPDATE
SET last_order_id = excluded.last_order_id,
    last_order_at = excluded.last_order_at,
    last_net_amount = excluded.last_net_amount
WHERE excluded.last_order_at >= c.last_order_at;
