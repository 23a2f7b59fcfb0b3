package pipeline

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/pipeline/plan"
	"github.com/pgask/pgask/pipeline/semantic"
	"github.com/pgask/pgask/policy"
	"pgregory.net/rapid"
)

const absentSchema = `
CREATE TABLE firms (id int PRIMARY KEY, tenant_id int, size int);
CREATE TABLE goods (id int PRIMARY KEY, kind int);
CREATE TABLE deals (id int PRIMARY KEY, firm_id int REFERENCES firms, tenant_id bigint, state int);
CREATE TABLE lines (id int PRIMARY KEY, deal_id int NOT NULL REFERENCES deals, good_id int REFERENCES goods, amount int);
CREATE TABLE calls (id int PRIMARY KEY, firm_id int REFERENCES firms, deal_id int REFERENCES deals, tenant int, state int)`

// absentEdge is a foreign key of that schema: rows of child point to rows of parent.
type absentEdge struct{ child, column, parent string }

var absentEdges = []absentEdge{{"deals", "firm_id", "firms"}, {"lines", "deal_id", "deals"}, {"lines", "good_id", "goods"},
	{"calls", "firm_id", "firms"}, {"calls", "deal_id", "deals"}}

// absentWorld is random rows of the schema, and a random policy for them.
type absentWorld struct {
	*rapid.T
	conn   *pgx.Conn
	snap   *catalog.Snapshot
	policy string
	view   *policy.View
	known  plan.Context
}

func absentDatabase(t *testing.T) (*pgx.Conn, *catalog.Snapshot) {
	t.Helper()
	server := postgres.ForTest(t)
	conn, err := pgx.Connect(t.Context(), server.DSN(server.CreateDatabase(t)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), absentSchema); err != nil {
		t.Fatal(err)
	}
	snap, err := catalog.Read(t.Context(), conn, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return conn, snap
}

// chance is for what is mostly so, seldom for what is not: small numbers are drawn more often.
func (w *absentWorld) chance(label string, percent int) bool {
	return rapid.IntRange(0, 99).Draw(w.T, label) < percent
}

func (w *absentWorld) seldom(label string, percent int) bool {
	return rapid.IntRange(0, 99).Draw(w.T, label) >= 100-percent
}

func (w *absentWorld) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(w.T, label)
}

// scopes are the random role's. Where it states partitions, the rows are as it says.
func (w *absentWorld) scopes(honest bool) string {
	var out []string
	for _, table := range []struct{ name, column string }{{"firms", "tenant_id"}, {"deals", "tenant_id"}, {"calls", "tenant"}} {
		if w.seldom("unscoped", 20) {
			continue
		}
		where := table.column + " = " + w.pick("attribute", ":t", ":t", ":t", ":t", ":t", ":t", ":t", ":t", ":other", "1")
		partition := ""
		if honest && !strings.HasSuffix(where, "1") && w.chance("partition", 80) {
			partition = ", partition: " + table.column
		}
		if w.seldom("more", 20) {
			where += " AND " + map[string]string{"firms": "size", "deals": "state", "calls": "state"}[table.name] + " < 2"
		}
		out = append(out, fmt.Sprintf("{table: public.%s, where: %q%s}", table.name, where, partition))
	}
	if w.chance("lines follow", 80) {
		out = append(out, "{table: public.lines, via: {public.deals: {deal_id: id}}}")
	}
	return "[" + strings.Join(out, ", ") + "]"
}

// newAbsentWorld fills the tables anew.
func newAbsentWorld(t *rapid.T, conn *pgx.Conn, snap *catalog.Snapshot) *absentWorld {
	w := &absentWorld{T: t, conn: conn, snap: snap}
	honest := w.chance("honest", 65)
	w.fill(honest)
	w.policy = "version: 1\nroles:\n  r: {tables: {allow: [\"public.*\"]}, scopes: " + w.scopes(honest) + "}\n"
	names := []string{"r"}
	if w.seldom("two roles", 20) {
		w.policy += "  more: {tables: {allow: [\"public.*\"]}, scopes: " + w.scopes(honest) + "}\n"
		names = append(names, "more")
	}
	file, faults := configs.DecodePolicy("policy.yaml", []byte(w.policy))
	p, more := policy.Compile(file)
	if p == nil || len(faults) > 0 {
		t.Fatal(faults, more, w.policy)
	}
	role, err := p.RoleFor(auth.Principal{User: "u", Roles: names})
	if err != nil {
		t.Fatal(err)
	}
	one := []any{1, 1, []any{1, 2}}
	attributes := map[string]any{"t": rapid.SampledFrom(one).Draw(t, "t"), "other": rapid.SampledFrom(one).Draw(t, "other")}
	if w.view, err = role.View(snap, attributes); err != nil {
		t.Fatal(err)
	}
	model, _ := semantic.Build(configs.Semantic{}, snap)
	w.known = plan.Context{Catalog: w.view.Catalog(), Semantic: model.Visible(w.view.Catalog()), Access: access(w.view)}
	return w
}

// fill makes rows of three tenants. In an honest world rows that refer to each other are of one.
func (w *absentWorld) fill(honest bool) {
	tenants := map[string][]string{}
	var sql strings.Builder
	sql.WriteString("TRUNCATE firms, goods, deals, lines, calls; ")
	tenant := func() string { return w.pick("tenant", "1", "1", "2", "3", "NULL") }
	// of is a row of the table, of this tenant where the world is honest; NULL where there is none.
	of := func(table, tenant string) string {
		var fits []string
		for i, other := range tenants[table] {
			if !honest || tenant == other || table == "goods" {
				fits = append(fits, fmt.Sprint(i))
			}
		}
		if fits == nil || w.seldom("none", 10) {
			return "NULL"
		}
		return w.pick("row", fits...)
	}
	small := func() int { return rapid.IntRange(0, 2).Draw(w.T, "n") }
	add := func(table string, most int, values func(tenant string) string) {
		for i := range rapid.IntRange(1, most).Draw(w.T, table) {
			x := tenant()
			row := values(x)
			if row == "" {
				continue
			}
			fmt.Fprintf(&sql, "INSERT INTO %s VALUES (%d, %s); ", table, len(tenants[table]), row)
			tenants[table] = append(tenants[table], x)
			_ = i
		}
	}
	add("firms", 5, func(x string) string { return fmt.Sprintf("%s, %d", x, small()) })
	add("goods", 3, func(string) string { return fmt.Sprint(small()) })
	add("deals", 6, func(x string) string { return fmt.Sprintf("%s, %s, %d", of("firms", x), x, small()) })
	add("lines", 6, func(x string) string {
		deal := of("deals", x)
		if deal == "NULL" {
			return ""
		}
		return fmt.Sprintf("%s, %s, %d", deal, of("goods", x), small())
	})
	add("calls", 6, func(x string) string {
		return fmt.Sprintf("%s, %s, %s, %d", of("firms", x), of("deals", x), x, small())
	})
	if _, err := w.conn.Exec(context.Background(), sql.String()); err != nil {
		w.Fatal(err, sql.String())
	}
}
