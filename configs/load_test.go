package configs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// folder writes files into a new folder and returns the path of pgask.yaml.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "pgask.yaml")
}

func TestLayers(t *testing.T) {
	path := folder(t, map[string]string{"pgask.yaml": `
limits: {clients: 10, login: 20s, idle: 1m}
llm: {routing: {matcher: small}} # a warning, as this version asks no matcher
databases: {Acme-EU: {dsn: "${env:PGASK_TEST_UNSET}"}}
`})
	t.Setenv("PGASK_LIMITS_CLIENTS", "11")
	t.Setenv("PGASK_LIMITS_LOGIN", "21s")
	t.Setenv("PGASK_LLM_API_KEY", "from-env")
	t.Setenv("PGASK_LLM_ROUTING_PLANNER", "large")
	t.Setenv("PGASK_HTTP", "") // empty counts as not set
	t.Setenv("PGASK_DATABASES_ACME_EU_DSN", "postgres://u@h:1/d")
	all, faults := Load(path, Overrides{"limits.clients": "12", "planner.today": "2026-01-31"})
	if Faulty(faults) {
		t.Fatal(lines(faults))
	}
	c := all.Config
	if c.Limits.Clients != 12 || c.Limits.Login != 21*time.Second || c.Limits.Idle != time.Minute {
		t.Errorf("limits: %+v", c.Limits)
	}
	if c.LLM.APIKey != "from-env" || c.LLM.Routing["planner"] != "large" || c.LLM.Routing["matcher"] != "small" || len(c.LLM.Routing) != 2 {
		t.Errorf("llm: %+v", c.LLM)
	}
	if c.Planner.Today != "2026-01-31" || c.HTTP != "127.0.0.1:9432" {
		t.Errorf("today %q, http %q", c.Planner.Today, c.HTTP)
	}
	if db := c.Databases["Acme-EU"]; db == nil || db.DSN != "postgres://u@h:1/d" || db.Pool != defaultPool() {
		t.Errorf("databases: %+v", c.Databases["Acme-EU"])
	}
	if want := filepath.Join(filepath.Dir(path), "users.yaml"); c.Files.Users != want {
		t.Errorf("files.users = %s, want %s", c.Files.Users, want)
	}
}

func TestFaultsOfLayers(t *testing.T) {
	path := folder(t, map[string]string{"pgask.yaml": "databases: {a.b: {dsn: x=y}, a_b: {dsn: x=y}}\n"})
	t.Setenv("PGASK_LIMITS_CLIENTS", "many")
	t.Setenv("PGASK_DATABASES_A_B_DSN", "host=h")
	_, faults := Load(path, Overrides{"listen": "here", "lissen": "x"})
	got := lines(faults)
	for _, want := range []string{
		`PGASK_LIMITS_CLIENTS: limits.clients: expected a whole number, got "many"`,
		`command line: listen: "here" is not host:port`,
		"command line: lissen: unknown key; did you mean listen?",
		"PGASK_DATABASES_A_B_DSN stands for database a.b too",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("missing %q in\n%s", want, got)
		}
	}
}

func TestMissingFiles(t *testing.T) {
	_, faults := Load(filepath.Join(t.TempDir(), "pgask.yaml"), nil)
	if len(faults) != 1 || !strings.HasSuffix(faults[0].Error(), "pgask.yaml: cannot read it: no such file or directory") {
		t.Error(lines(faults))
	}
	// Files with their default names may be missing; those named may not.
	path := folder(t, map[string]string{"pgask.yaml": "files:\n  policy: rules.yaml\n"})
	_, faults = Load(path, nil)
	if len(faults) != 1 || faults[0].Key != "files.policy" || faults[0].Pos.Line != 2 {
		t.Error(lines(faults))
	}
}

func TestAcrossFiles(t *testing.T) {
	path := folder(t, map[string]string{
		"pgask.yaml": "{}",
		"users.yaml": "users:\n- {name: ana, password: x, roles: [analyst, dba]}\n- {name: ben, cert: CN=ben, role: analist}\n" +
			"access:\n- {users: ['a*', 'an?'], databases: [acme, pgask], tls: certificate, action: reject}\n- {tls: required, action: allow}\n",
		"policy.yaml":  "version: 1\nroles:\n  analyst: {databases: [acme]}\n  dba: {mode: passthrough}\n",
		"curated.yaml": "queries: [{id: q, database: acme, question: q, sql: select}]\n",
	})
	all, faults := Load(path, nil)
	got := strings.ReplaceAll(lines(faults), filepath.Dir(path)+"/", "")
	want := `users.yaml:2: users.ana.roles: role analyst is governed and dba is passthrough; one user's roles must have one mode
users.yaml:3: users.ben.roles: there is no role analist in the policy; did you mean analyst?
warning: users.yaml:3: users.ben.cert: client certificates are only asked for with tls.client_ca: this user can't log in
warning: users.yaml:5: access[0].users: there is no user an?
warning: users.yaml:5: access[0].databases: pgask.yaml has no database acme
warning: users.yaml:5: access[0].tls: it never fits: client certificates are only asked for with tls.client_ca
warning: users.yaml:6: access[1].tls: it never fits: pgask.yaml has no TLS
warning: policy.yaml:3: roles.analyst.databases: pgask.yaml has no database acme
warning: curated.yaml:1: queries.q.database: pgask.yaml has no database acme
`
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if !Faulty(faults) || Faulty(faults[2:]) {
		t.Error("Faulty takes a warning for a fault or the other way round")
	}
	if all.Policy.Roles["dba"].Databases != nil {
		t.Error("a role that names no database must be told from one that names none")
	}
}

// TestRolesUnknown: a policy that can't be read is one fault, not one for each user.
func TestRolesUnknown(t *testing.T) {
	for policy, want := range map[string]string{
		"version: 1\nroles:\n  dba: {mode: passthrough\n": "policy.yaml:3: not YAML: ",
		"": "users.yaml:1: users.ana.roles: there is no role dba in the policy; none is known here",
	} {
		path := folder(t, map[string]string{"pgask.yaml": "{}", "policy.yaml": policy,
			"users.yaml": "users: [{name: ana, password: x, role: dba}]"})
		_, faults := Load(path, nil)
		if got := strings.ReplaceAll(lines(faults), filepath.Dir(path)+"/", ""); len(faults) != 1 || !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestTLSFiles(t *testing.T) {
	for _, c := range []struct{ tls, want string }{
		{"{mode: require}", "tls.mode: require needs tls.cert and tls.key"},
		{"{cert: a.pem}", "tls.cert: there is no tls.key for it"},
		{"{key: a.pem}", "tls.key: there is no tls.cert for it"},
		{"{cert: a.pem, key: b.pem}", "a.pem: no such file or directory"},
		{"{cert: pgask.yaml, key: pgask.yaml}", "tls.cert: cannot use certificate and key: tls: failed to find any PEM data"},
		{"{client_ca: pgask.yaml}", "tls.client_ca: holds no PEM certificate"},
		{"{crl: none.pem}", "tls.crl: there is no tls.client_ca for it"},
		{"{crl: none.pem}", "none.pem: no such file or directory"},
		{"{crl: pgask.yaml}", "tls.crl: holds no list of revoked certificates (X509 CRL)"},
		{"{mode: verify-full}", "tls.mode: verify-full needs tls.client_ca"},
		{"{mode: disable, cert: none.pem}", ""},
	} {
		_, faults := Load(folder(t, map[string]string{"pgask.yaml": "tls: " + c.tls + "\n"}), nil)
		if got := lines(faults); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: got\n%swant %s", c.tls, got, c.want)
		}
	}
}

func TestSecrets(t *testing.T) {
	t.Setenv("PGASK_TEST_PW", "a:b${env:X}")
	path := folder(t, map[string]string{"pgask.yaml": `llm: {api_key: "k-${env:PGASK_TEST_PW}-${file:key.txt}"}`, "key.txt": "line\r\n"})
	all, faults := Load(path, nil)
	if len(faults) > 0 || all.Config.LLM.APIKey != "k-a:b${env:X}-line" {
		t.Errorf("api_key = %q\n%s", all.Config.LLM.APIKey, lines(faults))
	}
}

// What the index is asked to be must have what it needs.
func TestIndexNeeds(t *testing.T) {
	for text, want := range map[string]string{
		`index: {store: pgvector, dsn: host=h}`:                                                              "",
		`index: {store: pgvector}`:                                                                           "pgvector needs index.dsn",
		`embeddings: {provider: openai, model: m}`:                                                           "openai needs llm.base_url",
		"embeddings: {provider: openai}\nllm: {base_url: http://h/v1, model: m}":                             "openai needs embeddings.model",
		"embeddings: {provider: openai, model: e}\nllm: {base_url: http://h/v1, model: m}":                   "",
		"embeddings: {provider: openai, model: e}\nllm: {replay: answers}\nindex: {store: pgvector, dsn: d}": "",
	} {
		c, faults := decodeAlone("pgask.yaml", []byte(text))
		if got := lines(faults); (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
		if shown := fmt.Sprint(c.Settings()); strings.Contains(shown, "host=h") {
			t.Errorf("%s shows the dsn", text)
		}
	}
}

// TestNothingIsIgnored: every setting of pgask.yaml does something.
func TestNothingIsIgnored(t *testing.T) {
	c, faults := decodeAlone("pgask.yaml", []byte(`
traces: {dir: traces, mode: always}
llm: {routing: {matcher: m, narrator: m, planner: m}}
curated: {match_floor: 0.7, match_top_k: 6}
abstain: {confidence: 0.9}
`))
	if len(faults) > 0 {
		t.Errorf("settings are warned of:\n%s", lines(faults))
	}
	if !filepath.IsAbs(c.Traces.Dir) {
		t.Errorf("traces.dir = %s", c.Traces.Dir)
	}
	if _, faults := decodeAlone("pgask.yaml", nil); len(faults) > 0 {
		t.Errorf("the defaults warn:\n%s", lines(faults))
	}
}

// TestAudit warns of a place where no log can be, which may be mended later.
func TestAudit(t *testing.T) {
	path := folder(t, map[string]string{"pgask.yaml": ""})
	dir := filepath.Dir(path)
	if err := os.Symlink("elsewhere", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for yaml, want := range map[string]string{
		"{path: audit.jsonl, required: true, chain: true, sync: 0, rotate: {size: 1KiB, age: 0, keep: 3}}": "",
		"{path: missing/audit.jsonl}": "warning: " + path + ":1: audit.path: there is no folder " + filepath.Join(dir, "missing"),
		"{path: link}":                "warning: " + path + ":1: audit.path: is not a regular file; links, pipes and devices are not written to",
		"{required: true}":            path + ":1: audit.required: needs audit.path",
		"{rotate: {sise: 1KiB}}":      path + ":1: audit.rotate.sise: unknown key; did you mean size?",
	} {
		if err := os.WriteFile(path, []byte("audit: "+yaml+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, faults := Load(path, nil); strings.TrimSpace(lines(faults)) != want {
			t.Errorf("%s: %s", yaml, lines(faults))
		}
	}
	t.Setenv("PGASK_AUDIT_ROTATE_AGE", "2h")
	if err := os.WriteFile(path, []byte("audit: {path: a}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	all, _ := Load(path, nil)
	want := Audit{Path: filepath.Join(dir, "a"), Text: "full", Sync: time.Second, Rotate: AuditRotate{Size: 100 << 20, Age: 2 * time.Hour}}
	if all.Config.Audit != want {
		t.Errorf("got %+v", all.Config.Audit)
	}
}

func TestAliases(t *testing.T) {
	p, faults := DecodePolicy("policy.yaml", []byte("version: 1\nroles:\n  a: {tables: &t {allow: [public.orders]}}\n  b: {tables: *t}\n"))
	if len(faults) > 0 || len(p.Roles["b"].Tables.Allow) != 1 {
		t.Errorf("an alias was not followed:\n%s", lines(faults))
	}
	// A few lines of aliases of aliases stand for millions of values.
	var b strings.Builder
	b.WriteString("users:\n- name: x\n  role: r\n  attributes:\n    a: &a0 [1]\n")
	last := "a0"
	for _, next := range []string{"a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"} {
		b.WriteString("    " + next + ": &" + next + " [" + strings.TrimSuffix(strings.Repeat("*"+last+",", 20), ",") + "]\n")
		last = next
	}
	if _, faults := DecodeUsers("users.yaml", []byte(b.String())); !Faulty(faults) {
		t.Error("nested lists made of aliases were accepted")
	}
}

func TestTypes(t *testing.T) {
	u, faults := DecodeUsers("users.yaml", []byte(`users:
- name: 007
  role: analyst
  attributes: {i: 1, f: 1.5, s: "1", b: true, n: null, l: [1, x, null], d: 2026-11-29, yes: yes}
`))
	if len(faults) != 1 { // the warning that nobody can log in like that
		t.Fatal(lines(faults))
	}
	a := u.Users[0].Attributes
	if u.Users[0].Name != "007" || a["i"] != int64(1) || a["f"] != 1.5 || a["s"] != "1" || a["b"] != true ||
		a["n"] != nil || a["d"] != "2026-11-29" || a["yes"] != "yes" {
		t.Errorf("%q %#v", u.Users[0].Name, a)
	}
	if l := a["l"].([]any); len(l) != 3 || l[0] != int64(1) || l[1] != "x" || l[2] != nil {
		t.Errorf("list: %#v", l)
	}
	if _, there := a["n"]; !there {
		t.Error("a null attribute was left out")
	}
}

func TestBrokenLine(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
	}{
		{"a: 1\n b: 2\n", 2},
		{"a: [1,\n 2,\n 3]\nb: {x: 1\nc: 2\n", 4},
		{"a: 'x\n\n  y'\nb: \"never\nclosed: 1\n", 4},
		{"users:\n  - name: a\n    role: x\n   cert: y\n  - name: b\n", 4},
		{"\t", 1},
		{"a: 1\nb: @x\n", 2},
	} {
		_, faults := decodeAlone("pgask.yaml", []byte(c.text))
		if len(faults) != 1 || faults[0].Pos.Line != c.line {
			t.Errorf("%q: want one fault on line %d, got\n%s", c.text, c.line, lines(faults))
		}
	}
}

func TestDSNFaultKeepsSecrets(t *testing.T) {
	for _, dsn := range []string{
		"postgres://u:hunter2@h:port/d", "postgres://u:hunt%65r2@h:hunter2/d", "postgres://u:99999/hunter2@h/d", "postgres://u:hunter2/x@h/d",
		"postgres://u:hunter2@h:1/d?sslmode=hunter2", "host=h password='hunter2' port=hunter2", "host=h password = hunter2 sslmode=hunter2",
		"u:hunter2@h", "hunter2@", "postgres://%zz:hunter2@h/d", "postgres://u@h/d?password=hunter2&port=hunter2", "password=hunter\\2 port=hunter2",
	} {
		reason := checkDSN(dsn)
		if reason == "" || strings.Contains(reason, "hunter2") || strings.Contains(reason, "99999") {
			t.Errorf("%s: %q", dsn, reason)
		}
	}
	if got := checkDSN("postgres://u:hunter2@h/d?sslmode=never"); !strings.Contains(got, "sslmode") {
		t.Errorf("a harmless reason is kept back: %s", got)
	}
}

func TestNullIsNoKey(t *testing.T) {
	c, faults := decodeAlone("pgask.yaml", []byte("planner: {today: null, order: ~}\ntls:\nlimits: {idle: }\n"))
	want := defaults()
	if len(faults) > 0 || c.Planner.Today != "" || len(c.Planner.Order) != 4 || c.TLS != want.TLS || c.Limits != want.Limits {
		t.Errorf("%+v\n%s", c, lines(faults))
	}
}
