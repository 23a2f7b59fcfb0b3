package configs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// lines prints faults one a line, warnings marked, as check does.
func lines(faults []Fault) string {
	var b strings.Builder
	for _, f := range faults {
		if f.Warning {
			b.WriteString("warning: ")
		}
		b.WriteString(f.Error() + "\n")
	}
	return b.String()
}

// example turns the commented examples of a sample file into YAML: lines that
// start with "#  ". An empty list or mapping before one gives way to it.
func example(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := regexp.MustCompile(`(?m)(\[\]|\{\})( *#.*)?\n#  `).ReplaceAllString(string(data), "\n#  ")
	return []byte(regexp.MustCompile(`(?m)^#  `).ReplaceAllString(s, "  "))
}

// defaults is the configuration of an empty pgask.yaml, its paths still
// relative.
func defaults() *Config {
	c, _, _ := decodeConfig("pgask.yaml", nil, layers{})
	return c
}

// decodeAlone reads pgask.yaml alone: no environment, no overrides, no other
// file. Its relative paths become absolute.
func decodeAlone(file string, data []byte) (*Config, []Fault) {
	c, origins, faults := decodeConfig(file, data, layers{})
	absolute(file, c)
	return c, sorted(append(faults, validate(c, file, origins)...))
}

func TestSampleFilesAreTheDefaults(t *testing.T) {
	all, faults := Load("pgask.yaml", nil)
	if len(faults) > 0 {
		t.Fatalf("sample configuration:\n%s", lines(faults))
	}
	want := defaults()
	absolute("pgask.yaml", want)
	if diff := cmp.Diff(want, all.Config); diff != "" {
		t.Errorf("pgask.yaml differs from the defaults (-default +sample):\n%s", diff)
	}
	got := *all.Policy.Roles["nobody"]
	role := *defaultRole("nobody", got.Pos)
	role.Tables = Access[Pattern]{Allow: []Pattern{}, Deny: []Pattern{}}
	role.Functions = Access[string]{Allow: []string{}, Deny: []string{}}
	role.Columns, role.Scopes = []ColumnRule{}, []Scope{}
	if diff := cmp.Diff(role, got); diff != "" {
		t.Errorf("policy.yaml's nobody differs from a role that says nothing:\n%s", diff)
	}
	if len(all.Policy.Roles) != 1 || len(all.Users.Users) != 0 || len(all.Curated.Queries) != 0 {
		t.Error("the sample files grant something")
	}
}

func TestDefaultFileHasEveryKey(t *testing.T) {
	v := open("default.yaml", defaultFile)
	c := &Config{}
	scalars := fields{}
	for key := range settings(c) {
		scalars[key] = nil
	}
	origins := map[string]Pos{}
	found := v.leaves(c, scalars, layers{}, origins)
	for key := range scalars {
		if _, ok := found[key]; !ok {
			t.Errorf("default.yaml lacks %s", key)
		}
	}
	for _, key := range []string{"databases", "cluster.peers", "planner.order", "hooks.plan_after", "hooks.sql_before"} {
		if _, ok := origins[key]; !ok {
			t.Errorf("default.yaml lacks %s", key)
		}
	}
	if _, faults := decodeAlone("default.yaml", defaultFile); len(faults) > 0 {
		t.Errorf("default.yaml:\n%s", lines(faults))
	}
}

func TestDefaults(t *testing.T) {
	c := defaults()
	if c.Listen != "127.0.0.1:6432" || c.Limits.StatementBytes != 1<<20 || c.Limits.Login != 15*time.Second ||
		!c.Planner.Cache || c.Curated.MatchFloor != 0.6 || len(c.Planner.Order) != 4 || c.Planner.Today != "" {
		t.Errorf("unexpected defaults: %+v", c)
	}
}

func TestExamplesOfSampleFiles(t *testing.T) {
	t.Setenv("PGASK_PASSWORD", "x")
	t.Setenv("ANA_VERIFIER", "SCRAM-SHA-256$4096:x")
	t.Setenv("ANA_READER_PASSWORD", "x")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "reader.password"), []byte("x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"users.yaml", "policy.yaml", "semantic.yaml", "reviews.yaml", "curated.yaml", "pgask.yaml"} {
		if err := os.WriteFile(filepath.Join(dir, file), example(t, file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, faults := Load(filepath.Join(dir, "pgask.yaml"), nil)
	if len(faults) > 0 {
		t.Fatalf("uncommented examples:\n%s", lines(faults))
	}
	if len(all.Users.Users) != 1 || len(all.Users.Access) != 3 || len(all.Policy.Roles) != 3 || len(all.Semantic.Metrics) != 2 ||
		len(all.Curated.Queries) != 1 || all.Config.Databases["acme"] == nil {
		t.Errorf("an example was not read: %+v", all)
	}
	if got := all.Policy.Roles["analyst"].Backend.Password; got != "x" {
		t.Errorf("password from file: %q", got)
	}
	c, faults := decodeAlone("default.yaml", example(t, "default.yaml"))
	if len(faults) > 0 {
		t.Fatalf("default.yaml's example:\n%s", lines(faults))
	}
	if got := c.Databases["acme"].Pool; got != defaultPool() {
		t.Errorf("default.yaml shows pool %+v, the default is %+v", got, defaultPool())
	}
}
