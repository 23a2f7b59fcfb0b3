package powers

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// coming are rights on objects that somebody makes from now on, by ALTER DEFAULT
// PRIVILEGES.
type coming struct {
	holder string // self | public | group
	group  string // the direct membership that leads there
	maker  string
	schema string // empty for all
	kind   string // tables | sequences | schemas
	rights []string
}

//go:embed defaults.sql
var defaultsQuery string

func (r *reader) defaultPrivileges() error {
	rows, err := r.conn.Query(r.ctx, holdersQuery+defaultsQuery)
	if err != nil {
		return err
	}
	var c coming
	_, err = pgx.ForEachRow(rows, []any{&c.holder, &c.group, &c.maker, &c.schema, &c.kind, &c.rights}, func() error {
		one := c
		one.rights = slices.Clone(c.rights)
		r.coming = append(r.coming, one)
		return nil
	})
	return err
}

// what completes "login x …" or "group x, which …".
func (c coming) what() string {
	where := ""
	if c.schema != "" {
		where = " in schema " + ident(c.schema)
	}
	who := ""
	if c.holder == "public" {
		who = ", as everybody will"
	}
	return fmt.Sprintf("will have %s on %s that %s makes%s%s", strings.Join(c.rights, ", "), c.kind, ident(c.maker), where, who)
}

// revoke takes it away.
func (c coming) revoke(login string) string {
	where, from := "", ident(login)
	if c.schema != "" {
		where = " IN SCHEMA " + ident(c.schema)
	}
	if c.holder == "public" {
		from = "PUBLIC"
	}
	return fmt.Sprintf("ALTER DEFAULT PRIVILEGES FOR ROLE %s%s REVOKE %s ON %s FROM %s", ident(c.maker), where,
		strings.Join(c.rights, ", "), strings.ToUpper(c.kind), from)
}
