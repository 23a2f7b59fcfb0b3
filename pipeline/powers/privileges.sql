, objects(kind, schema, name, field, sql, owner, acl, reason) AS (
	SELECT CASE c.relkind WHEN 'S' THEN 'sequence' ELSE 'relation' END, n.nspname, c.relname, '',
		format('%I.%I', n.nspname, c.relname), c.relowner,
		coalesce(c.relacl, acldefault(CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner)), ''
	FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname !~ '^pg_(toast|temp)'
	UNION ALL
	SELECT 'relation', n.nspname, c.relname, a.attname, format('%I.%I', n.nspname, c.relname), c.relowner, a.attacl, ''
	FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
	WHERE a.attacl IS NOT NULL AND NOT a.attisdropped
	UNION ALL
	SELECT 'schema', n.nspname, '', '', format('%I', n.nspname), n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner)), ''
	FROM pg_catalog.pg_namespace n WHERE n.nspname !~ '^pg_(toast|temp)'
	UNION ALL
	SELECT 'database', '', d.datname, '', format('%I', d.datname), d.datdba, coalesce(d.datacl, acldefault('d', d.datdba)), ''
	FROM pg_catalog.pg_database d WHERE d.datname = current_database()
	UNION ALL
	SELECT 'server', '', s.srvname, '', format('%I', s.srvname), s.srvowner, coalesce(s.srvacl, acldefault('S', s.srvowner)), ''
	FROM pg_catalog.pg_foreign_server s
	UNION ALL
	SELECT 'wrapper', '', w.fdwname, '', format('%I', w.fdwname), w.fdwowner, coalesce(w.fdwacl, acldefault('F', w.fdwowner)), ''
	FROM pg_catalog.pg_foreign_data_wrapper w
	UNION ALL
	SELECT 'largeobject', '', l.oid::text, '', l.oid::text, l.lomowner, coalesce(l.lomacl, acldefault('L', l.lomowner)), ''
	FROM pg_catalog.pg_largeobject_metadata l
	UNION ALL
	-- Functions that do what their caller may not, that leave the database, or
	-- that write where no table is. Others act with the login's own rights.
	SELECT 'function', n.nspname, p.proname, '', format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), p.proowner,
		coalesce(p.proacl, acldefault('f', p.proowner)),
		CASE WHEN n.nspname = 'pg_catalog' THEN CASE WHEN p.proname ~ '^(lo_creat|lo_create|lo_from_bytea)$' THEN 'creates large objects' ELSE 'builtin' END
			WHEN e.extname = ANY (ARRAY['dblink', 'postgres_fdw', 'file_fdw', 'adminpack', 'xml2', 'tablefunc', 'pg_cron', 'http', 'pg_net', 'aws_s3',
				'aws_lambda', 'oracle_fdw', 'mysql_fdw', 'tds_fdw', 'plproxy']) THEN 'belongs to extension ' || e.extname
			WHEN p.prosecdef THEN 'acts with its owner''s rights (SECURITY DEFINER)'
			WHEN l.lanname = 'c' THEN CASE WHEN e.extname IS NULL THEN 'is C' END
			WHEN NOT l.lanpltrusted AND l.lanname NOT IN ('internal', 'sql') THEN 'is of the untrusted language ' || l.lanname
		END
	FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace JOIN pg_catalog.pg_language l ON l.oid = p.prolang
	LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
	WHERE p.prokind IN ('f', 'p', 'w') AND n.nspname <> 'information_schema'
	-- initdb's own grants of a builtin are no power that somebody added.
	AND (n.nspname <> 'pg_catalog' OR p.proname ~ '^(lo_creat|lo_create|lo_from_bytea)$' OR p.proacl IS DISTINCT FROM
		(SELECT i.initprivs FROM pg_catalog.pg_init_privs i WHERE i.objoid = p.oid AND i.classoid = 'pg_catalog.pg_proc'::regclass AND i.objsubid = 0))
), privileges AS (
	SELECT o.kind, o.schema, o.name, o.field, o.sql, o.owner, o.reason, h.holder, h.direct, x.grantor, x.privilege_type AS privilege
	FROM objects o CROSS JOIN LATERAL aclexplode(o.acl) x JOIN holders h ON h.role = x.grantee
	WHERE o.reason IS NOT NULL
	-- What it owns is told apart: it has these until it owns it no more.
	AND NOT (h.holder = 'self' AND o.owner = h.role)
	AND CASE o.kind
		WHEN 'relation' THEN o.schema NOT IN ('pg_catalog', 'information_schema') OR h.holder = 'self'
		WHEN 'sequence' THEN x.privilege_type IN ('USAGE', 'UPDATE')
		WHEN 'schema' THEN x.privilege_type IN ('CREATE', 'USAGE')
		WHEN 'database' THEN x.privilege_type IN ('CREATE', 'TEMPORARY')
		WHEN 'function' THEN o.reason <> 'builtin' OR h.holder = 'self'
			OR h.holder = 'public' AND EXISTS (SELECT FROM pg_catalog.pg_init_privs i JOIN pg_catalog.pg_proc p ON p.oid = i.objoid
				JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
				WHERE i.classoid = 'pg_catalog.pg_proc'::regclass AND n.nspname = o.schema
				AND format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)) = o.sql
				AND NOT EXISTS (SELECT FROM aclexplode(i.initprivs) y WHERE y.grantee = 0))
		ELSE true
	END
)
SELECT kind, schema, name, sql, holder, coalesce(d.rolname, ''), coalesce(g.rolname, ''), coalesce(w.rolname, ''),
	array_agg(DISTINCT privilege ORDER BY privilege), max(reason),
	coalesce(bool_or(privilege = 'SELECT' AND field = ''), false), array_agg(DISTINCT field::text) FILTER (WHERE privilege = 'SELECT' AND field <> '')
FROM privileges p LEFT JOIN pg_catalog.pg_roles g ON g.oid = p.grantor LEFT JOIN pg_catalog.pg_roles w ON w.oid = p.owner
LEFT JOIN pg_catalog.pg_roles d ON d.oid = p.direct
GROUP BY 1, 2, 3, 4, 5, 6, 7, 8
ORDER BY 1, 2, 4, 5, 6, 7
