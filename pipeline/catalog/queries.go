package catalog

// The queries below name every function, type and operator with its schema, so
// that they mean the same under any search_path. They run on Postgres 13 to 18.

// userSchema is the condition that a namespace n is not one of the system's;
// names that start with pg_ are reserved for those.
const userSchema = `n.nspname OPERATOR(pg_catalog.<>) 'information_schema'
  AND pg_catalog.left(n.nspname::pg_catalog.text, 3) OPERATOR(pg_catalog.<>) 'pg_'`

const identityQuery = `
SELECT pg_catalog.current_database()::pg_catalog.text,
       pg_catalog.current_setting('server_version_num')::pg_catalog.int4`

// relationsQuery gives relations with their first parent. reltuples is 0 both
// for empty and for never analyzed tables before Postgres 14.
const relationsQuery = `
SELECT c.oid, n.nspname::pg_catalog.text, c.relname::pg_catalog.text, c.relkind::pg_catalog.text, c.relispartition,
       COALESCE((SELECT d.description FROM pg_catalog.pg_description d
                 WHERE d.objoid OPERATOR(pg_catalog.=) c.oid AND d.objsubid OPERATOR(pg_catalog.=) 0
                   AND d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass), ''),
       CASE WHEN c.relkind OPERATOR(pg_catalog.=) 'v' THEN -1
            WHEN c.reltuples OPERATOR(pg_catalog.<=) 0 AND c.relpages OPERATOR(pg_catalog.=) 0 THEN -1
            ELSE c.reltuples END::pg_catalog.float8,
       COALESCE(p.nspname, ''), COALESCE(p.relname, '')
FROM pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
LEFT JOIN LATERAL (
    SELECT pn.nspname::pg_catalog.text, pc.relname::pg_catalog.text
    FROM pg_catalog.pg_inherits i
    JOIN pg_catalog.pg_class pc ON pc.oid OPERATOR(pg_catalog.=) i.inhparent
    JOIN pg_catalog.pg_namespace pn ON pn.oid OPERATOR(pg_catalog.=) pc.relnamespace
    WHERE i.inhrelid OPERATOR(pg_catalog.=) c.oid
    ORDER BY i.inhseqno LIMIT 1) p ON true
WHERE c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f}'::pg_catalog."char"[]) AND ` + userSchema + `
ORDER BY n.nspname, c.relname`

const columnsQuery = `
SELECT a.attrelid, a.attname::pg_catalog.text, a.attnum, a.attnotnull, a.attgenerated OPERATOR(pg_catalog.<>) '',
       COALESCE((SELECT d.description FROM pg_catalog.pg_description d
                 WHERE d.objoid OPERATOR(pg_catalog.=) a.attrelid AND d.objsubid OPERATOR(pg_catalog.=) a.attnum
                   AND d.classoid OPERATOR(pg_catalog.=) 'pg_catalog.pg_class'::pg_catalog.regclass), ''),
       t.oid, tn.nspname::pg_catalog.text, t.typname::pg_catalog.text,
       pg_catalog.format_type(a.atttypid, a.atttypmod), t.typcategory::pg_catalog.text,
       COALESCE((SELECT co.collname::pg_catalog.text FROM pg_catalog.pg_collation co
                 WHERE co.oid OPERATOR(pg_catalog.=) a.attcollation AND co.collprovider OPERATOR(pg_catalog.<>) 'd'), '')
FROM pg_catalog.pg_attribute a
JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) a.attrelid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_type t ON t.oid OPERATOR(pg_catalog.=) a.atttypid
JOIN pg_catalog.pg_namespace tn ON tn.oid OPERATOR(pg_catalog.=) t.typnamespace
WHERE a.attnum OPERATOR(pg_catalog.>) 0 AND NOT a.attisdropped
  AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,v,m,f}'::pg_catalog."char"[]) AND ` + userSchema + `
ORDER BY a.attrelid, a.attnum`

// keysQuery gives what makes rows unique: valid unique indexes, whole, over
// plain columns. A deferrable unique key may be violated for a while, a
// primary key is taken anyway, since only committed rows are asked about.
const keysQuery = `
SELECT i.indrelid, i.indisprimary,
       (SELECT pg_catalog.array_agg(a.attname::pg_catalog.text ORDER BY k.place)
        FROM pg_catalog.unnest(i.indkey::pg_catalog.int2[]) WITH ORDINALITY AS k (attnum, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) i.indrelid
                                      AND a.attnum OPERATOR(pg_catalog.=) k.attnum
        WHERE k.place OPERATOR(pg_catalog.<=) i.indnkeyatts)
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) i.indrelid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
WHERE i.indisunique AND i.indisvalid AND (i.indimmediate OR i.indisprimary)
  AND i.indpred IS NULL AND i.indexprs IS NULL
  AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p,m,f}'::pg_catalog."char"[]) AND ` + userSchema + `
ORDER BY i.indrelid, i.indexrelid`

// foreignKeysQuery leaves out the copies that a key to a partitioned table has
// for each of its partitions.
const foreignKeysQuery = `
SELECT k.conrelid, k.conname::pg_catalog.text, rn.nspname::pg_catalog.text, r.relname::pg_catalog.text,
       (SELECT pg_catalog.array_agg(a.attname::pg_catalog.text ORDER BY x.place)
        FROM pg_catalog.unnest(k.conkey) WITH ORDINALITY AS x (attnum, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) k.conrelid
                                      AND a.attnum OPERATOR(pg_catalog.=) x.attnum),
       (SELECT pg_catalog.array_agg(a.attname::pg_catalog.text ORDER BY x.place)
        FROM pg_catalog.unnest(k.confkey) WITH ORDINALITY AS x (attnum, place)
        JOIN pg_catalog.pg_attribute a ON a.attrelid OPERATOR(pg_catalog.=) k.confrelid
                                      AND a.attnum OPERATOR(pg_catalog.=) x.attnum)
FROM pg_catalog.pg_constraint k
JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) k.conrelid
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
JOIN pg_catalog.pg_class r ON r.oid OPERATOR(pg_catalog.=) k.confrelid
JOIN pg_catalog.pg_namespace rn ON rn.oid OPERATOR(pg_catalog.=) r.relnamespace
WHERE k.contype OPERATOR(pg_catalog.=) 'f' AND ` + userSchema + `
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint p
                  WHERE p.oid OPERATOR(pg_catalog.=) k.conparentid
                    AND p.conrelid OPERATOR(pg_catalog.=) k.conrelid)
ORDER BY k.conrelid, k.conname`

// typesQuery gives types that people made; a table's row type is not one.
const typesQuery = `
SELECT t.oid, n.nspname::pg_catalog.text, t.typname::pg_catalog.text, t.typtype::pg_catalog.text,
       COALESCE((SELECT pg_catalog.array_agg(e.enumlabel::pg_catalog.text ORDER BY e.enumsortorder)
                 FROM pg_catalog.pg_enum e WHERE e.enumtypid OPERATOR(pg_catalog.=) t.oid), '{}'),
       COALESCE(b.oid, 0), COALESCE(bn.nspname, '')::pg_catalog.text, COALESCE(b.typname, '')::pg_catalog.text,
       COALESCE(pg_catalog.format_type(b.oid, t.typtypmod), ''), COALESCE(b.typcategory::pg_catalog.text, '')
FROM pg_catalog.pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid OPERATOR(pg_catalog.=) t.typnamespace
LEFT JOIN pg_catalog.pg_type b ON t.typtype OPERATOR(pg_catalog.=) 'd' AND b.oid OPERATOR(pg_catalog.=) t.typbasetype
LEFT JOIN pg_catalog.pg_namespace bn ON bn.oid OPERATOR(pg_catalog.=) b.typnamespace
LEFT JOIN pg_catalog.pg_class c ON c.oid OPERATOR(pg_catalog.=) t.typrelid
WHERE ` + userSchema + `
  AND (t.typtype OPERATOR(pg_catalog.=) ANY ('{e,d,r}'::pg_catalog."char"[]) OR t.typtype OPERATOR(pg_catalog.=) 'c' AND c.relkind OPERATOR(pg_catalog.=) 'c')
ORDER BY n.nspname, t.typname`

// distinctQuery gives what ANALYZE knows of columns that the login may read.
// A negative number is a share of the rows.
const distinctQuery = `
SELECT s.schemaname::pg_catalog.text, s.tablename::pg_catalog.text, s.attname::pg_catalog.text,
       pg_catalog.max(s.n_distinct)::pg_catalog.float8
FROM pg_catalog.pg_stats s
JOIN pg_catalog.pg_namespace n ON n.nspname OPERATOR(pg_catalog.=) s.schemaname
WHERE ` + userSchema + `
GROUP BY s.schemaname, s.tablename, s.attname`

// fingerprintQuery digests the versions (xmin) of all catalog rows that a
// snapshot is made of. Statistics are updated in place and don't count.
const fingerprintQuery = `
SELECT pg_catalog.md5(pg_catalog.concat_ws(',',
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(c.oid::pg_catalog.int8, c.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_class c WHERE c.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(a.attrelid::pg_catalog.int8 OPERATOR(pg_catalog.*) 2048
      OPERATOR(pg_catalog.+) a.attnum, a.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_attribute a WHERE a.attrelid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(k.oid::pg_catalog.int8, k.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_constraint k WHERE k.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(i.indexrelid::pg_catalog.int8, i.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_index i WHERE i.indexrelid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(t.oid::pg_catalog.int8, t.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_type t WHERE t.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(e.oid::pg_catalog.int8, e.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_enum e),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(i.inhrelid::pg_catalog.int8, i.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_inherits i),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(s.oid::pg_catalog.int8, s.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_namespace s),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(f.oid::pg_catalog.int8, f.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_proc f WHERE f.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(o.oid::pg_catalog.int8, o.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_operator o WHERE o.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(c.oid::pg_catalog.int8, c.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_cast c WHERE c.oid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid),
  (SELECT pg_catalog.sum(pg_catalog.hashint8extended(d.objoid::pg_catalog.int8 OPERATOR(pg_catalog.*) 2048
      OPERATOR(pg_catalog.+) d.objsubid, d.xmin::pg_catalog.text::pg_catalog.int8))
   FROM pg_catalog.pg_description d WHERE d.objoid OPERATOR(pg_catalog.>=) 16384::pg_catalog.oid)))`
