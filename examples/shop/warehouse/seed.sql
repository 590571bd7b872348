-- 100,000 orders over the 90 days from 9 September to 7 December 2026, the same on every machine.
-- Vouchers are redeemed on Saturdays and Sundays only.
BEGIN;

TRUNCATE raw.order_events;

INSERT INTO raw.order_events
  (order_id, customer_id, shop_id, category, quantity, unit_price, voucher, ordered_at)
SELECT i,
       1 + (i * 7919) % 4000,
       1 + (i * 104729) % 12,
       (ARRAY['books', 'games', 'garden', 'kitchen', 'music'])[1 + (i * 15485863) % 5],
       1 + (i * 32452843) % 3,
       5 + ((i * 49979687) % 9500) / 100.0,
       CASE WHEN extract(isodow FROM at) >= 6 AND i % 9 = 0 THEN 2.50 END,
       at
FROM generate_series(1::bigint, 100000) AS i
CROSS JOIN LATERAL (
  SELECT timestamptz '2026-09-09 00:00:00+00' + (i - 1) * interval '77.76 seconds' AS at
) AS moment;

COMMIT;
