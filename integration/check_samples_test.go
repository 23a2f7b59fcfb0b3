package integration

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pgask/pgask/cmd/pgask/demo/company"
)

// TestCheckSamples holds that check warns of tables that pgask's own login can't sample
// for questions: those would know no value of them, nor where their dates end.
func TestCheckSamples(t *testing.T) {
	direct := acme(t).Direct(t)
	table(t, direct, "CREATE ROLE unread LOGIN PASSWORD 'unread'")
	table(t, direct, "GRANT CONNECT ON DATABASE "+acme(t).Database+" TO unread")
	t.Cleanup(func() {
		if _, err := direct.Exec(context.Background(), "DROP OWNED BY unread; DROP ROLE unread"); err != nil {
			t.Error(err)
		}
	})
	f := unstarted(t, func(text string) string {
		own := acme(t)
		return strings.Replace(text, own.Login(company.Proxy), own.Server.UserDSN(own.Database, "unread", "unread"), 1)
	})
	// Postgres plans curated queries with the same login, which is another fault.
	edit(t, filepath.Join(filepath.Dir(f.Config), "curated.yaml"), func(string) string { return "{}" })
	const warning = `databases.acme.dsn: database acme: the login unread can't read "public"."orders", which its roles may
    GRANT SELECT ON "public"."orders" TO "unread";`
	out, err := f.command("check", "--offline=false")
	if err != nil || !strings.Contains(out, warning) {
		t.Errorf("%v: %s", err, out)
	}
	edit(t, f.Config, func(text string) string { return text + "\nindex: {samples: false}\n" })
	if out, err = f.command("check", "--offline=false"); err != nil || strings.Contains(out, "the login unread can't read") {
		t.Errorf("without samples %v: %s", err, out)
	}
}
