package integration

import (
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ways run one text by each protocol and return the rows as text: a Query, a
// Parse of its own, and a statement that was prepared under a name.
func ways(t *testing.T, conn *pgx.Conn, name, sql string) map[string]func() ([]string, error) {
	t.Helper()
	if _, err := conn.PgConn().Prepare(t.Context(), name, sql, nil); err != nil {
		t.Fatal(err)
	}
	read := func(r *pgconn.ResultReader) ([]string, error) {
		result := r.Read()
		if result.Err != nil {
			return nil, result.Err
		}
		return textRows(result), nil
	}
	return map[string]func() ([]string, error){
		"simple":   func() ([]string, error) { return tryTable(conn, sql) },
		"extended": func() ([]string, error) { return read(conn.PgConn().ExecParams(t.Context(), sql, nil, nil, nil, nil)) },
		"named":    func() ([]string, error) { return read(conn.PgConn().ExecPrepared(t.Context(), name, nil, nil, nil)) },
	}
}

// TestReloadOfRepeated: statements that run again and again, by any protocol, do
// by the new rules what they do first after a reload.
func TestReloadOfRepeated(t *testing.T) {
	f := secondProxy(t, same)
	policy := filepath.Join(filepath.Dir(f.Config), "policy.yaml")
	const text = "SELECT count(*), min(email) FROM accounts"
	all := map[string]map[string]func() ([]string, error){}
	for _, user := range []string{"ana", "ben"} {
		all[user] = ways(t, f.Connect(t, user), "p", text)
	}
	// expect runs every way of every user twice.
	expect := func(want func(user, way string) ([]string, string)) {
		t.Helper()
		for range 2 {
			for user, ways := range all {
				for way, run := range ways {
					rows, state := want(user, way)
					if got, err := run(); sqlState(err) != state || !reflect.DeepEqual(got, rows) {
						t.Errorf("%s, %s: %v %v, want %v %s", user, way, got, err, rows, state)
					}
				}
			}
		}
	}
	reloads := 0
	reload := func(changes ...string) {
		t.Helper()
		edit(t, policy, strings.NewReplacer(changes...).Replace)
		reloads++
		f.Proxy.signal(t, syscall.SIGHUP)
		waitFor(t, func() bool {
			return strings.Contains(metrics(t, f), "\npgask_reloads_total{outcome=\"taken\"} "+string(rune('0'+reloads))+"\n")
		})
	}
	direct := f.Direct(t)
	seen := func(mask, where string) []string {
		return table(t, direct, "SELECT count(*), min("+mask+") FROM accounts WHERE "+where)
	}
	const masked = "'***@' || split_part(email, '@', 2)"
	tenant := map[string]string{"ana": "tenant_id = 1", "ben": "tenant_id = 2"}
	before := func(user, _ string) ([]string, string) { return seen(masked, tenant[user]), "success" }
	expect(before)
	// A statement prepared before is to be prepared again where it changed.
	changed := func(mask, and string) func(user, way string) ([]string, string) {
		return func(user, way string) ([]string, string) {
			if way == "named" {
				return nil, "0A000"
			}
			return seen(mask, tenant[user]+and), "success"
		}
	}
	reload("tenant_id = :tenant_id\"", "tenant_id = :tenant_id AND id < 10\"")
	expect(changed(masked, " AND id < 10"))
	reload(`email: "'***@' || split_part(email, '@', 2)"`, `email: "'hidden'"`)
	expect(changed("'hidden'", " AND id < 10"))
	reload("deny: [tax_id]", "deny: [tax_id, email]", `email: "'hidden'"`, `name: "'hidden'"`)
	expect(func(string, string) ([]string, string) { return nil, "42501" })
	reload("deny: [tax_id, email]", "deny: [tax_id]", `name: "'hidden'"`, `email: "'***@' || split_part(email, '@', 2)"`, " AND id < 10", "")
	expect(before)
}

// TestSameTextOfOthers: users who send the same texts at the same time get their
// own rows, whoever's was judged first.
func TestSameTextOfOthers(t *testing.T) {
	f := secondProxy(t, same)
	const text = "SELECT DISTINCT tenant_id, current_user FROM accounts ORDER BY 1"
	want := map[string][]string{"ana": {"1 | ana"}, "ben": {"2 | ben"}, "bot": {"1 | bot"}, "finn": {"1 | finn", "2 | finn"}}
	for user, rows := range want {
		if got := table(t, f.Connect(t, user), text); !reflect.DeepEqual(got, rows) {
			t.Fatalf("%s: %v, want %v", user, got, rows)
		}
	}
	var wg sync.WaitGroup
	for user, rows := range want {
		for range 2 {
			conn := f.Connect(t, user)
			ways := ways(t, conn, "p", text)
			wg.Go(func() {
				for range 50 {
					for way, run := range ways {
						if got, err := run(); err != nil || !reflect.DeepEqual(got, rows) {
							t.Errorf("%s, %s: %v %v, want %v", user, way, got, err, rows)
							return
						}
					}
				}
			})
		}
	}
	wg.Wait()
}
