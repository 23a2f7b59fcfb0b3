WITH m AS (SELECT date_trunc('month', ordered_at) AS month, count(*) AS n FROM orders GROUP BY 1), t AS (SELECT 1 UNION ALL SELECT 2) SELECT m.month, m.n, sum(n) OVER (PARTITION BY x ORDER BY month), (SELECT max(n) FROM m) FROM m CROSS JOIN t WHERE month IN (SELECT month FROM m WHERE n > 3) AND EXISTS (SELECT 1)

-- laid out --
WITH m AS (
  SELECT date_trunc('month', ordered_at) AS month, count(*) AS n
  FROM orders
  GROUP BY 1
), t AS (
  SELECT 1
  UNION ALL
  SELECT 2
)
SELECT m.month, m.n, sum(n) OVER (PARTITION BY x ORDER BY month), (
  SELECT max(n)
  FROM m
)
FROM m
CROSS JOIN t
WHERE month IN (
  SELECT month
  FROM m
  WHERE n > 3
) AND EXISTS (
  SELECT 1
)
