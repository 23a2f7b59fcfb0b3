SELECT 'parameter', '', p.parname, format('%I', p.parname), h.holder, coalesce(d.rolname, ''), g.rolname, g.rolname,
	array_agg(DISTINCT x.privilege_type ORDER BY x.privilege_type), '', false, NULL::text[]
FROM pg_catalog.pg_parameter_acl p CROSS JOIN LATERAL aclexplode(p.paracl) x JOIN holders h ON h.role = x.grantee
JOIN pg_catalog.pg_roles g ON g.oid = x.grantor LEFT JOIN pg_catalog.pg_roles d ON d.oid = h.direct
GROUP BY p.parname, h.holder, d.rolname, g.rolname
ORDER BY p.parname
