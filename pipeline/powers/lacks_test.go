package powers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/powers"
)

// What the login can't read is found, and the SQL that is printed mends it.
func TestLacks(t *testing.T) {
	w := newWorld(t)
	reads := map[catalog.Name][]string{{Schema: "sales", Table: "orders"}: {"id", "note"}, {Schema: "sales", Table: "Order Lines"}: {"id", "order_id"}}
	name, err := pgx.ParseConfig(w.server.UserDSN(w.database, "Reader of "+w.database, ""))
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.ConnectConfig(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(t.Context()) })
	lacks := func() []powers.Power {
		found, err := powers.Lacks(t.Context(), conn, reads)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if found := lacks(); len(found) != 0 {
		t.Errorf("what it can read: %v", found)
	}
	w.exec(`REVOKE USAGE ON SCHEMA sales FROM ` + w.login + `; REVOKE SELECT ON sales.orders FROM ` + w.login +
		`; REVOKE SELECT (order_id) ON sales."Order Lines" FROM ` + w.login)
	found := lacks()
	var whats []string
	for _, f := range found {
		whats = append(whats, f.What)
		for _, sql := range f.SQL {
			w.exec(sql)
		}
	}
	want := []string{`can't read "order_id" of "sales"."Order Lines", which its roles may`, `can't read "sales"."orders", which its roles may`,
		`may not use the schema "sales", whose tables its roles may read`}
	if diff := cmp.Diff(want, whats); diff != "" {
		t.Error(diff)
	}
	if found := lacks(); len(found) != 0 {
		t.Errorf("after the SQL that was printed: %v", found)
	}
	w.exec(`REVOKE SELECT ON sales.orders FROM ` + w.login)
	reads[catalog.Name{Schema: "sales", Table: "orders"}] = []string{"id"}
	if found := lacks(); len(found) != 1 || found[0].SQL[0] != `GRANT SELECT ("id") ON "sales"."orders" TO `+w.login {
		t.Errorf("of a table that has other columns: %v", found)
	}
}
