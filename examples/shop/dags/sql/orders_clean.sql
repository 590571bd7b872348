DELETE FROM mart.orders_clean WHERE day = '{{ ds }}';

-- Vouchers come off the price before tax (they did not, until December).
INSERT INTO mart.orders_clean
  (order_id, day, customer_id, shop_id, category, net_amount, tax, ordered_at, loaded_at)
SELECT o.order_id,
       o.ordered_at::date AS day,
       o.customer_id,
       o.shop_id,
       o.category,
       p.net,
       round(p.net * CASE o.category WHEN 'books' THEN 0.07 ELSE 0.19 END, 2) AS tax,
       o.ordered_at,
       now() AS loaded_at
FROM staging.orders AS o
CROSS JOIN LATERAL (SELECT o.quantity * o.unit_price - coalesce(o.voucher, 0) AS net) AS p
WHERE o.ordered_at >= '{{ data_interval_start }}' AND o.ordered_at < '{{ data_interval_end }}';
