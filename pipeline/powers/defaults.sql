SELECT h.holder, coalesce(d.rolname, ''), w.rolname, coalesce(n.nspname, ''),
	CASE a.defaclobjtype WHEN 'r' THEN 'tables' WHEN 'S' THEN 'sequences' ELSE 'schemas' END, array_agg(DISTINCT x.privilege_type ORDER BY x.privilege_type)
FROM pg_catalog.pg_default_acl a CROSS JOIN LATERAL aclexplode(a.defaclacl) x JOIN holders h ON h.role = x.grantee
JOIN pg_catalog.pg_roles w ON w.oid = a.defaclrole LEFT JOIN pg_catalog.pg_namespace n ON n.oid = a.defaclnamespace
LEFT JOIN pg_catalog.pg_roles d ON d.oid = h.direct
WHERE x.grantee <> a.defaclrole AND CASE a.defaclobjtype
	WHEN 'r' THEN true
	WHEN 'S' THEN x.privilege_type IN ('USAGE', 'UPDATE')
	WHEN 'n' THEN x.privilege_type = 'CREATE'
	ELSE false -- what a function may do, it does with the login's own rights
END
GROUP BY 1, 2, 3, 4, 5
ORDER BY 1, 2, 3, 4, 5
