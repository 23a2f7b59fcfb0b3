WITH RECURSIVE groups(direct, role) AS (
	SELECT roleid, roleid FROM pg_catalog.pg_auth_members WHERE member = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user)
	UNION SELECT g.direct, m.roleid FROM groups g JOIN pg_catalog.pg_auth_members m ON m.member = g.role
), holders(role, holder, direct) AS (
	SELECT (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user), 'self', NULL::oid
	UNION ALL SELECT 0::oid, 'public', NULL
	UNION ALL SELECT role, 'group', direct FROM groups
)
SELECT 'parameter', '', p.parname, format('%I', p.parname), h.holder, coalesce(d.rolname, ''), g.rolname, g.rolname,
	array_agg(DISTINCT x.privilege_type ORDER BY x.privilege_type), ''
FROM pg_catalog.pg_parameter_acl p CROSS JOIN LATERAL aclexplode(p.paracl) x JOIN holders h ON h.role = x.grantee
JOIN pg_catalog.pg_roles g ON g.oid = x.grantor LEFT JOIN pg_catalog.pg_roles d ON d.oid = h.direct
GROUP BY p.parname, h.holder, d.rolname, g.rolname
ORDER BY p.parname
