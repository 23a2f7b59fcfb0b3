package integration

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/integration/postgres"
)

// libpq runs psql with settings of its own, as a user whose password is its
// name, and gives what it prints.
func libpq(f *fixture, user, settings string) (string, error) {
	host, port, err := net.SplitHostPort(f.Proxy.addr)
	if err != nil {
		return "", err
	}
	cmd := exec.Command("psql", "host="+host+" port="+port+" dbname=acme user="+user+" "+settings, "-X", "-A", "-t", "-c", "SELECT 'in'")
	cmd.Env = append(os.Environ(), "LC_ALL=C", "PGPASSWORD="+user)
	out, err := output(cmd)
	if err != nil {
		out = err.Error()
	}
	return out, err
}

// TestLibpqLogin: the ways of libpq to log in, and what it says where one is
// closed.
func TestLibpqLogin(t *testing.T) {
	f := acme(t)
	for _, c := range []struct{ settings, want string }{
		{"sslmode=require channel_binding=require", "in"},
		{"sslmode=verify-full sslrootcert=" + f.Cert + " channel_binding=require", "in"},
		{"sslmode=require channel_binding=disable", "in"},
		{"sslmode=require channel_binding=prefer ssl_max_protocol_version=TLSv1.2", "in"},
		{"sslmode=disable", "in"},
		{"sslmode=disable channel_binding=require", "channel binding required, but SSL not in use"},
		{"sslmode=require password=wrong", `FATAL:  password authentication failed for user "ana"`},
	} {
		got, err := libpq(f, "ana", c.settings)
		if !strings.Contains(got, c.want) || (err == nil) != (c.want == "in") {
			t.Errorf("%s: %s", c.settings, got)
		}
	}
}

// TestDirectTLS logs in as PostgreSQL 17's clients may: without a request, and
// bound to the certificate.
func TestDirectTLS(t *testing.T) {
	f := acme(t)
	conn := connect(t, f.Through("ana")+"&sslnegotiation=direct&channel_binding=require")
	if rows := table(t, conn, "SELECT 1"); len(rows) != 1 {
		t.Error(rows)
	}
}

// TestAccessAndExpiry changes users.yaml under a running pgask: rules, expiry
// and shares count from the reload on, and open sessions stay.
func TestAccessAndExpiry(t *testing.T) {
	f := secondProxy(t, same)
	open := f.Connect(t, "ana")
	users := filepath.Join(filepath.Dir(f.Config), "users.yaml")
	edit(t, users, func(text string) string {
		text = strings.Replace(text, "  - name: ben\n", "  - name: ben\n    expires: 2020-01-01\n", 1)
		text = strings.Replace(text, "  - name: bot\n", "  - name: bot\n    connections: 1\n", 1)
		return text + "access:\n  - {users: [finn], action: reject}\n  - {users: [ana, ben, bot, nobody], tls: required, action: allow}\n"
	})
	hangup(t, f, `{outcome="taken"} 1`)
	if rows := table(t, open, "SELECT 1"); len(rows) != 1 {
		t.Error(rows)
	}
	_ = f.Connect(t, "bot")
	plain := func(user string) string {
		return strings.Replace(f.Through(user), "sslmode=verify-full", "sslmode=disable", 1)
	}
	for _, c := range []struct{ dsn, code, text string }{
		{f.Through("ana"), "", ""},
		{f.Through("ben"), "28P01", `password authentication failed for user "ben"`},
		{f.Through("nobody"), "28P01", `password authentication failed for user "nobody"`},
		{f.Through("bot"), "53300", `too many connections for role "bot"`},
		{f.Through("finn"), "28000", `an access rule rejects connection for host "127.0.0.1", user "finn", database "acme", SSL encryption`},
		{f.Through("dba"), "28000", `no access rule for host "127.0.0.1", user "dba", database "acme", SSL encryption`},
		{f.Through("stranger"), "28000", `no access rule for host "127.0.0.1", user "stranger", database "acme", SSL encryption`},
		{plain("ana"), "28000", `no access rule for host "127.0.0.1", user "ana", database "acme", no encryption`},
	} {
		conn, err := pgx.Connect(t.Context(), c.dsn)
		if err == nil {
			_ = conn.Close(t.Context())
		}
		var refused *pgconn.PgError
		if errors.As(err, &refused) != (c.code != "") || refused != nil && (refused.Code != c.code || refused.Message != c.text) {
			t.Errorf("%s: %v, want %s %s", c.dsn, err, c.code, c.text)
		}
	}
}

// hangup reloads the files of a pgask and waits for the outcome.
func hangup(t *testing.T, f *fixture, series string) {
	t.Helper()
	if err := f.Proxy.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return strings.Contains(metrics(t, f), "\npgask_reloads_total"+series+"\n") })
}

// TestCertificateReload: new clients see the new certificate, and old sessions
// go on under the old one.
func TestCertificateReload(t *testing.T) {
	f := secondProxy(t, same)
	open := f.Connect(t, "ana")
	before := shown(t, f)
	cert, key, err := postgres.Certificate()
	if err != nil {
		t.Fatal(err)
	}
	keyFile := filepath.Join(filepath.Dir(f.Cert), "server.key")
	write(t, f.Cert, cert)
	hangup(t, f, `{outcome="refused"} 1`) // the key is still that of the old one
	if got := shown(t, f); got != before {
		t.Error("half a pair was taken")
	}
	write(t, keyFile, key)
	hangup(t, f, `{outcome="taken"} 1`)
	if got := shown(t, f); got == before {
		t.Error("new clients see the old certificate")
	}
	if rows := table(t, open, "SELECT 1"); len(rows) != 1 {
		t.Error(rows)
	}
	if rows := table(t, connect(t, f.Through("ana")+"&channel_binding=require"), "SELECT 1"); len(rows) != 1 { // trusts the new one only
		t.Error(rows)
	}
}

// shown is the certificate that new clients see.
func shown(t *testing.T, f *fixture) string {
	t.Helper()
	conn, err := tls.Dial("tcp", f.Proxy.addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"postgresql"}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return string(conn.ConnectionState().PeerCertificates[0].Raw)
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestClientCertificates: libpq logs in with a certificate instead of a
// password, one name of several, and only as the user it is for.
func TestClientCertificates(t *testing.T) {
	dir := t.TempDir()
	a := newClientAuthority(t)
	write(t, filepath.Join(dir, "ca.crt"), pemOf("CERTIFICATE", a.cert.Raw))
	f := secondProxy(t, func(text string) string {
		return strings.Replace(text, "\ntls: {", "\ntls: {client_ca: "+strconv.Quote(filepath.Join(dir, "ca.crt"))+", ", 1)
	})
	users := filepath.Join(filepath.Dir(f.Config), "users.yaml")
	edit(t, users, func(text string) string { return text + "\n  - {name: carl, cert: \"CN=carl\", role: dba}\n" })
	hangup(t, f, `{outcome="taken"} 1`)
	settings := func(names ...string) string {
		base := filepath.Join(dir, strings.Join(names, "-"))
		cert, key := a.issue(names...)
		write(t, base+".crt", cert)
		write(t, base+".key", key)
		return "sslmode=require sslcert=" + base + ".crt sslkey=" + base + ".key"
	}
	for _, c := range []struct{ user, settings, want string }{
		{"carl", settings("carl"), "in"},
		{"carl", settings("somebody", "carl"), "in"},
		{"carl", settings("somebody"), `FATAL:  password authentication failed for user "carl"`},
		{"carl", "sslmode=require", `FATAL:  password authentication failed for user "carl"`},
		{"ana", settings("carl"), "in"}, // by her password
	} {
		got, err := libpq(f, c.user, c.settings)
		if !strings.Contains(got, c.want) || (err == nil) != (c.want == "in") {
			t.Errorf("%s, %s: %s", c.user, c.settings, got)
		}
	}
}

// TestRevoked: a certificate that was taken back logs nobody in from the reload
// on, however it was used before.
func TestRevoked(t *testing.T) {
	dir := t.TempDir()
	a := newClientAuthority(t)
	write(t, filepath.Join(dir, "ca.crt"), pemOf("CERTIFICATE", a.cert.Raw))
	write(t, filepath.Join(dir, "ca.crl"), a.revoke(1))
	f := secondProxy(t, func(text string) string {
		return strings.Replace(text, "\ntls: {", "\ntls: {client_ca: "+strconv.Quote(filepath.Join(dir, "ca.crt"))+", crl: "+strconv.Quote(filepath.Join(dir, "ca.crl"))+", ", 1)
	})
	cert, key := a.issue("ana")
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(f.Through("ana"))
	if err != nil {
		t.Fatal(err)
	}
	config.TLSConfig.Certificates, config.TLSConfig.ClientSessionCache = []tls.Certificate{pair}, tls.NewLRUClientSessionCache(1)
	for range 2 { // the second connection is resumed
		conn, err := pgx.ConnectConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.Close(t.Context())
	}
	write(t, filepath.Join(dir, "ca.crl"), a.revoke(pair.Leaf.SerialNumber.Int64()))
	hangup(t, f, `{outcome="taken"} 1`)
	if conn, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		_ = conn.Close(t.Context())
		t.Error("a revoked certificate is welcome")
	} else if !strings.Contains(err.Error(), "bad certificate") {
		t.Error(err)
	}
	_ = f.Connect(t, "ana") // without one
}
