-- The shop's warehouse, as it stands before anything is loaded.
CREATE SCHEMA IF NOT EXISTS raw;
CREATE SCHEMA IF NOT EXISTS staging;
CREATE SCHEMA IF NOT EXISTS mart;

CREATE TABLE IF NOT EXISTS raw.order_events (
  order_id bigint PRIMARY KEY,
  customer_id integer NOT NULL,
  shop_id integer NOT NULL,
  category text NOT NULL,
  quantity integer NOT NULL,
  unit_price numeric(10, 2) NOT NULL,
  voucher numeric(10, 2),
  ordered_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS order_events_ordered_at ON raw.order_events (ordered_at);

CREATE TABLE IF NOT EXISTS staging.orders (
  order_id bigint PRIMARY KEY,
  customer_id integer NOT NULL,
  shop_id integer NOT NULL,
  category text NOT NULL,
  quantity integer NOT NULL,
  unit_price numeric(10, 2) NOT NULL,
  voucher numeric(10, 2),
  ordered_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS orders_ordered_at ON staging.orders (ordered_at);

CREATE TABLE IF NOT EXISTS mart.orders_clean (
  order_id bigint PRIMARY KEY,
  day date NOT NULL,
  customer_id integer NOT NULL,
  shop_id integer NOT NULL,
  category text NOT NULL,
  net_amount numeric(12, 2) NOT NULL,
  tax numeric(12, 2) NOT NULL,
  ordered_at timestamptz NOT NULL,
  loaded_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS orders_clean_day ON mart.orders_clean (day);

CREATE TABLE IF NOT EXISTS mart.revenue_daily (
  day date NOT NULL,
  shop_id integer NOT NULL,
  category text NOT NULL,
  orders bigint NOT NULL,
  net_amount numeric(14, 2) NOT NULL,
  tax numeric(14, 2) NOT NULL,
  PRIMARY KEY (day, shop_id, category)
);

CREATE TABLE IF NOT EXISTS mart.revenue_rolling7 (
  day date NOT NULL,
  shop_id integer NOT NULL,
  orders_7d numeric NOT NULL,
  net_amount_7d numeric(14, 2) NOT NULL,
  PRIMARY KEY (day, shop_id)
);

CREATE TABLE IF NOT EXISTS mart.customer_latest (
  customer_id integer PRIMARY KEY,
  last_order_id bigint NOT NULL,
  last_order_at timestamptz NOT NULL,
  last_net_amount numeric(12, 2) NOT NULL
);

CREATE TABLE IF NOT EXISTS mart.revenue_monthly (
  month date NOT NULL,
  shop_id integer NOT NULL,
  best_week_end date NOT NULL,
  best_week_net numeric(14, 2) NOT NULL,
  PRIMARY KEY (month, shop_id)
);
