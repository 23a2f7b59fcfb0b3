package powers

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

// Uses is what a login is there for.
type Uses struct {
	// Tables are the relations that its roles read, by name; Columns which of their
	// columns, all where there are none.
	Tables  map[catalog.Name]bool
	Columns map[catalog.Name][]string
	// Function tells whether a role allows a function by that name; nil for none.
	Function func(schema, name string) bool
}

// Power is something that a login can do and need not.
type Power struct {
	// What completes "login x …".
	What string
	// SQL takes it away, for an owner of what it is about or a superuser.
	SQL []string
}

// Read asks about the login that conn is a session of, in the database that it
// is connected to. Roles that the login is a member of count, whether it
// inherits from them or has to SET ROLE. Settings of the session change.
func Read(ctx context.Context, conn *pgx.Conn, u Uses) ([]Power, error) {
	r := reader{ctx: ctx, conn: conn, uses: u}
	// Names are spelled whole, and nothing is compiled for one look at catalogs.
	if _, err := conn.Exec(ctx, "SET search_path = pg_catalog, pg_temp; SET jit = off"); err != nil {
		return nil, err
	}
	if err := r.self(); err != nil {
		return nil, fmt.Errorf("attributes of the login: %w", err)
	}
	if r.me.first {
		return []Power{{What: "is the superuser that the server was made with, which can't be made weaker; give governed roles a login of their own"}}, nil
	}
	for _, read := range []struct {
		what string
		from func() error
	}{
		{"roles of the login", r.memberships},
		{"what the login owns", r.owned},
		{"privileges of the login", r.privileges},
		{"default privileges", r.defaultPrivileges},
		{"what its roles read", r.relations},
	} {
		if err := read.from(); err != nil {
			return nil, fmt.Errorf("%s: %w", read.what, err)
		}
	}
	return r.report(), nil
}

// reader collects what the catalog says.
type reader struct {
	ctx  context.Context
	conn *pgx.Conn
	uses Uses

	me      attributes
	groups  []*group // that the login is a direct member of
	objects int      // that it owns
	heir    string   // who could own them instead
	grants  []grant
	coming  []coming
	// widths are how many columns the relations have that its roles read.
	widths map[catalog.Name]int
}

// attributes are those of a role.
type attributes struct {
	name                                                  string
	first                                                 bool // the bootstrap superuser
	super, bypass, createRole, createDatabase, replicates bool
	readOnly                                              bool // starts read-only transactions
	rowSecurity                                           bool // some table that it reads has row level security
}

func (r *reader) self() error {
	m := &r.me
	err := r.conn.QueryRow(r.ctx, `
		SELECT rolname, oid = 10, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication,
			current_setting('default_transaction_read_only')::bool
		FROM pg_catalog.pg_roles WHERE rolname = session_user`).
		Scan(&m.name, &m.first, &m.super, &m.bypass, &m.createRole, &m.createDatabase, &m.replicates, &m.readOnly)
	if err != nil {
		return err
	}
	rows, err := r.conn.Query(r.ctx, `
		SELECT n.nspname, c.relname FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relrowsecurity`)
	if err != nil {
		return err
	}
	var n catalog.Name
	_, err = pgx.ForEachRow(rows, []any{&n.Schema, &n.Table}, func() error {
		m.rowSecurity = m.rowSecurity || r.uses.Tables[n]
		return nil
	})
	return err
}

// group is a role that the login is a direct member of, with all that it leads
// to.
type group struct {
	name     string
	grantors []string // of the membership
	reasons  []string // why the login shouldn't be in it
}

func (g *group) because(format string, args ...any) {
	g.reasons = append(g.reasons, fmt.Sprintf(format, args...))
}

// memberships reads the groups, with the attributes and objects of the roles
// behind them.
func (r *reader) memberships() error {
	rows, err := r.conn.Query(r.ctx, holdersQuery+`
		SELECT d.rolname, r.rolname, r.oid < 16384, r.rolsuper, r.rolbypassrls, r.rolcreaterole, r.rolcreatedb, r.rolreplication,
			ARRAY(SELECT DISTINCT o.rolname::text FROM pg_catalog.pg_auth_members m JOIN pg_catalog.pg_roles o ON o.oid = m.grantor
				WHERE m.roleid = g.direct AND m.member = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user)),
			(SELECT count(*) FROM pg_catalog.pg_shdepend s JOIN pg_catalog.pg_database b ON b.datname = current_database()
				WHERE s.refclassid = 'pg_catalog.pg_authid'::regclass AND s.refobjid = g.role AND s.deptype = 'o' AND s.dbid IN (0, b.oid))
		FROM groups g JOIN pg_catalog.pg_roles d ON d.oid = g.direct JOIN pg_catalog.pg_roles r ON r.oid = g.role
		ORDER BY d.rolname, r.rolname`)
	if err != nil {
		return err
	}
	var direct string
	var a attributes
	var predefined bool
	var grantors []string
	var objects int
	_, err = pgx.ForEachRow(rows, []any{&direct, &a.name, &predefined, &a.super, &a.bypass, &a.createRole, &a.createDatabase, &a.replicates,
		&grantors, &objects}, func() error {
		g := r.group(direct)
		if g == nil {
			g = &group{name: direct, grantors: grantors}
			r.groups = append(r.groups, g)
		}
		if predefined {
			g.because("%s", predefinedRole(a.name))
		}
		for _, p := range a.powers(r.me.rowSecurity) {
			g.because("%s", p.What)
		}
		if objects > 0 {
			g.because("owns %s", count(objects, "object"))
		}
		return nil
	})
	return err
}

func (r *reader) group(name string) *group {
	for _, g := range r.groups {
		if g.name == name {
			return g
		}
	}
	return nil
}

// owned counts what the login owns, and finds who could instead: the owner of
// the database, if that is somebody else, else the first superuser.
func (r *reader) owned() error {
	return r.conn.QueryRow(r.ctx, `
		SELECT (SELECT count(*) FROM pg_catalog.pg_shdepend s
				WHERE s.refclassid = 'pg_catalog.pg_authid'::regclass AND s.refobjid = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = session_user)
				AND s.deptype = 'o' AND s.dbid IN (0, b.oid)),
			(SELECT rolname FROM pg_catalog.pg_roles WHERE oid = CASE WHEN pg_has_role(session_user, b.datdba, 'MEMBER') THEN 10 ELSE b.datdba END)
		FROM pg_catalog.pg_database b WHERE b.datname = current_database()`).Scan(&r.objects, &r.heir)
}
