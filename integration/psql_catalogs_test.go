package integration

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPsqlCatalogs looks around in the sample company as ana, by commands and by the tab key.
// What psql says is what it would say of a database without the hidden things.
func TestPsqlCatalogs(t *testing.T) {
	f := acme(t)
	for _, tool := range []struct {
		name    string
		command []string
		input   string
	}{
		{"psql", []string{"psql", "-X", "-d", f.Through("ana")}, psqlCommands},
		{"complete", []string{"/usr/bin/python3", "testdata/psql/complete.py", f.Through("ana")}, psqlTexts},
	} {
		t.Run(tool.name, func(t *testing.T) {
			cmd := exec.Command(tool.command[0], tool.command[1:]...)
			cmd.Stdin = strings.NewReader(tool.input)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			said := f.normal(string(out))
			echo := strings.NewReplacer(`Did not find any relation named "payroll".`, "", "[SELECT * FROM payr]", "", `[\d payr]`, "")
			for _, secret := range []string{"tax_id", "payr", "salary", f.Database, "pgask_reader", "pgask_owner", "postgres"} {
				if strings.Contains(echo.Replace(said), secret) {
					t.Errorf("it says %s:\n%s", secret, said)
				}
			}
			compareGolden(t, filepath.Join("testdata", "psql", tool.name+f.versions(t)+".golden"), said)
		})
	}
}

// psqlCommands are psql's own questions; \sf asks for what nobody may see.
const psqlCommands = `\d
\d accounts
\d+ orders
\d payroll
\dt
\dt+
\dn
\dn+
\df
\df public.*
\df+
\df+ pg_catalog.lower
\des+
\det+
\du
\l
\dp
\di
\dv
\dm
\dT
\dT+
\ds
\dd
\dx
\dL
\dD
\dE
\dg
\do public.*
\dRp
\dF
\dC public.*
\z orders
\sf ask
\conninfo
`

// psqlTexts are completed by psql's tab key.
const psqlTexts = `SELECT * FROM payr
SELECT * FROM acc
SELECT * FROM public.
SELECT * FROM accounts WHERE ta
SELECT * FROM accounts WHERE na
\d payr
\d or
\dn 
SELECT * FROM information_schema.colu
SET search_path TO pub
`

// versions tells psql's versions and the server's apart: psql asks each server
// otherwise, and its tables look different in each.
func (f *fixture) versions(t *testing.T) string {
	t.Helper()
	out, err := output(exec.Command("psql", "--version"))
	if err != nil {
		t.Fatal(err)
	}
	server := table(t, f.Direct(t), "SHOW server_version_num")[0]
	return "-" + regexp.MustCompile(`[0-9]+`).FindString(out) + "-" + server[:2]
}

// normal puts words in the place of what differs between runs.
func (f *fixture) normal(text string) string {
	host, port, _ := net.SplitHostPort(f.Proxy.addr)
	text = strings.NewReplacer(f.Through("ana"), "DSN", `"`+port+`"`, `"PORT"`, `"`+host+`"`, `"HOST"`, `/* `, "/* ").Replace(text)
	text = regexp.MustCompile(`(?m)^SSL connection .*$`).ReplaceAllString(text, "SSL connection")
	return regexp.MustCompile(`[ \t]+\n`).ReplaceAllString(text, "\n")
}

// compareGolden compares with a file. Without one for this version of psql, what
// it said was only looked through for secrets.
func compareGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		t.Logf("there is no %s", file)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
