package policy_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

func public(table string) catalog.Name { return catalog.Name{Schema: "public", Table: table} }

func TestCatalogHidesAndForgets(t *testing.T) {
	v := view(t, attributes, "analyst")
	c := v.Catalog()
	for _, hidden := range []string{"payroll", "v_orders", "mv_totals", "events_2024", "docs_legal"} {
		if c.Table(public(hidden)) != nil {
			t.Errorf("%s is visible", hidden)
		}
	}
	if len(v.Hidden()) != 7 {
		t.Error(v.Hidden())
	}
	accounts := c.Table(public("accounts"))
	if accounts.Column("tax_id") != nil || accounts.Rows != -1 || accounts.Column("name").Values != nil || accounts.Column("id").Max != "" {
		t.Errorf("%+v", accounts)
	}
	if products := c.Table(public("products")); products.Column("name").Values == nil || products.Rows != 1000 {
		t.Error("an unscoped table lost its samples")
	}
	if len(c.Types) != 1 || c.Types[0].Name != "order_status" {
		// email_dom and secret_kind belong to no visible column.
		t.Error(c.Types)
	}
	if len(c.Table(public("orders")).ForeignKeys) != 1 || !v.Scoped()[public("order_items")] || v.Scoped()[public("products")] {
		t.Error("foreign keys or scopes are wrong")
	}
	if m := v.Masked()[public("accounts")]; len(m) != 1 || m[0] != "email" {
		t.Error(m)
	}
	if original := snapshot(); c.Version != original.Version {
		t.Error("the schema's version changed")
	}
}

func TestDescribe(t *testing.T) {
	for _, g := range view(t, attributes, "analyst").Describe() {
		if text := fmt.Sprint(g); strings.Contains(text, "payroll") || strings.Contains(text, "tax_id") {
			t.Error(text)
		}
		if g.Table.Table == "order_items" && g.Scope != "via public.orders" {
			t.Error(g.Scope)
		}
	}
}

func TestDigest(t *testing.T) {
	one := view(t, attributes, "analyst").Digest()
	if one != view(t, attributes, "analyst").Digest() {
		t.Error("not stable")
	}
	other := map[string]any{"tenant_id": int64(2), "regions": attributes["regions"]}
	if one == view(t, other, "analyst").Digest() || one == view(t, attributes, "regional").Digest() {
		t.Error("views of different rows have the same digest")
	}
}

func TestFacts(t *testing.T) {
	v := view(t, attributes, "analyst")
	facts := func(sql string) policy.Facts {
		t.Helper()
		a, err := authorize(v, sql, policy.Options{Cap: true})
		if err != nil {
			t.Fatal(err)
		}
		return a.Facts()
	}
	f := facts("SELECT o.id, email FROM orders o JOIN accounts a ON a.id = o.account_id WHERE o.id = $2")
	if f.Tag != "SELECT" || !f.Rows || f.Cap != 1000 || f.Params != 2 || fmt.Sprint(f.Tables) != "[{public accounts} {public orders}]" ||
		fmt.Sprint(f.Scopes) != "[public.accounts: tenant_id = :tenant_id public.orders: tenant_id = :tenant_id]" ||
		fmt.Sprint(f.Masked) != "[public.accounts.email]" || fmt.Sprint(f.Columns) != "[id email]" {
		t.Errorf("%+v", f)
	}
	if f := facts("COPY (SELECT id FROM orders) TO STDOUT (FORMAT csv, HEADER)"); f.Tag != "COPY" || !f.CopyHeader || f.Cap != 1000 || len(f.Tables) != 1 {
		t.Errorf("%+v", f)
	}
	if f := facts("PREPARE p AS SELECT id FROM orders"); f.Prepared != "p" || f.Query == nil || f.Query.Cap != 1000 || len(f.Query.Tables) != 1 {
		t.Errorf("%+v", f)
	}
	if f := facts("DECLARE c CURSOR FOR SELECT id FROM orders"); f.Cursor != "c" || f.Rows || f.Cap != 1000 {
		t.Errorf("%+v", f)
	}
	if f := facts("FETCH BACKWARD 2 FROM c"); f.Cursor != "c" || !f.Rows || !f.Backward {
		t.Errorf("%+v", f)
	}
	if f := facts("SET LOCAL client_min_messages = 'warning'"); f.Set == nil || *f.Set != (policy.Setting{Name: "client_min_messages", Value: "warning", Local: true}) {
		t.Errorf("%+v", f)
	}
	if f := facts("RESET client_min_messages"); f.Set == nil || !f.Set.Default {
		t.Errorf("%+v", f)
	}
}

func TestParameterTypes(t *testing.T) {
	v := view(t, attributes, "analyst")
	for oid, ok := range map[uint32]bool{0: true, 23: true, 25: true, 1007: true, 90001: true, 2205: false, 24: false, 1790: false, 90002: false} {
		_, err := authorize(v, "SELECT id FROM orders WHERE id = $1", policy.Options{ParamTypes: []uint32{oid}})
		if (err == nil) != ok {
			t.Errorf("type %d: %v", oid, err)
		}
	}
}

func TestZeroApprovedIsEmpty(t *testing.T) {
	if (policy.Approved{}).SQL() != "" {
		t.Error("an Approved that nobody made holds a statement")
	}
}

func TestTold(t *testing.T) {
	o := newOracle(t)
	cols := []policy.ToldColumn{{Name: "plan hash", Type: "text"}, {Name: "n", Type: "int8"}, {Name: "list", Type: "text[]"}, {Name: "ok", Type: "bool"}}
	a, err := policy.ToldLiteral(cols, `[{"plan hash": "it's", "n": 5, "list": ["a", null], "ok": true}, {"n": null}]`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := rows(o.reader, a.SQL())
	if err != nil || strings.Join(got, "\n") != "plan hash|n|list|ok\n[\"it's\" \"5\" \"{a,NULL}\" \"t\"]\n[\"\" \"\" \"\" \"\"]" {
		t.Error(got, err)
	}
	p, err := policy.Told(cols)
	if err != nil || !strings.Contains(p.SQL(), "$1") {
		t.Fatal(p.SQL(), err)
	}
	r := o.reader.PgConn().ExecParams(context.Background(), p.SQL(), [][]byte{[]byte(`[{"n": 1}]`)}, []uint32{114}, nil, nil).Read()
	if r.Err != nil || len(r.Rows) != 1 {
		t.Error(r.Err)
	}
	if _, err := policy.Told([]policy.ToldColumn{{Name: "x", Type: "regclass"}}); err == nil {
		t.Error("regclass was told")
	}
}

// TestTruncationIsAnError lets Postgres raise the planted word.
func TestTruncationIsAnError(t *testing.T) {
	o := newOracle(t)
	r := *rlsRole(t)
	r.Limits.Rows = 3
	v, err := r.View(readSnapshot(t, o.super), map[string]any{"tenant_id": int64(1)})
	if err != nil {
		t.Fatal(err)
	}
	for sql, fails := range map[string]bool{
		"SELECT id FROM orders ORDER BY id": true, "SELECT id, id FROM orders ORDER BY id LIMIT 3": false, "SELECT count(*) FROM orders": false,
		"VALUES (1), (2), (3), (4)": true, "SELECT * FROM products LIMIT 4": true,
	} {
		a, err := authorize(v, sql, policy.Options{Cap: true, OnTruncateError: "denied_00112233445566778899aabbccddeeff"})
		if err != nil {
			t.Fatal(err)
		}
		got, err := rows(o.reader, a.SQL())
		switch {
		case fails && (err == nil || !strings.Contains(err.Error(), "denied_00112233445566778899aabbccddeeff") || !strings.Contains(err.Error(), "22P02")):
			t.Errorf("%s: %v %v", sql, got, err)
		case !fails && err != nil:
			t.Errorf("%s: %v\n%s", sql, err, a.SQL())
		}
	}
}

func TestSeatbelt(t *testing.T) {
	p := compile(t)
	belt, err := p.Seatbelt(auth.Principal{User: "root", Roles: []string{"dba"}})
	if err != nil || !belt.Governed || !belt.Ask || belt.User != "root" {
		t.Fatal(belt, err)
	}
	lead, err := p.Seatbelt(auth.Principal{User: "lea", Roles: []string{"lead"}})
	if err != nil || lead.Limits.Rows != 1000 || !lead.Ask || lead.Names[0] != "analyst" {
		t.Fatal(lead, err)
	}
	own, err := p.RoleFor(auth.Principal{User: "root", Roles: []string{"dba"}})
	if err != nil || own.Governed {
		t.Error(own, err)
	}
}
