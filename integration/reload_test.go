package integration

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/proxy/pgtest"
)

// secondProxy runs a pgask of its own over the shared sample company, with
// pgask.yaml changed.
func secondProxy(t *testing.T, change func(string) string) *fixture {
	t.Helper()
	f := unstarted(t, change)
	serve(t, f)
	return f
}

// serve starts the proxy of a fixture that has its files.
func serve(t *testing.T, f *fixture) {
	t.Helper()
	var err error
	if f.Proxy, err = startServe(f.Config, f.Proxy.addr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Proxy.stop(); err != nil {
			t.Error(err)
		}
	})
}

// edit changes a file.
func edit(t *testing.T, path string, change func(string) string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(text))
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

func same(text string) string { return text }

// TestReload: SIGHUP puts all files in force, for sessions that are open too,
// or none of them.
func TestReload(t *testing.T) {
	f := secondProxy(t, same)
	policy := filepath.Join(filepath.Dir(f.Config), "policy.yaml")
	ana := f.Connect(t, "ana")
	const products = "SELECT count(*) FROM products"
	want := table(t, ana, products)
	if _, err := ana.Prepare(t.Context(), "p", products); err != nil {
		t.Fatal(err)
	}
	reload := func(series string) {
		t.Helper()
		if err := f.Proxy.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return strings.Contains(metrics(t, f), "\npgask_reloads_total"+series+"\n") })
	}
	const denied = "deny: [public.payroll"
	edit(t, policy, func(text string) string { return strings.ReplaceAll(text, denied, denied+", public.products") })
	reload(`{outcome="taken"} 1`)
	if e := failure(t, ana, products); e.Code != "42501" {
		t.Errorf("products after they were denied: %s", e.Code)
	}
	if _, err := ana.Exec(t.Context(), "p"); sqlState(err) != "42501" {
		t.Errorf("a statement prepared before: %v", err)
	}

	// A broken users file beside a policy that allows products again: neither
	// counts.
	users := filepath.Join(filepath.Dir(f.Config), "users.yaml")
	edit(t, users, func(text string) string { return text + "\n  - {name: eve, rolle: nobody}\n" })
	edit(t, policy, func(text string) string { return strings.ReplaceAll(text, ", public.products", "") })
	reload(`{outcome="refused"} 1`)
	if e := failure(t, ana, products); e.Code != "42501" {
		t.Errorf("after a broken reload: %s", e.Code)
	}
	edit(t, users, func(text string) string { return strings.Replace(text, "\n  - {name: eve, rolle: nobody}\n", "", 1) })
	reload(`{outcome="taken"} 2`)
	if got := table(t, ana, products); got[0] != want[0] {
		t.Errorf("products %v, want %v", got, want)
	}

	// What only a start reads doesn't change unnoticed.
	if strings.Contains(f.Proxy.log.String(), "takes a restart") {
		t.Error("the log asks for a restart, but pgask.yaml is as it was")
	}
	edit(t, f.Config, func(text string) string { return strings.Replace(text, "{clients: 200,", "{clients: 201,", 1) })
	reload(`{outcome="taken"} 3`)
	waitFor(t, func() bool { return strings.Contains(f.Proxy.log.String(), `takes a restart" keys=limits.clients`) })
}

// TestBrokenReload breaks each kind of file while sessions go on: none of the
// others changes either, the certificate and the users least of all.
func TestBrokenReload(t *testing.T) {
	f := secondProxy(t, same)
	dir := filepath.Dir(f.Config)
	ana, dba := f.Connect(t, "ana"), f.Connect(t, "dba")
	table(t, dba, "BEGIN")
	served := certificate(t, f)
	f.Cert = filepath.Join(dir, "old.crt")
	if err := os.Link(filepath.Join(dir, "server.crt"), f.Cert); err != nil {
		t.Fatal(err)
	}
	cert, key, err := postgres.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"server.crt": cert, "server.key": key} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit(t, filepath.Join(dir, "users.yaml"), func(text string) string { return strings.Replace(text, "name: ben", "name: benjamin", 1) })
	outcomes := 0
	reload := func(outcome string) {
		t.Helper()
		outcomes++
		f.Proxy.signal(t, syscall.SIGHUP)
		waitFor(t, func() bool {
			return strings.Contains(metrics(t, f), fmt.Sprintf("\npgask_reloads_total{outcome=%q} %d\n", outcome, outcomes))
		})
	}
	for _, name := range []string{"pgask.yaml", "users.yaml", "policy.yaml", "semantic.yaml", "curated.yaml", "server.crt", "server.key"} {
		path := filepath.Join(dir, name)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		edit(t, path, func(string) string { return "- broken: {" })
		reload("refused")
		for who, conn := range map[string]*pgx.Conn{"ana": ana, "dba": dba} {
			if got := table(t, conn, "SELECT count(*) FROM products"); len(got) != 1 {
				t.Errorf("%s, %s broken: %v", who, name, got)
			}
		}
		if err := visit(f.Through("ben")); err != nil {
			t.Errorf("%s broken: %v", name, err)
		}
		if certificate(t, f) != served {
			t.Errorf("%s broken: the certificate changed", name)
		}
		edit(t, path, func(string) string { return string(whole) })
	}
	outcomes, f.Cert = 0, filepath.Join(dir, "server.crt")
	reload("taken")
	if certificate(t, f) == served {
		t.Error("the certificate didn't change when all files were whole")
	}
	if got := sqlState(visit(f.Through("ben"))); got != "28P01" {
		t.Errorf("a user that is gone: %s", got)
	}
	table(t, dba, "COMMIT")
}

// certificate is the one that the proxy shows to clients.
func certificate(t *testing.T, f *fixture) string {
	t.Helper()
	conn, err := net.Dial("tcp", f.Proxy.addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var answer [1]byte
	if _, err := conn.Write(pgtest.SSLRequest()); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, answer[:]); err != nil || answer[0] != 'S' {
		t.Fatalf("TLS: %q %v", answer, err)
	}
	client := tls.Client(conn, &tls.Config{InsecureSkipVerify: true}) // only looks
	if err := client.HandshakeContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return string(client.ConnectionState().PeerCertificates[0].Raw)
}

// metrics is what /metrics says.
func metrics(t testing.TB, f *fixture) string {
	t.Helper()
	r, err := http.Get("http://" + f.HTTP + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// waitFor polls until something is so, for half a minute at most.
func waitFor(t testing.TB, so func() bool) {
	t.Helper()
	deadline := time.After(30 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-deadline:
			t.Fatal("it never came")
		case <-tick.C:
		}
	}
}
