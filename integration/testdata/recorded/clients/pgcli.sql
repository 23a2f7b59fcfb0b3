-- What pgcli's completion and its commands ask, in short: other words for the same questions.
-- [simple] backend=1
SELECT 1;
-- [simple] backend=1
SELECT s.* FROM unnest(current_schemas(true)) AS s;
-- [simple] backend=1
SELECT nspname FROM pg_catalog.pg_namespace ORDER BY nspname;
-- [extended <unnamed>] backend=1
SELECT n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON c.relnamespace = n.oid WHERE c.relkind = ANY($1) ORDER BY 1, 2;
-- parameters: $1 = '{r,p,f}'
-- [extended <unnamed>] backend=1
SELECT n.nspname, c.relname, a.attname, a.atttypid::regtype::text, a.atthasdef, pg_catalog.pg_get_expr(d.adbin, d.adrelid, true)
FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE c.relkind = ANY($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1, 2, a.attnum;
-- parameters: $1 = '{v,m}'
-- [simple] backend=1
SELECT c.relname, unnest((SELECT array_agg(attname ORDER BY place) FROM (SELECT unnest(k.conkey) AS attnum, generate_subscripts(k.conkey, 1) AS place) AS x
JOIN pg_catalog.pg_attribute a USING (attnum) WHERE a.attrelid = k.conrelid)) AS child FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class c ON c.oid = k.conrelid WHERE k.contype = 'f';
-- [simple] backend=1
SELECT n.nspname, t.typname FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE (t.typrelid = 0 OR (SELECT c.relkind = 'c' FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid))
AND NOT EXISTS (SELECT 1 FROM pg_catalog.pg_type e WHERE e.oid = t.typelem AND e.typarray = t.oid) AND n.nspname NOT IN ('pg_catalog', 'information_schema');
-- [simple] backend=1
SELECT n.nspname, p.proname, p.proargnames, COALESCE(proallargtypes::regtype[], proargtypes::regtype[])::text[], p.proargmodes, prorettype::regtype::text,
p.prokind = 'a', p.proretset, d.deptype = 'e', pg_get_expr(proargdefaults, 0) FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
LEFT JOIN pg_depend d ON d.objid = p.oid AND d.deptype = 'e' WHERE p.prorettype::regtype <> 'trigger'::regtype;
-- [extended <unnamed>] backend=2
SELECT c.oid, n.nspname, c.relname FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname ~ $1 AND c.relname OPERATOR(pg_catalog.~) $2;
-- parameters: $1 = '^(sales)$', $2 = '^(orders)$'
-- [simple] backend=2
SELECT c.relchecks, c.relkind, CASE WHEN c.reloftype = 0 THEN '' ELSE c.reloftype::pg_catalog.regtype::pg_catalog.text END, c.relispartition
FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_class t ON t.oid = c.reltoastrelid WHERE c.oid = 'sales.orders'::regclass;
-- [simple] backend=2
SELECT x.relname, i.indisprimary, pg_catalog.pg_get_indexdef(i.indexrelid, 0, true), pg_catalog.pg_get_constraintdef(k.oid, true) FROM pg_catalog.pg_class x, pg_catalog.pg_index i
LEFT JOIN pg_catalog.pg_constraint k ON k.conrelid = i.indrelid AND k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x') WHERE i.indrelid = 'sales.orders'::regclass AND x.oid = i.indexrelid;
-- [simple] backend=2
SELECT k.conrelid::pg_catalog.regclass, pg_catalog.pg_get_constraintdef(k.oid, true) FROM pg_catalog.pg_constraint k WHERE k.confrelid = 'sales.customers'::regclass AND k.contype = 'f';
-- [simple] backend=2
SELECT t.tgname, pg_catalog.pg_get_triggerdef(t.oid, true), t.tgenabled FROM pg_catalog.pg_trigger t WHERE t.tgrelid = 'sales.orders'::regclass AND NOT t.tgisinternal;
-- [simple] backend=2
SELECT c.oid::pg_catalog.regclass FROM pg_catalog.pg_class c, pg_catalog.pg_inherits i WHERE c.oid = i.inhrelid AND i.inhparent = 'sales.orders'::regclass ORDER BY c.oid::pg_catalog.regclass::pg_catalog.text;
