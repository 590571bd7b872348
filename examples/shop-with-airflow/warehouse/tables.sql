-- Beside the tables of the shop.
CREATE TABLE IF NOT EXISTS mart.basket_daily (
  day date NOT NULL,
  shop_id integer NOT NULL,
  basket numeric(12, 2) NOT NULL,
  PRIMARY KEY (day, shop_id)
);
