package policy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/policy"
)

// A mask that is said to keep nulls does, on Postgres; one that puts something in their place, or
// is null for other values, isn't said to.
func TestNullsKept(t *testing.T) {
	server := postgres.ForTest(t)
	conn, err := pgx.Connect(t.Context(), server.DSN(server.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	for mask, want := range map[string]bool{
		"'***@' || split_part(email, '@', 2)": true,
		"left(email, 1) || repeat('*', 3)":    true,
		"md5(lower(email::text))":             true,
		"email":                               true,
		"substr(email, 900)":                  true,
		"'hidden'":                            false,
		"NULL":                                false,
		"coalesce(email, 'none')":             false,
		"nullif(email, '')":                   false,
		"name":                                false,
		"email || name":                       false,
		"substring(email from 'x(.)')":        false,
		"CASE WHEN id > 1 THEN email ELSE '*' END": false,
		"concat(email, '*')":                       false,
		"email || NULL":                            false,
	} {
		r := &configs.Role{Name: "r", Mode: "governed", SearchPath: []string{"public"}, Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.accounts")},
			Columns: []configs.ColumnRule{{Table: name(t, "public.accounts"), Mask: map[string]string{"email": mask}}}}
		p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"r": r}})
		if p == nil {
			t.Fatal(faults)
		}
		role, err := p.RoleFor(auth.Principal{Roles: []string{"r"}})
		if err != nil {
			t.Fatal(err)
		}
		v, err := role.View(snapshot(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(v.NullsKept()[public("accounts")]) == 1; got != want {
			t.Errorf("%s: %v, want %v", mask, got, want)
		}
		if !want {
			continue
		}
		var wrong int
		sql := fmt.Sprintf("SELECT count(*) FROM (VALUES (NULL), (''), ('x'), ('a@b.c')) t (email) WHERE ((%s) IS NULL) <> (email IS NULL)", mask)
		if err := conn.QueryRow(t.Context(), sql).Scan(&wrong); err != nil || wrong > 0 {
			t.Errorf("%s: %d values, %v", mask, wrong, err)
		}
	}
}
