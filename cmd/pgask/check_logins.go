package main

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/powers"
	"github.com/pgask/pgask/policy"
)

// usedLogin is a login that governed roles use in one database, and where the
// files first name it.
type usedLogin struct {
	auth.Login
	dsn    bool // its own
	pos    configs.Pos
	key    string
	tables map[catalog.Name]bool
	reads  map[catalog.Name][]string // columns that its own roles make it read
	calls  map[catalog.Name]bool     // functions
}

// checkLogins connects as each login that governed roles use and warns of what
// it can do besides reading for them, and of what they may read and it can't. pgask's own questions are asked with the
// dsn's login, so that one counts as all roles'; it samples what those read that ask, and what it
// can't read stays unknown to questions without a word.
func checkLogins(ctx context.Context, all *configs.All, p *policy.Policy, c *configs.Database, snap *catalog.Snapshot) []configs.Fault {
	var faults []configs.Fault
	for _, l := range loginsOf(all, p, c, snap) {
		found, err := askPowers(ctx, c, l)
		if err != nil {
			faults = append(faults, configs.Fault{Pos: l.pos, Key: l.key, Msg: "database " + c.Name + ": " + reason(err)})
			continue
		}
		for _, one := range found {
			fix := slices.Clone(one.SQL)
			for i := range fix {
				fix[i] += ";"
			}
			faults = append(faults, configs.Fault{Pos: l.pos, Key: l.key, Warning: true, Fix: fix,
				Msg: "database " + c.Name + ": the login " + l.User + " " + one.What})
		}
	}
	return faults
}

// connectAs connects as a login (nil: the dsn's), with no setting that the dsn or pgask would
// start a session with.
func connectAs(ctx context.Context, dsn string, l *auth.Login) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	if l != nil {
		config.User, config.Password = l.User, l.Password
	}
	config.RuntimeParams = map[string]string{"application_name": "pgask"}
	configs.JudgeServer(&config.Config)
	return pgx.ConnectConfig(ctx, config)
}

// askPowers connects as the login and asks what it can do.
func askPowers(ctx context.Context, c *configs.Database, l *usedLogin) ([]powers.Power, error) {
	login := &l.Login
	if l.dsn {
		login = nil
	}
	conn, err := connectAs(ctx, c.DSN, login)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	found, err := powers.Read(ctx, conn, powers.Uses{Tables: l.tables, Columns: l.reads, Function: l.allows})
	if err != nil {
		return nil, err
	}
	lacks, err := powers.Lacks(ctx, conn, l.reads)
	return append(found, lacks...), err
}

func (l *usedLogin) allows(schema, name string) bool {
	return l.calls[catalog.Name{Schema: schema, Table: name}]
}

// loginsOf are the logins that governed roles and their users have in a
// database, each once, that of the dsn first; none where no role is governed.
func loginsOf(all *configs.All, p *policy.Policy, c *configs.Database, snap *catalog.Snapshot) []*usedLogin {
	config, err := pgx.ParseConfig(c.DSN)
	if err != nil {
		return nil // a fault of the files
	}
	own := &usedLogin{Login: auth.Login{User: config.User}, dsn: true, pos: c.Pos, key: "databases." + c.Name + ".dsn", tables: map[catalog.Name]bool{}, reads: map[catalog.Name][]string{}, calls: map[catalog.Name]bool{}}
	logins := []*usedLogin{own}
	governed := false
	use := func(who auth.Principal, backend *configs.Backend, key string) {
		role, err := p.RoleFor(who)
		if err != nil || !role.Governed || !role.AllowsDatabase(c.Name) {
			return
		}
		governed = true
		at := own
		if l := loginOf(who, role); l != nil {
			i := slices.IndexFunc(logins, func(o *usedLogin) bool { return o.User == l.User })
			if i < 0 {
				i = len(logins)
				logins = append(logins, &usedLogin{Login: *l, pos: backend.Pos, key: key + ".backend", tables: map[catalog.Name]bool{}, reads: map[catalog.Name][]string{}, calls: map[catalog.Name]bool{}})
			}
			at = logins[i]
		}
		for _, l := range []*usedLogin{own, at} {
			l.uses(role, snap)
		}
		at.mustRead(role, snap)
		if role.Ask && all.Config.Index.Samples {
			own.mustRead(role, snap) // for samples
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all.Policy.Roles)) {
		use(auth.Principal{Roles: []string{name}}, all.Policy.Roles[name].Backend, "roles."+name)
	}
	for _, u := range all.Users.Users {
		who := auth.Principal{User: u.Name, Roles: u.Roles}
		if u.Backend != nil {
			who.Login = &auth.Login{User: u.Backend.User, Password: u.Backend.Password}
			use(who, u.Backend, "users."+u.Name)
			continue
		}
		// Several roles have one login, the first's that has any.
		backend, key := (*configs.Backend)(nil), ""
		for _, name := range u.Roles {
			if r := all.Policy.Roles[name]; backend == nil && r != nil {
				backend, key = r.Backend, "roles."+name
			}
		}
		use(who, backend, key)
	}
	if !governed {
		return nil
	}
	return logins
}

// mustRead adds the columns that a role of the login makes it read.
func (l *usedLogin) mustRead(role *policy.Role, snap *catalog.Snapshot) {
	view, err := role.View(snap, nil)
	if err != nil {
		return // as in uses
	}
	for n, columns := range view.Needs() {
		for _, c := range columns {
			if !slices.Contains(l.reads[n], c) {
				l.reads[n] = append(l.reads[n], c)
			}
		}
	}
}

// uses adds what a role reads and calls. The children of a table that it reads
// hold nothing else.
func (l *usedLogin) uses(role *policy.Role, snap *catalog.Snapshot) {
	view, err := role.View(snap, nil)
	if err != nil {
		return // without attributes there is nothing that can't be written
	}
	for _, g := range view.Describe() {
		l.tables[g.Table] = true
	}
	for more := true; more; {
		more = false
		for _, t := range snap.Tables {
			if l.tables[t.Parent] && !l.tables[t.Name] {
				l.tables[t.Name], more = true, true
			}
		}
	}
	for _, name := range view.Functions() {
		l.calls[name] = true
	}
}
