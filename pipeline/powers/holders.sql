-- Whose privileges reach the login: its own, everybody's, and those of the roles
-- that it is a member of, each with the direct membership that leads there.
WITH RECURSIVE groups(direct, role) AS (
	SELECT roleid, roleid FROM pg_catalog.pg_auth_members WHERE member = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user)
	UNION SELECT g.direct, m.roleid FROM groups g JOIN pg_catalog.pg_auth_members m ON m.member = g.role
), holders(role, holder, direct) AS (
	SELECT (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user), 'self', NULL::oid
	UNION ALL SELECT 0::oid, 'public', NULL
	UNION ALL SELECT role, 'group', direct FROM groups
)
