package policy_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// TestNeeds gives a login what a view needs, and nothing else: every relation can
// be read, and none any more when one of its columns is taken away.
func TestNeeds(t *testing.T) {
	o, ctx := newOracle(t), context.Background()
	snapshot, err := catalog.Read(ctx, o.super, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: map[string]*configs.Role{"analyst": {Name: "analyst", Mode: "governed", SearchPath: []string{"public"},
		Tables: configs.Access[configs.Pattern]{Allow: patterns(t, "public.accounts", "public.orders", "public.items")},
		Columns: []configs.ColumnRule{{Table: name(t, "public.accounts"), Deny: []string{"tenant_id", "secret"}, Mask: map[string]string{"name": "'none'", "region": "left(name, 1)"}},
			{Table: name(t, "public.orders"), Deny: []string{"tenant_id", "id"}}, {Table: name(t, "public.items"), Deny: []string{"order_id"}}},
		Scopes: []configs.Scope{{Tables: patterns(t, "public.accounts", "public.orders"), Where: "tenant_id = :tenant_id"},
			{Tables: patterns(t, "public.items"), Via: &configs.Via{Parent: name(t, "public.orders"), Columns: map[string]string{"order_id": "id"}}}}}}})
	if p == nil {
		t.Fatal(faults)
	}
	role, err := p.RoleFor(auth.Principal{User: "ana", Roles: []string{"analyst"}})
	if err != nil {
		t.Fatal(err)
	}
	bare, err := role.View(snapshot, nil) // as pgask check has it: no user, no attributes
	if err != nil {
		t.Fatal(err)
	}
	v, err := role.View(snapshot, map[string]any{"tenant_id": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	super := func(sql string) {
		t.Helper()
		if _, err := o.super.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	var login string
	if err := o.reader.QueryRow(ctx, "SELECT quote_ident(current_user)").Scan(&login); err != nil {
		t.Fatal(err)
	}
	super("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM " + login)
	grant := func(verb, column string, n catalog.Name, to string) {
		super(fmt.Sprintf("%s SELECT (%s) ON %s %s %s", verb, pgx.Identifier{column}.Sanitize(), pgx.Identifier{n.Schema, n.Table}.Sanitize(), to, login))
	}
	needs := bare.Needs()
	for n, columns := range needs {
		for _, c := range columns {
			grant("GRANT", c, n, "TO")
		}
	}
	reads := func() error {
		for _, sql := range []string{"TABLE accounts", "TABLE orders", "TABLE items"} {
			a, err := authorize(v, sql, policy.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := rows(o.reader, a.SQL()); err != nil {
				return err
			}
		}
		return nil
	}
	if err := reads(); err != nil {
		t.Errorf("%v: %v", needs, err)
	}
	for n, columns := range needs {
		for _, c := range columns {
			grant("REVOKE", c, n, "FROM")
			if reads() == nil {
				t.Errorf("%v.%s isn't needed", n, c)
			}
			grant("GRANT", c, n, "TO")
		}
	}
}
