package powers

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
)

// grant is what one grantor gave one grantee on one object.
type grant struct {
	kind    string // relation | sequence | schema | database | function | server | wrapper | largeobject | parameter
	name    catalog.Name
	sql     string // the object as GRANT spells it
	holder  string // self | public | group
	group   string // the direct membership that leads there
	grantor string
	owner   string // of the object, who acts where a superuser revokes
	rights  []string
	reason  string // what a function is
	// whole tells that SELECT is on the whole relation, columns which ones it is
	// on by themselves.
	whole   bool
	columns []string
}

// holdersQuery begins the queries for what reaches the login: WITH groups and
// holders.
//
//go:embed holders.sql
var holdersQuery string

// privilegesQuery lists all privileges that reach the login, apart from what
// every database has by default and nobody could miss.
//
//go:embed privileges.sql
var privilegesQuery string

// parametersQuery is the same for settings that only some may change, which
// Postgres has since version 15.
//
//go:embed parameters.sql
var parametersQuery string

func (r *reader) privileges() error {
	if err := r.list(holdersQuery + privilegesQuery); err != nil {
		return err
	}
	var there bool
	if err := r.conn.QueryRow(r.ctx, "SELECT to_regclass('pg_catalog.pg_parameter_acl') IS NOT NULL").Scan(&there); err != nil || !there {
		return err
	}
	return r.list(holdersQuery + parametersQuery)
}

func (r *reader) list(query string) error {
	rows, err := r.conn.Query(r.ctx, query)
	if err != nil {
		return err
	}
	var g grant
	_, err = pgx.ForEachRow(rows, []any{&g.kind, &g.name.Schema, &g.name.Table, &g.sql, &g.holder, &g.group, &g.grantor, &g.owner, &g.rights, &g.reason, &g.whole, &g.columns}, func() error {
		one := g
		one.rights, one.columns = slices.Clone(g.rights), slices.Clone(g.columns)
		r.grants = append(r.grants, one)
		return nil
	})
	return err
}

// unneeded are the rights of a grant that the login can do without.
func (r *reader) unneeded(g grant) []string {
	switch g.kind {
	case "relation":
		return slices.DeleteFunc(slices.Clone(g.rights), func(right string) bool { return right == "SELECT" && r.uses.Tables[g.name] })
	case "schema": // to use one shows names only
		return slices.DeleteFunc(slices.Clone(g.rights), func(right string) bool { return right == "USAGE" })
	case "function":
		if r.uses.Function != nil && r.uses.Function(g.name.Schema, g.name.Table) {
			return nil
		}
	}
	return g.rights
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func ident(name string) string { return pgx.Identifier{name}.Sanitize() }

func idents(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = ident(n)
	}
	return strings.Join(out, ", ")
}

func spell(n catalog.Name) string { return pgx.Identifier{n.Schema, n.Table}.Sanitize() }
