-- What LibreOffice Base asks when it shows tables, a table and its rows, in short.
-- [simple] backend=1
set client_encoding to 'UNICODE';
-- [simple] backend=1
SELECT DISTINCT ON (n.nspname, relname) n.nspname, relname, relkind, d.description FROM pg_namespace n, pg_class c LEFT JOIN pg_description d ON c.oid = d.objoid
WHERE relnamespace = n.oid AND (relkind = 'r' OR relkind = 'v') AND n.nspname LIKE '%' AND relname LIKE '%';
-- [simple] backend=1
SELECT c.relname, a.attname, t.typname, a.atttypmod, t.typdefault, pg_get_expr(d.adbin, d.adrelid, true), t.typbasetype FROM pg_class c, pg_attribute a
LEFT JOIN pg_attrdef d ON a.attrelid = d.adrelid AND a.attnum = d.adnum, pg_type t WHERE a.attrelid = c.oid AND a.atttypid = t.oid AND NOT a.attisdropped AND c.relname LIKE 'orders' ORDER BY a.attnum;
-- [simple] backend=1
WITH k AS (SELECT oid, conname, contype, conrelid, confrelid, generate_subscripts(conkey, 1) AS place, unnest(conkey) AS conkey, unnest(confkey) AS confkey FROM pg_catalog.pg_constraint)
SELECT NULL::text AS pktable_cat, pc.relname, pa.attname, k.conname, i.relname AS pk_name FROM pg_catalog.pg_class pc, pg_catalog.pg_attribute pa, k, pg_catalog.pg_depend d, pg_catalog.pg_class i
WHERE pc.oid = pa.attrelid AND pa.attnum = k.confkey AND k.confrelid = pc.oid AND k.contype = 'f' AND k.oid = d.objid AND i.oid = d.refobjid AND i.relkind = 'i'
AND d.classid = 'pg_constraint'::regclass::oid AND d.refclassid = 'pg_class'::regclass::oid ORDER BY place;
-- [simple] backend=1
SELECT c.relname, x.relname, indisclustered, indisunique, indisprimary, indkey FROM pg_index JOIN pg_class c ON indrelid = c.oid JOIN pg_class x ON pg_index.indexrelid = x.oid WHERE c.relname = 'orders';
-- [simple] backend=1
SELECT t.typname, b.typtype, b.typname, n.nspname FROM pg_type t LEFT JOIN pg_type b ON t.typbasetype = b.oid LEFT JOIN pg_namespace n ON t.typnamespace = n.oid WHERE t.typtype = 'd';
-- [simple] backend=1
SELECT table_schema, table_name, grantor, grantee, privilege_type, is_grantable FROM information_schema.table_privileges WHERE table_schema LIKE 'sales';
-- [simple] backend=1
SELECT "name" FROM "sales"."customers" WHERE "id" = '3';
-- [simple] backend=1
SELECT * FROM "sales"."orders" "orders" WHERE "status" = 'paid' ORDER BY "id";
