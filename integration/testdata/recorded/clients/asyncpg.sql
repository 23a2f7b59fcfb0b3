-- What asyncpg asks about types, in short, and what its pool sends when a connection comes back.
-- [extended <unnamed>] backend=1
WITH RECURSIVE tree(oid, kind, elemtype, basetype, names, depth) AS (
  SELECT t.oid, t.typtype, t.typelem, t.typbasetype, (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0), 0
  FROM pg_catalog.pg_type t WHERE t.oid = ANY($1::oid[])
  UNION ALL
  SELECT t.oid, t.typtype, t.typelem, t.typbasetype, NULL, tree.depth + 1 FROM tree, pg_catalog.pg_type t WHERE t.oid = tree.elemtype OR t.oid = tree.basetype)
SELECT DISTINCT tree.*, tree.elemtype::regtype::text AS element, (SELECT r.rngsubtype FROM pg_range r WHERE r.rngtypid = tree.oid) FROM tree ORDER BY depth DESC;
-- parameters: $1 = '{23,1007,3904}'
-- [extended <unnamed>] backend=1
SELECT current_setting('jit') AS cur, set_config('jit', 'off', false) AS new;
-- [extended <unnamed>] backend=1
SELECT set_config('jit', $1, false);
-- parameters: $1 = 'on'
-- [simple] backend=1
SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;
