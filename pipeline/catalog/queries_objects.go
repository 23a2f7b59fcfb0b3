package catalog

// systemQuery gives the relations of the system schemas with their columns.
const systemQuery = `
SELECT c.oid, n.nspname::pg_catalog.text, c.relname::pg_catalog.text, c.relkind::pg_catalog.text,
       a.attname::pg_catalog.text, a.attnum, t.oid, tn.nspname::pg_catalog.text, t.typname::pg_catalog.text,
       pg_catalog.format_type(a.atttypid, a.atttypmod), t.typcategory::pg_catalog.text
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) c.oid
JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
JOIN pg_catalog.pg_namespace tn ON tn.oid OPERATOR(pg_catalog.=) t.typnamespace
WHERE n.nspname OPERATOR(pg_catalog.=) ANY ('{pg_catalog,information_schema}'::pg_catalog.name[])
  AND c.oid OPERATOR(pg_catalog.<) 16384::pg_catalog.oid
  AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,v}'::pg_catalog."char"[])
  AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
ORDER BY n.nspname, c.relname, a.attnum`

// addedQuery gives functions and operators that people put into
// pg_catalog.
const addedQuery = `
SELECT f.proname::pg_catalog.text FROM pg_catalog.pg_proc f
WHERE f.pronamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace AND f.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
UNION
SELECT o.oprname::pg_catalog.text FROM pg_catalog.pg_operator o
WHERE o.oprnamespace OPERATOR(pg_catalog.=) 'pg_catalog'::pg_catalog.regnamespace AND o.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid
ORDER BY 1`

const schemasQuery = `
SELECT n.oid, n.nspname::pg_catalog.text FROM pg_catalog.pg_namespace n
WHERE ` + userSchema + ` ORDER BY n.oid`

// indexesQuery leaves out the schemas of operator classes and collations that are
// the column's own: definitions don't name those.
const indexesQuery = `
SELECT i.indexrelid, x.relname::pg_catalog.text, i.indrelid, i.indkey::pg_catalog.int2[],
       i.indexprs IS NOT NULL OR i.indpred IS NOT NULL,
       COALESCE((SELECT pg_catalog.array_agg(DISTINCT ns.nspname::pg_catalog.text ORDER BY ns.nspname::pg_catalog.text)
                 FROM pg_catalog.pg_namespace ns
                 WHERE ns.nspname OPERATOR(pg_catalog.<>) ALL ('{pg_catalog,information_schema}'::pg_catalog.name[]) AND ns.oid OPERATOR(pg_catalog.=) ANY (ARRAY(
                   SELECT oc.opcnamespace
                   FROM ROWS FROM (pg_catalog.unnest(i.indkey::pg_catalog.int2[]), pg_catalog.unnest(i.indclass::pg_catalog.oid[])) AS u (attnum, used)
                   JOIN pg_catalog.pg_opclass oc ON oc.oid OPERATOR(pg_catalog.=) u.used
                   LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) u.attnum
                   WHERE NOT oc.opcdefault OR oc.opcintype OPERATOR(pg_catalog.<>) a.atttypid
                   UNION ALL
                   SELECT co.collnamespace
                   FROM ROWS FROM (pg_catalog.unnest(i.indkey::pg_catalog.int2[]), pg_catalog.unnest(i.indcollation::pg_catalog.oid[])) AS u (attnum, used)
                   JOIN pg_catalog.pg_collation co ON co.oid OPERATOR(pg_catalog.=) u.used
                   LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid AND a.attnum OPERATOR(pg_catalog.=) u.attnum
                   WHERE a.attcollation IS NULL OR a.attcollation OPERATOR(pg_catalog.<>) co.oid
                   UNION ALL
                   SELECT op.oprnamespace
                   FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_operator op ON op.oid OPERATOR(pg_catalog.=) ANY (k.conexclop)
                   WHERE k.conindid OPERATOR(pg_catalog.=) i.indexrelid))), '{}')
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class x ON x.oid OPERATOR(pg_catalog.=) i.indexrelid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) x.relnamespace
WHERE ` + userSchema + ` ORDER BY i.indexrelid`

const constraintsQuery = `
SELECT k.oid, k.conname::pg_catalog.text, k.contype::pg_catalog.text, k.conrelid, k.conindid,
       COALESCE(k.conkey, '{}'), k.confrelid, COALESCE(k.confkey, '{}')
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) k.connamespace
WHERE k.conrelid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid AND ` + userSchema + ` ORDER BY k.oid`

const functionsQuery = `
SELECT f.oid, n.nspname::pg_catalog.text, f.proname::pg_catalog.text, COALESCE(f.proallargtypes, f.proargtypes::pg_catalog.oid[]), f.prorettype,
       s.schemas, s.names, f.pronargs OPERATOR(pg_catalog.-) f.pronargdefaults, f.provariadic OPERATOR(pg_catalog.<>) 0::pg_catalog.oid
FROM pg_catalog.pg_proc f
CROSS JOIN LATERAL (
  SELECT COALESCE(pg_catalog.array_agg(tn.nspname::pg_catalog.text ORDER BY x.place), '{}'), COALESCE(pg_catalog.array_agg(t.typname::pg_catalog.text ORDER BY x.place), '{}')
  FROM pg_catalog.unnest(f.proargtypes::pg_catalog.oid[]) WITH ORDINALITY AS x (oid, place)
  JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) x.oid
  JOIN pg_catalog.pg_namespace tn ON tn.oid OPERATOR(pg_catalog.=) t.typnamespace) AS s (schemas, names)
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) f.pronamespace
WHERE ` + userSchema + ` ORDER BY f.oid`

// typeCodeQuery gives the functions of casts and of domains' checks, which may also
// call one through an operator. 12 is the language internal, 13 C.
const typeCodeQuery = `
WITH used AS (
  SELECT ARRAY[c.castsource, c.casttarget] AS types, c.castfunc AS function, 'cast' AS what
  FROM pg_catalog.pg_cast c
  UNION
  SELECT ARRAY[k.contypid], COALESCE(o.oprcode::pg_catalog.oid, d.refobjid), 'check'
  FROM pg_catalog.pg_constraint k
  JOIN pg_catalog.pg_depend d ON d.objid OPERATOR(pg_catalog.=) k.oid AND d.classid OPERATOR(pg_catalog.=) 'pg_catalog.pg_constraint'::pg_catalog.regclass
    AND d.refclassid OPERATOR(pg_catalog.=) ANY ('{pg_catalog.pg_proc,pg_catalog.pg_operator}'::pg_catalog.regclass[])
  LEFT JOIN pg_catalog.pg_operator o ON d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_operator'::pg_catalog.regclass AND o.oid OPERATOR(pg_catalog.=) d.refobjid
  WHERE k.contypid OPERATOR(pg_catalog.<>) 0::pg_catalog.oid
)
SELECT u.types, u.what,
       ARRAY(SELECT pg_catalog.concat(CASE WHEN tn.nspname OPERATOR(pg_catalog.<>) 'pg_catalog' THEN pg_catalog.concat(tn.nspname, '.') END, t.typname)
             FROM pg_catalog.unnest(u.types) WITH ORDINALITY AS x (oid, place)
             JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) x.oid
             JOIN pg_catalog.pg_namespace tn ON tn.oid OPERATOR(pg_catalog.=) t.typnamespace ORDER BY x.place),
       f.oid, n.nspname::pg_catalog.text, f.proname::pg_catalog.text
FROM used u
JOIN pg_catalog.pg_proc f ON f.oid OPERATOR(pg_catalog.=) u.function
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) f.pronamespace
WHERE f.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid AND f.prolang OPERATOR(pg_catalog.<>) ALL ('{12,13}'::pg_catalog.oid[])
ORDER BY u.types, f.oid`

// typeObjectsQuery looks multiranges up by name, since Postgres 13 has none.
const typeObjectsQuery = `
SELECT t.oid, n.nspname::pg_catalog.text, t.typname::pg_catalog.text, t.typtype::pg_catalog.text, t.typrelid,
       COALESCE(c.relkind OPERATOR(pg_catalog.<>) 'c', false),
       CASE WHEN t.typcategory OPERATOR(pg_catalog.=) 'A' THEN t.typelem ELSE 0::pg_catalog.oid END, t.typbasetype,
       CASE t.typtype
         WHEN 'c' THEN (SELECT pg_catalog.array_agg(a.atttypid) FROM pg_catalog.pg_attribute a
                        WHERE a.attrelid OPERATOR(pg_catalog.=) t.typrelid AND a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped)
         WHEN 'r' THEN (SELECT pg_catalog.array_agg(r.rngsubtype) FROM pg_catalog.pg_range r WHERE r.rngtypid OPERATOR(pg_catalog.=) t.oid)
         WHEN 'm' THEN (SELECT pg_catalog.array_agg(r.rngtypid) FROM pg_catalog.pg_range r
                        WHERE (pg_catalog.to_jsonb(r) OPERATOR(pg_catalog.->>) 'rngmultitypid') OPERATOR(pg_catalog.=) t.oid::pg_catalog.text)
       END
FROM pg_catalog.pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
LEFT JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.typrelid
WHERE ` + userSchema + ` ORDER BY t.oid`
