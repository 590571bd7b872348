-- An event that was sent twice counts once: of its copies the one that came first.
INSERT OVERWRITE TABLE lake.visits PARTITION (day = '{{ ds }}')
SELECT event_id, user_id, page, country, seconds
FROM (
  SELECT *, row_number() OVER (PARTITION BY event_id ORDER BY received_at, user_id) AS copy
  FROM raw.events
  WHERE day = '{{ ds }}'
) events
WHERE copy = 1
