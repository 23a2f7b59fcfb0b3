package policy_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pgask/pgask/auth"
	"github.com/pgask/pgask/configs"
	"github.com/pgask/pgask/integration/postgres"
	"github.com/pgask/pgask/pipeline/catalog"
	"github.com/pgask/pgask/policy"
)

// "make fuzz-policy" sets these. A failure names its world and query, which
// -world and -query play alone.
var (
	worlds  = flag.Int("worlds", 3, "random schemas with policies to try")
	queries = flag.Int("queries", 250, "random queries for each")
	world   = flag.Uint64("world", 1, "the first world")
	query   = flag.Int("query", -1, "play only this query")
	show    = flag.Int("show", 0, "log so many queries of each outcome")
)

// TestRandomWorlds makes up schemas, policies and queries, and holds what
// approved statements give against Postgres's own row level security and column
// grants.
func TestRandomWorlds(t *testing.T) {
	total := tally{}
	for i := range *worlds {
		seed := *world + uint64(i)
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			o := newRandomOracle(t, seed)
			if *query >= 0 {
				o.try(t, *query)
			}
			for n := range *queries {
				if *query < 0 {
					o.try(t, n)
				}
			}
			total.add(o.tally)
		})
	}
	total.log(t)
	if *query < 0 && total["same"] < *worlds**queries/2 {
		t.Errorf("only %d statements were answered by both sides", total["same"])
	}
	if refused := total.refused(); refused*50 > total["same"] {
		t.Errorf("%d statements were refused that Postgres answers, %d gave the same", refused, total["same"])
	}
}

// tally counts outcomes.
type tally map[string]int

func (c tally) add(o tally) {
	for k, n := range o {
		c[k] += n
	}
}

func (c tally) refused() (n int) {
	for k, x := range c {
		if strings.HasPrefix(k, "refused: ") && !strings.Contains(k, "permission denied for column") && !strings.Contains(k, "permission denied for a column") {
			n += x
		}
	}
	return n
}

func (c tally) log(t *testing.T) {
	for _, k := range slices.SortedFunc(maps.Keys(c), func(a, b string) int { return c[b] - c[a] }) {
		t.Logf("%6d %s", c[k], k)
	}
}

// randomOracle is a random world twice: the reader's database, which gets
// approved SQL, and the analyst's, where Postgres itself keeps the policy.
type randomOracle struct {
	*oracle
	world *randomWorld
	seed  uint64
	tally tally
}

func newRandomOracle(t *testing.T, seed uint64) *randomOracle {
	ctx := context.Background()
	srv := postgres.ForTest(t)
	w := newRandomWorld(seed)
	here, there := srv.CreateDatabase(t), srv.CreateDatabase(t)
	super, other := connect(t, srv.DSN(here), nil), connect(t, srv.DSN(there), nil)
	reader, analyst := "reader_"+here, "analyst_"+there
	run := func(c *pgx.Conn, statements ...string) {
		t.Helper()
		for _, s := range statements {
			if _, err := c.Exec(ctx, s); err != nil {
				t.Fatalf("%v\n%s", err, s)
			}
		}
	}
	for _, side := range []struct {
		conn        *pgx.Conn
		login, base string
	}{{super, reader, here}, {other, analyst, there}} {
		run(side.conn, fmt.Sprintf("ALTER DATABASE %s SET log_statement = 'none'", side.base), "SET log_statement = 'none'", fmt.Sprintf("CREATE ROLE %s LOGIN PASSWORD 'x'", side.login))
		run(side.conn, w.ddl...)
		run(side.conn, w.parents()...)
		run(side.conn, w.poison()...)
		t.Cleanup(func() { run(side.conn, fmt.Sprintf("DROP OWNED BY %[1]s; DROP ROLE %[1]s", side.login)) })
	}
	run(other, w.oracle(analyst)...)
	for _, s := range w.schemas {
		run(super, fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s", quoteName(s), reader), fmt.Sprintf("GRANT SELECT ON ALL TABLES IN SCHEMA %s TO %s", quoteName(s), reader))
	}
	run(super, "ANALYZE")
	run(other, "ANALYZE")
	snapshot, err := catalog.Read(ctx, super, catalog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	role := w.role(t)
	v, err := role.View(snapshot, w.attributes)
	if err != nil {
		t.Fatal(err)
	}
	pinned := policy.Pinned(role)
	pinned["jit"] = "off" // it takes longer than the queries
	return &randomOracle{oracle: &oracle{view: v, super: super, reader: connect(t, srv.UserDSN(here, reader, "x"), pinned),
		analyst: connect(t, srv.UserDSN(there, analyst, "x"), map[string]string{"search_path": names(w.path), "statement_timeout": "1s", "jit": "off"})},
		world: w, seed: seed, tally: tally{}}
}

func (w *randomWorld) role(t *testing.T) *policy.Role {
	roles, all := map[string]*configs.Role{}, []string(nil)
	for _, r := range w.roles {
		roles[r.name], all = r.config, append(all, r.name)
	}
	p, faults := policy.Compile(&configs.Policy{Version: 1, Roles: roles})
	if p == nil {
		t.Fatal(faults)
	}
	role, err := p.RoleFor(auth.Principal{User: "ana", Roles: all})
	if err != nil {
		t.Fatal(err)
	}
	return role
}

// draw makes the world's query of that number.
func (w *randomWorld) draw(seed uint64, n int) (text string, ordered, loose bool, o policy.Options) {
	g := &randomQuery{dice: newDice(seed, uint64(n)+1), w: w}
	g.fragile, g.loose = g.one(4), g.one(6)
	switch g.IntN(3) {
	case 0:
		o = policy.Options{Cap: true}
	case 1:
		o = policy.Options{Cap: true, OnTruncateError: "denied_0123456789abcdef0123456789abcdef"}
	}
	text, ordered = g.statement()
	return text, ordered, g.loose, o
}

// try plays one query on both sides.
func (o *randomOracle) try(t *testing.T, n int) {
	text, ordered, loose, options := o.world.draw(o.seed, n)
	verdict, detail := o.verdict(side(text, false), side(text, true), ordered, options)
	if strings.HasPrefix(verdict, "WRONG") && tiesOfMinMax(verdict, text) {
		verdict = "one side fails: Postgres's min or max under WITH TIES"
	}
	if loose && strings.HasPrefix(verdict, "refused: permission denied") {
		verdict = "refused, while Postgres doesn't look at what it doesn't need"
	}
	o.tally[verdict]++
	if strings.HasPrefix(verdict, "WRONG") {
		t.Errorf("-world %d -query %d: %s\n%s\n%s", o.seed, n, verdict, side(text, false), detail)
	}
	if *query >= 0 || *show > 0 && verdict != "same" && o.tally[verdict] <= *show {
		t.Logf("-query %d\n%s\n%s\n%s\n%s", n, side(text, false), side(text, true), verdict, detail)
	}
}

// tiesOfMinMax tells whether a side fails by a fault of Postgres's, up to 15:
// what it makes of min(x) where it reads the first x of an index or a sort
// instead is a scalar sub-query that takes the statement's WITH TIES over, and has
// several rows where x has equal ones. Which side plans min so is a matter of cost.
// SELECT min(x) FROM (SELECT 6 AS x FROM t) t ORDER BY 1 FETCH FIRST ROW WITH TIES, with two rows in t, shows it.
func tiesOfMinMax(verdict, text string) bool {
	return strings.HasSuffix(verdict, ": 21000") && strings.HasSuffix(text, " ROWS WITH TIES") && regexp.MustCompile(`\b(min|max)\(`).MatchString(text)
}

// verdict compares what the client's text gives through the policy with what
// the oracle's gives the analyst.
func (o *oracle) verdict(client, oracle string, ordered bool, options policy.Options) (verdict, detail string) {
	want, wantErr := rows(o.analyst, oracle)
	if slow(wantErr) {
		return "too slow", ""
	}
	a, err := authorize(o.view, client, options)
	if err != nil {
		if wantErr == nil {
			return "refused: " + reason(err), err.Error()
		}
		return "both refuse: " + state(wantErr) + " " + reason(err), fmt.Sprint(wantErr)
	}
	got, gotErr := rows(o.reader, a.SQL())
	detail = fmt.Sprintf("%s\nPostgres: %v\npgask: %v", a.SQL(), wantErr, gotErr)
	switch {
	case wantErr != nil && gotErr != nil:
		return "both fail: " + state(wantErr), detail
	case wantErr != nil:
		return "WRONG: Postgres refuses, pgask answers: " + state(wantErr), detail
	case slow(gotErr):
		return "too slow", detail
	case gotErr != nil:
		return "WRONG: Postgres answers, pgask fails: " + state(gotErr), detail
	}
	if len(want) > 5000 {
		return "too many rows", ""
	}
	if !ordered {
		slices.Sort(got)
		slices.Sort(want)
	}
	if d := cmp.Diff(want, got); d != "" {
		return "WRONG: differs", d + "\n" + a.SQL()
	}
	return "same", ""
}

func slow(err error) bool { return state(err) == "57014" }

func state(err error) string {
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return pg.Code
	}
	return fmt.Sprint(err)
}

// reason is a refusal without names.
func reason(err error) string {
	if cause := errors.Unwrap(err); cause != nil {
		return "unprovable: " + cause.Error()
	}
	return regexp.MustCompile(`"[^"]*"|column .*|relation .*`).ReplaceAllStringFunc(err.Error(), func(s string) string {
		word, _, _ := strings.Cut(s, " ")
		if s[0] == '"' {
			return "…"
		}
		return word + " …"
	})
}
