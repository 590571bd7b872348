/** Runs a query on the shop's database; rows as objects. */
export type Query = (sql: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * What is wrong in the shop's tables for the days `from` to `to` (not included) after a rerun with everything
 * downstream: days whose rows differ from what the sources give, and rows that are there twice. Empty: all is well.
 */
export async function wrongDays(query: Query, from: string, to: string): Promise<readonly unknown[]> {
  const days = `BETWEEN date '${from}' AND date '${to}' - 1`;
  return query(`
    WITH expected AS (
      SELECT ordered_at::date AS day, count(*) AS rows,
             sum(quantity * unit_price - coalesce(voucher, 0)) AS net
      FROM staging.orders WHERE ordered_at::date ${days} GROUP BY 1
    ), cleaned AS (
      SELECT day, count(*) AS rows, sum(net_amount) AS net FROM mart.orders_clean WHERE day ${days} GROUP BY 1
    ), summed AS (
      SELECT day, sum(orders) AS rows, sum(net_amount) AS net FROM mart.revenue_daily WHERE day ${days} GROUP BY 1
    )
    SELECT expected.day::text, expected.rows::text, expected.net::text, cleaned.rows::text AS cleaned,
           cleaned.net::text AS cleaned_net, summed.rows::text AS summed, summed.net::text AS summed_net
    FROM expected LEFT JOIN cleaned USING (day) LEFT JOIN summed USING (day)
    WHERE (expected.rows, expected.net) IS DISTINCT FROM (cleaned.rows, cleaned.net)
       OR (expected.rows, expected.net) IS DISTINCT FROM (summed.rows, summed.net)
    UNION ALL
    SELECT r.day::text, r.shop_id::text, r.net_amount_7d::text, sum(d.net_amount)::text, NULL, NULL, NULL
    FROM mart.revenue_rolling7 AS r JOIN mart.revenue_daily AS d
      ON d.shop_id = r.shop_id AND d.day > r.day - 7 AND d.day <= r.day
    WHERE r.day ${days}
    GROUP BY r.day, r.shop_id, r.net_amount_7d HAVING sum(d.net_amount) <> r.net_amount_7d`);
}
