package integration

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
)

// governedWorld is a database of a test's own behind a pgask whose user analyst
// (password analyst) is governed by a policy of the test's own.
type governedWorld struct {
	direct *pgx.Conn // a superuser's
	dsn    string    // of the analyst
	proxy  *proxy
}

// newGovernedWorld makes the database from statements, and the role analyst from
// its rules in policy.yaml. mode is the pool's. The backend login is a
// superuser: nothing but pgask is in the way.
func newGovernedWorld(t *testing.T, mode, rules string, statements ...string) *governedWorld {
	t.Helper()
	server := postgres.ForTest(t)
	database := server.CreateDatabase(t)
	w := &governedWorld{direct: connect(t, server.DSN(database))}
	for _, sql := range statements {
		if _, err := w.direct.Exec(t.Context(), sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	w.proxy = serveFiles(t, fmt.Sprintf("databases:\n  world: {dsn: %s, pool: {mode: %s, size: 3}}\n", quoted(server.DSN(database)), mode), map[string]string{
		"policy.yaml": "version: 1\nroles:\n  analyst:\n    mode: governed\n    databases: [world]\n" + rules,
		"users.yaml":  fmt.Sprintf("users:\n  - {name: analyst, password: %q, role: analyst, attributes: {tenant_id: 1}}\n", verifier(t)),
	})
	u := url.URL{Scheme: "postgres", User: url.UserPassword("analyst", "analyst"), Host: w.proxy.addr, Path: "/world", RawQuery: "sslmode=disable"}
	w.dsn = u.String()
	return w
}

// connect is a session of the analyst's.
func (w *governedWorld) connect(t *testing.T, change ...func(*pgx.ConnConfig)) *pgx.Conn {
	t.Helper()
	c, err := pgx.ParseConfig(w.dsn)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(c)
	}
	conn, err := pgx.ConnectConfig(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// indented is rules for newGovernedWorld, one a line.
func indented(lines ...string) string {
	return "    " + strings.Join(lines, "\n    ") + "\n"
}
