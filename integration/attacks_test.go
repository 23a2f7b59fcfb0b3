package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An attackSuite is a database, a policy and statements of a governed user: some
// must be refused, the others must give what Postgres's own row level security
// gives a login that connects directly.
type attackSuite struct {
	dir     string // holds schema.sql, rls.sql and cases.jsonl
	policy  string // path of the policy file
	oracle  string // the login that row level security governs
	backend string // the login that pgask uses
	// attributes of the governed user, as YAML.
	attributes string
	// secrets are words of names and values that the user may never see, and
	// that no row of the user's own has.
	secrets []string
	// alternatives are the classes of forbidden cases that may also be answered,
	// as long as the answer holds no secret.
	alternatives []string
	// floor is how many runs (a case under one protocol) must equal the oracle.
	// Raise it when more is understood.
	floor int
}

// ownAttacks are the project's own cases. Every one of the lawful ones works.
func ownAttacks() attackSuite {
	dir := filepath.Join("testdata", "attacks")
	return attackSuite{dir: dir, policy: filepath.Join(dir, "policy.yaml"), oracle: "reader_b1", backend: "library_proxy",
		attributes: "{branch: 1}", secrets: []string{"4242", "master-key", "loot", "pin-", "Nobody", "elsewhere", "wages", "office", "papers_sealed",
			"pin_of", "library_"}, alternatives: []string{"catalog", "ask"}, floor: 346}
}

// catalogueAttacks are the cases of a shared catalogue beside the repository, or
// where PGASK_SHARED says.
func catalogueAttacks() attackSuite {
	shared := os.Getenv("PGASK_SHARED")
	if shared == "" {
		shared = filepath.Join("..", "..", "shared")
	}
	return attackSuite{dir: filepath.Join(shared, "attacks"), policy: filepath.Join("testdata", "attacks", "catalogue_policy.yaml"),
		oracle: "analyst_t1", backend: "proxy_svc", attributes: "{tenant_id: 1}",
		secrets: []string{"sk-acme", "sk-globex", "root-of-trust", "mixed-case", "Globex", "globex note", "globex order", "@globex", "salary",
			"ssn", "900-00-", "api_keys", "secrets", "vault", "archive", "run_sql", "basis", "orphan order", "Orphan account", "@nowhere"},
		alternatives: []string{"catalog_virtual", "strict_star"}, floor: 263}
}

func TestAttacks(t *testing.T) {
	t.Run("own", func(t *testing.T) { ownAttacks().run(t) })
	if catalogue := catalogueAttacks(); exists(catalogue.dir) {
		t.Run("catalogue", func(t *testing.T) { catalogue.run(t) })
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// attack is one line of cases.jsonl.
type attack struct {
	ID, Class, SQL, Protocol, Expect, Why string
	Steps                                 []string
}

// texts are the messages of the attack, in order, of one session.
func (a attack) texts() []string {
	if a.SQL != "" {
		return []string{a.SQL}
	}
	return a.Steps
}

// protocolNames are the protocols that the attack is for.
func (a attack) protocolNames() []string {
	if a.Protocol == "either" {
		return []string{"simple", "extended"}
	}
	return []string{a.Protocol}
}

func (s attackSuite) cases(t *testing.T) []attack {
	t.Helper()
	f, err := os.Open(filepath.Join(s.dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []attack
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var a attack
		if err := json.Unmarshal(lines.Bytes(), &a); err != nil {
			t.Fatalf("case %d: %v", len(out)+1, err)
		}
		out = append(out, a)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// run plays all cases and demands: nothing leaks, nothing differs from the
// oracle, and enough is equal to it.
func (s attackSuite) run(t *testing.T) {
	w := s.world(t)
	count := map[string]int{}
	for i, a := range s.cases(t) {
		for _, protocol := range a.protocolNames() {
			mark := fmt.Sprintf("%s_%d_%s", w.mark, i, protocol)
			verdict, detail := w.play(t, a, protocol, mark)
			count[a.Expect+" "+verdict]++
			switch verdict {
			case "leaked", "different", "no oracle":
				t.Errorf("%s, %s: %s: %s\n%s\n%s", a.ID, protocol, verdict, a.Why, strings.Join(a.texts(), "\n"), detail)
			case "refused":
				if a.Expect == "same_as_rls" {
					t.Logf("%s, %s: refused: %s", a.ID, protocol, detail)
				}
			}
		}
	}
	w.silence(t)
	for _, k := range []string{"deny refused", "deny answered", "deny leaked", "same_as_rls equal", "same_as_rls refused", "same_as_rls different"} {
		t.Logf("%s: %d", k, count[k])
	}
	if n := count["same_as_rls equal"]; n < s.floor {
		t.Errorf("%d runs equal the oracle, the floor is %d", n, s.floor)
	}
}
