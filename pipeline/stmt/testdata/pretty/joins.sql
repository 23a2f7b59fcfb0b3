SELECT a.region, sum(i.quantity * i.unit_price) AS revenue FROM (SELECT id, region FROM public.accounts WHERE tenant_id = 1) a LEFT OUTER JOIN public.orders o ON o.account_id = a.id JOIN public.order_items i ON i.order_id = o.id WHERE o.status = 'completed' AND o.ordered_at IS DISTINCT FROM NULL GROUP BY a.region HAVING count(*) > 1 ORDER BY 2 DESC, a.region LIMIT 5 OFFSET 1

-- laid out --
SELECT a.region, sum(i.quantity * i.unit_price) AS revenue
FROM (
  SELECT id, region
  FROM public.accounts
  WHERE tenant_id = 1
) a
LEFT OUTER JOIN public.orders o ON o.account_id = a.id
JOIN public.order_items i ON i.order_id = o.id
WHERE o.status = 'completed' AND o.ordered_at IS DISTINCT FROM NULL
GROUP BY a.region
HAVING count(*) > 1
ORDER BY 2 DESC, a.region
LIMIT 5
OFFSET 1
