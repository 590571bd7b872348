DELETE FROM staging.orders
WHERE ordered_at >= '{{ data_interval_start }}' AND ordered_at < '{{ data_interval_end }}';

INSERT INTO staging.orders
  (order_id, customer_id, shop_id, category, quantity, unit_price, voucher, ordered_at)
SELECT order_id, customer_id, shop_id, category, quantity, unit_price, voucher, ordered_at
FROM raw.order_events
WHERE ordered_at >= '{{ data_interval_start }}' AND ordered_at < '{{ data_interval_end }}';
