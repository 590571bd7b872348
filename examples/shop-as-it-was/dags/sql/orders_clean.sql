DELETE FROM mart.orders_clean
WHERE ordered_at >= '{{ data_interval_start }}' AND ordered_at < '{{ data_interval_end }}';

INSERT INTO mart.orders_clean
  (order_id, day, customer_id, shop_id, category, net_amount, tax, ordered_at, loaded_at)
SELECT order_id,
       ordered_at::date AS day,
       customer_id,
       shop_id,
       category,
       quantity * unit_price,
       round(quantity * unit_price * CASE category WHEN 'books' THEN 0.07 ELSE 0.19 END, 2),
       ordered_at,
       now() AS loaded_at
FROM staging.orders
WHERE ordered_at BETWEEN '{{ data_interval_start }}' AND '{{ data_interval_end }}';
