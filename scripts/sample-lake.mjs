// What the lake of examples/lake holds before its DAG has run: events of ten days of a site, some sent twice.

/** Days are 1 to 10 November 2026, and `now` for whoever runs them. */
export const lakeNow = '2026-11-11T06:00:00Z';

/** Statements of Spark SQL, in turn. `events`: a day. */
export const sampleLake = (events = 5000) => [
  'create database if not exists raw',
  'create database if not exists lake',
  `create table raw.events (event_id bigint, user_id bigint, page string, country string, seconds decimal(10,2), received_at timestamp, day date)
   using parquet partitioned by (day)`,
  `create table lake.visits (event_id bigint, user_id bigint, page string, country string, seconds decimal(10,2), day date)
   using parquet partitioned by (day)`,
  `create table lake.pages_daily (page string, visits bigint, users bigint, seconds decimal(20,2), day date, country string)
   using parquet partitioned by (day, country)`,
  'create table lake.active_users (country string, users bigint, day date) using parquet partitioned by (day)',
  `insert into raw.events select event_id, user_id, page, country, seconds, received_at, day from (
     select n as event_id, n % 997 as user_id, concat('/', element_at(array('home', 'cart', 'search', 'help'), cast(n % 4 as int) + 1)) as page,
       element_at(array('DE', 'FR', 'AT'), cast(n % 7 % 3 as int) + 1) as country, cast(n % 600 / 4.0 as decimal(10,2)) as seconds,
       timestamp'2026-11-01 00:00:00' + make_interval(0, 0, 0, cast(n div ${events} as int), 0, 0, n % ${events}) as received_at,
       date_add(date'2026-11-01', cast(n div ${events} as int)) as day
     from range(${10 * events}) r(n)
   ) lateral view explode(sequence(1, if(event_id % 50 = 0, 2, 1))) copies as copy`,
];

/** Events of 9 November that came late. */
export const lateEvents = `insert into raw.events
  select 90000000 + id, id, '/cart', 'CH', 1.5, timestamp'2026-11-10 08:00:00', date'2026-11-09' from range(40)`;
